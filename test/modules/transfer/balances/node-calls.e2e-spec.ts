import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { LOGIN_CALL_BOUNDS, NODE_CALL_BOUNDS, NodeCalls } from '../../../../src/kernel/chain/node-calls.js';
import { type AppId, newId } from '../../../../src/kernel/ids.js';
import { Database } from '../../../../src/postgres/database.js';
import type { Answer } from '../../../support/app.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';

let money: Money;
let busy: Payer;
let other: Payer;
let nodeCalls: NodeCalls;
beforeAll(async () => {
  // Without a wait for the chain: the tracker completes what is confirmed.
  money = await Money.start({ env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  [busy, other] = [await money.payer('ethereum'), await money.payer('ethereum')];
  nodeCalls = money.app.nest.get(NodeCalls, { strict: false });
});
afterAll(() => money?.stop());

/** Ends the reads that `occupy` began. */
let release: () => void;
let released: Promise<void>;
let occupied: Promise<unknown>[];
beforeEach(() => {
  occupied = [];
  released = new Promise((resolve) => (release = resolve));
});
afterEach(async () => {
  release();
  await Promise.all(occupied);
});

function occupy(appId: string, count: number, by: WalletType | 'login' = 'ethereum'): void {
  for (let i = 0; i < count; i++) {
    const wait = () => released;
    const read =
      by === 'login'
        ? nodeCalls.runForLogin('ethereum', appId as AppId, wait)
        : nodeCalls.run(by, appId as AppId, wait);
    // On a slow machine those that wait are refused before the test ends.
    occupied.push(read.catch(() => undefined));
  }
}
const ALL_OF_AN_APP = NODE_CALL_BOUNDS.perApp + NODE_CALL_BOUNDS.waitingPerApp;

const refusal = ({ status, body, headers }: Answer) => [status, body.error_type, headers.get('retry-after')];
const post = ({ app: { secretKey: key } }: Payer, path: string, body?: Record<string, unknown>) =>
  money.app.call('POST', path, { key, body });

const balance = (payer: Payer, symbol = 'ETH', wallet_id = payer.walletId) =>
  post(payer, '/v1/wallets/balance', { wallet_id, token_symbol: symbol });
/** With a signature that only a contract could have made. */
async function login(payer: Payer): Promise<Answer> {
  const wallet = { wallet_type: 'ethereum', public_address: newAddress('ethereum') };
  await post(payer, '/v1/auth/wallets/registrations/begin', wallet);
  return post(payer, '/v1/auth/wallets/verify', { ...wallet, signature: '0x01' });
}

describe('an app whose reads take all its slots at the nodes of a chain', () => {
  it('is refused with 429, and no other app is', async () => {
    const quoted = { busy: await money.created(busy), other: await money.created(other) };
    occupy(busy.app.id, ALL_OF_AN_APP);

    const refused = [429, 'too_many_requests', '1'];
    expect(refusal(await balance(busy))).toEqual(refused);
    expect(refusal(await money.create(busy))).toEqual(refused);
    expect(refusal(await money.confirm(busy, quoted.busy.id))).toEqual(refused);

    expect((await balance(other)).body).toMatchObject({ balance: '10' });
    expect((await money.create(other)).status).toBe(200);
    expect((await money.confirm(other, quoted.other.id)).status).toBe(200);
    expect(await money.get(busy, quoted.busy.id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    release();
    await Promise.all(occupied);
    expect((await money.confirm(busy, quoted.busy.id)).status).toBe(200);
  });

  it('reads from the nodes of another chain', async () => {
    const solana = await money.payer('solana', 10n, busy.app);
    occupy(busy.app.id, ALL_OF_AN_APP);
    expect((await balance(solana, 'SOL')).body).toMatchObject({ balance: '10' });
  });

  it('is refused with 429 when it cancels a stuck transfer, and nothing is signed', async () => {
    const { id } = await money.created(busy);
    await money.withoutTracker(async () => {
      await money.confirm(busy, id);
      await money.app.nest
        .get(Database, { strict: false })
        .write(`update transfers set stuck_since = now(), stuck_reason = 'fee_above_ceiling' where id = $1`, [id]);
      occupy(busy.app.id, ALL_OF_AN_APP);
      expect(refusal(await post(busy, `/v1/transfers/${id}/cancel`))).toEqual([429, 'too_many_requests', '1']);
      expect((await money.get(busy, id)).attempts).toHaveLength(1);
    });
  });

  it('is paid and sees its confirmed transfer completed', async () => {
    const { id } = await money.created(busy);
    await money.withoutTracker(async () => {
      expect((await money.confirm(busy, id)).body).toMatchObject({ status: 'pending' });
      occupy(busy.app.id, ALL_OF_AN_APP);
    });
    await money.look();
    expect((await money.become(busy, id, 'completed')).attempts).toHaveLength(1);
  });
});

describe('logins with signatures of contracts', () => {
  const wrong = [400, 'invalid_wallet_signature', null];

  it('have slots of their own: neither they nor payments of the app hold up the other', async () => {
    occupy(busy.app.id, ALL_OF_AN_APP);
    // The node says that there is no such contract.
    expect(refusal(await login(busy))).toEqual(wrong);
    occupy(other.app.id, LOGIN_CALL_BOUNDS.perApp + LOGIN_CALL_BOUNDS.waitingPerApp, 'login');
    expect(refusal(await login(other))).toEqual([429, 'too_many_requests', '1']);
    expect((await balance(other)).status).toBe(200);
    expect(refusal(await login(busy))).toEqual(wrong);
  });

  it('are refused with 503 when those of other apps take all slots', async () => {
    for (let apps = 0; apps < LOGIN_CALL_BOUNDS.inAll / LOGIN_CALL_BOUNDS.perApp; apps++)
      occupy(newId('app'), LOGIN_CALL_BOUNDS.perApp, 'login');
    occupy(other.app.id, LOGIN_CALL_BOUNDS.waitingPerApp, 'login');
    expect(refusal(await login(other))).toEqual([503, 'ethereum_node_unavailable', '5']);
  });
});

it('an app is refused with 503 when the reads of other apps take all slots', async () => {
  for (let apps = 0; apps < NODE_CALL_BOUNDS.inAll / NODE_CALL_BOUNDS.perApp; apps++)
    occupy(newId('app'), NODE_CALL_BOUNDS.perApp);
  occupy(other.app.id, NODE_CALL_BOUNDS.waitingPerApp);
  expect(refusal(await balance(other))).toEqual([503, 'chain_unavailable', '5']);
});
