import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Replica } from '../../../chaos/replica.js';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { ensureBuilt } from '../../../support/built.js';
import { eventually } from '../../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { isInRotation } from '../../../support/sampled.js';
import { Batches } from '../batches.js';

const KILL_POINTS = pathToFileURL(resolve('test/chaos/payments/kill-points.mjs')).href;
const SIZE = 20;

let money: Money;
let replica: Replica;
let observer: Observer;

beforeAll(async () => {
  await ensureBuilt();
  // Only the replica tracks.
  money = await Money.start({ env: { ROLE: 'api' } });
  replica = new Replica(
    { NODE_ENV: 'test', ...money.env, ROLE: 'all', DATABASE_URL: money.app.databaseUrl },
    KILL_POINTS,
  );
  observer = await Observer.of(money.app);
  await replica.start();
});
afterAll(async () => {
  await replica?.kill();
  await observer?.close();
  await money?.stop();
});

async function statusesOf({ app }: Payer): Promise<string[]> {
  const rows = await observer.rows<{ status: string }>('select status from transfers where app_id = $1', [app.id]);
  return rows.map(({ status }) => status);
}

/** Null if there was no response. */
async function confirm({ app }: Payer, batch_id: string): Promise<number | null> {
  try {
    const response = await fetch(`${replica.url}/v1/transfers/confirm_batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batch_id }),
    });
    return response.status;
  } catch {
    return null;
  }
}

const PLACES = ['before-locks', 'after-locks', 'after-decision', 'after-commit'] as const;
const CASES = PLACES.flatMap((place) =>
  (['ethereum', 'solana'] as WalletType[]).map((chain) => [place, chain] as const),
).filter((_, index) => isInRotation(index));

it.each(CASES)(
  'a process that is killed at %s confirms all of a batch on %s or nothing, and each item is paid once',
  async (place, chain) => {
    const payer = await money.payer(chain, 100n);
    const dest = newAddress(chain);
    const items = Array.from({ length: SIZE }, () => ({ dest, source_amount: '0.01' }));
    const { batch_id } = await new Batches(money, payer).created(items);
    const hit = replica.arm(place, '');
    expect(await confirm(payer, batch_id)).toBeNull();
    expect((await hit).msg).toBe('killed');
    expect(await statusesOf(payer)).toEqual(Array(SIZE).fill(place === 'after-commit' ? 'pending' : 'unconfirmed'));
    await replica.start();
    expect(await confirm(payer, batch_id)).toBe(200);
    await eventually(async () => {
      await money.look();
      expect(await statusesOf(payer)).toEqual(Array(SIZE).fill('completed'));
    });
    const unit = chain === 'ethereum' ? 10n ** 16n : 10n ** 7n;
    expect(await money.balance(chain, dest)).toBe(BigInt(SIZE) * unit);
  },
);
