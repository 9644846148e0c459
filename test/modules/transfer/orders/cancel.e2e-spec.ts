import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { Client } from 'pg';
import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import type { Answer } from '../../../support/app.js';
import { eventually, patiently } from '../../../support/eventually.js';
import { ETH, Money, type Payer, SOL } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { signRows } from '../../../support/row-macs.js';

const FINALITY_DEPTH = 3;
/** Transfers of one address that are signed at a time; the next ones wait in the queue. */
const CAPACITY = 16;

// A busy machine takes its time for what is signed and proven here.

// Blocks come only when a test makes them.
let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start({
    ethereum: { blockTime: 'never' },
    solana: { slotMs: undefined, finalizedAfter: 8 },
    env: { ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH), TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
  });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  await money.anvil.mine(FINALITY_DEPTH + 1);
});
afterAll(async () => {
  await database.end();
  await money.stop();
});
afterEach(() => {
  money.solana.fate = () => 'land';
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
function when(payer: Payer, id: string, is: (transfer: any) => boolean): Promise<any> {
  return eventually(async () => {
    await money.look();
    const transfer = await money.get(payer, id);
    if (!is(transfer)) throw new Error(`The transfer is ${JSON.stringify(transfer)}`);
    return transfer;
  });
}

async function confirmed(payer: Payer): Promise<{ id: string; dest: string }> {
  const { id, dest } = await money.created(payer, { source_amount: '0.1' });
  const { status, text } = await patiently(() => money.confirm(payer, id));
  if (status !== 200) throw new Error(text);
  return { id, dest };
}

function cancel({ app }: Payer, id: string): Promise<Answer> {
  return patiently(() => money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: app.secretKey }));
}

async function countEvents(id: string, type = 'transfer.cancelled'): Promise<number> {
  const { rows } = await database.query(`select from stored_events where type = $1 and data->>'transfer_id' = $2`, [
    type,
    id,
  ]);
  return rows.length;
}

async function makeBlocks(): Promise<void> {
  await money.anvil.mine();
  money.solana.advance(10);
}

/** A transfer that a replica has put into the queue, before any process has taken it from there. */
async function queued(payer: Payer): Promise<{ id: string; dest: string }> {
  const { id, dest } = await money.created(payer, { source_amount: '0.1' });
  await database.query(
    `update transfers set status = 'pending', stage = 'queued', confirmed_at = now(), next_check_at = 'infinity' where id = $1`,
    [id],
  );
  await signRows(money.app, 'transfers');
  return { id, dest };
}

describe.each<WalletType>(['ethereum', 'solana'])('a transfer in the queue on %s', (chain) => {
  it('is cancelled at once, and is never signed later', async () => {
    const payer = await money.payer(chain);
    if (chain === 'solana') money.solana.fate = () => 'hold';
    const signed: { id: string }[] = [];
    for (let i = 0; i < CAPACITY; i++) signed.push(await confirmed(payer));
    const { id, dest } = await confirmed(payer);
    expect((await money.get(payer, id)).stage).toBe('queued');
    const { status, body } = await cancel(payer, id);
    expect([status, body.status, body.stage, body.attempts]).toEqual([200, 'cancelled', '', []]);
    expect(body.cancelled_at).toBeGreaterThan(0);
    money.solana.release();
    await eventually(async () => {
      await money.look();
      await makeBlocks();
      for (const each of signed) expect((await money.get(payer, each.id)).status).toBe('completed');
    });
    expect(await money.balance(chain, dest)).toBe(0n);
    expect((await cancel(payer, id)).body.status).toBe('cancelled');
    expect((await money.confirm(payer, id)).body.error_type).toBe('transfer_cancelled');
    expect(await countEvents(id)).toBe(1);
  });

  it('is either cancelled or signed, never both, if both happen at once', async () => {
    const unit = chain === 'ethereum' ? ETH : SOL;
    const payer = await money.payer(chain);
    const transfers: { id: string; dest: string }[] = [];
    for (let i = 0; i < 8; i++) transfers.push(await queued(payer));
    await money.look();
    const answers = await Promise.all(
      transfers.flatMap(({ id }) => [cancel(payer, id), cancel(payer, id), cancel(payer, id)]),
    );
    for (const { status, text } of answers) {
      // 503: a process that gets no processor for 1.5 s loses a transaction that signs, and nothing has changed.
      if (![200, 503].includes(status) && !text.includes('transfer_already_confirmed')) throw new Error(text);
    }
    await eventually(async () => {
      await money.look();
      await makeBlocks();
      for (const { id } of transfers) expect((await money.get(payer, id)).status).toMatch(/completed|cancelled/);
    });
    for (const { id, dest } of transfers) {
      const { status, attempts } = await money.get(payer, id);
      const isPaid = status === 'completed';
      expect([attempts.length, await money.balance(chain, dest)]).toEqual(isPaid ? [1, unit / 10n] : [0, 0n]);
      expect(await countEvents(id)).toBe(isPaid ? 0 : 1);
    }
  });
});

describe('a signed transfer on solana', () => {
  it('stays pending when it is cancelled, and is cancelled, not signed anew, once it is proven to have expired', async () => {
    const payer = await money.payer('solana');
    money.solana.fate = () => 'forget';
    const { id, dest } = await confirmed(payer);
    const { status, body } = await cancel(payer, id);
    expect([status, body.status, body.cancelled_at]).toEqual([200, 'pending', 0]);
    expect(body.cancel_requested_at).toBeGreaterThan(0);
    expect((await cancel(payer, id)).body.cancel_requested_at).toBe(body.cancel_requested_at);
    money.solana.fate = () => 'land';
    money.solana.expireBlockhashes();
    const cancelled = await when(payer, id, (transfer) => transfer.status !== 'pending');
    expect(cancelled).toMatchObject({ status: 'cancelled', stage: '', failure: null, attempts: [expect.anything()] });
    expect(await money.balance('solana', dest)).toBe(0n);
    expect(await countEvents(id)).toBe(1);
    expect((await cancel(payer, id)).body.status).toBe('cancelled');
  });

  it('is not sent any more once it is cancelled, and completes when the chain was first', async () => {
    const payer = await money.payer('solana');
    money.solana.fate = () => 'hold';
    const { id, dest } = await confirmed(payer);
    // A look that has read the transfer before may still send it.
    await money.withoutTracker(async () => expect((await cancel(payer, id)).status).toBe(200));
    const sends = money.proxies.solana.calls.get('sendTransaction');
    const looks = () => money.proxies.solana.calls.get('getSignatureStatuses') ?? 0;
    const before = looks();
    await eventually(async () => {
      await money.look();
      expect(looks()).toBeGreaterThan(before + 2);
    });
    expect(money.proxies.solana.calls.get('sendTransaction')).toBe(sends);
    money.solana.release();
    money.solana.advance(10);
    await when(payer, id, ({ status }) => status === 'completed');
    expect(await money.balance('solana', dest)).toBe(SOL / 10n);
    expect(await countEvents(id)).toBe(0);
  });

  it('cannot be cancelled once it is in a block', async () => {
    const payer = await money.payer('solana');
    const { id } = await confirmed(payer);
    money.solana.advance(2);
    await when(payer, id, ({ stage }) => stage === 'mined');
    const { status, body } = await cancel(payer, id);
    expect([status, body.error_type]).toEqual([409, 'transfer_already_confirmed']);
  });
});

describe('a cancellation that is requested between the proof and the next signature', () => {
  let silent: Money;

  // No process looks at transfers by itself.
  beforeAll(async () => {
    silent = await Money.start({
      solana: { slotMs: undefined, finalizedAfter: 8 },
      env: { ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '0' },
    });
  });
  afterAll(() => silent.stop());

  it('has the transfer cancelled, not signed anew', async () => {
    const payer = await silent.payer('solana');
    silent.solana.fate = () => 'forget';
    const { id, dest } = await silent.created(payer);
    await silent.confirm(payer, id);
    silent.solana.fate = () => 'land';
    silent.solana.expireBlockhashes();
    const track = silent.app.nest.get(TrackTransfer, { strict: false });
    const execute = () => track.execute(payer.app.id as AppId, id as TransferId);
    const [holder, observer] = [await Observer.of(silent.app), await Observer.of(silent.app)];
    try {
      // The look after this one completes the proof.
      for (let links = 0; links < 110;) {
        await execute();
        const [row] = await observer.rows<{ links: number }>(
          `select (proof_progress->'at'->>'links')::int as links from transfers where id = $1`,
          [id],
        );
        links = row!.links;
      }
      await holder.rows('begin');
      await holder.rows(`select from transfers where app_id = $1 and id = $2 for update`, [payer.app.id, id]);
      // It has read the transfer, and waits for its row to store what it has found.
      const looking = execute();
      await eventually(async () => expect(await observer.waiting()).toBeGreaterThan(0));
      await holder.rows(`update transfers set cancel_requested_at = now() where app_id = $1 and id = $2`, [
        payer.app.id,
        id,
      ]);
      await holder.rows('commit');
      await looking;
    } finally {
      await holder.close();
      await observer.close();
    }
    expect(await silent.get(payer, id)).toMatchObject({ status: 'pending', attempts: [expect.anything()] });
    expect(await execute()).toMatchObject({ status: 'cancelled' });
    expect(await silent.balance('solana', dest)).toBe(0n);
  });
});
