import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { parseUnits } from 'ethers';
import { type AppId, newId, type UserId, type WalletId } from '../../../../src/kernel/ids.js';
import { NodeCalls } from '../../../../src/kernel/chain/node-calls.js';
import { Gate, type SigningRequest } from '../../../../src/modules/policy/index.js';
import { eventually } from '../../../support/eventually.js';
import { unique } from '../../../support/given.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { NATIVE_ASSETS } from '../../../support/native-assets.js';
import { Observer } from '../../../support/observer.js';
import { isRemembered, itOfRoundTrips, roundTripsOf } from '../../../support/statements.js';
import { asking, type Fields, PolicyApp } from '../../policy/policies.js';
import { Treasury } from '../../policy/treasury.js';
import { Batches, refusalOf } from '../batches.js';

const CHAINS: WalletType[] = ['ethereum', 'solana'];
const DECIMALS = { ethereum: 18, solana: 9 } as const;
const SIZE = 100;

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start();
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer.close();
  await money.stop();
});

/** A restricted key that may make two calls a second. */
async function slowKeyOf(app: Payer['app']): Promise<string> {
  const wanted = { kind: 'restricted', name: 'payouts', scopes: ['transfers:write'], rate: 2 };
  const { body, text } = await PolicyApp.at(money.app, app).manage('POST', '/keys', wanted);
  if (typeof body.key !== 'string') throw new Error(text);
  return body.key;
}

async function batchesOf(chain: WalletType, coins = 1_000n): Promise<Batches> {
  return new Batches(money, await money.payer(chain, coins));
}

interface Row {
  readonly status: string;
  readonly attempts: number;
  readonly nonce: string | null;
}

/** The transfers of an app, in the order of their creation. */
function rowsOf({ app }: Payer): Promise<Row[]> {
  return observer.rows(
    `select t.status, count(a.hash)::int as attempts, min(a.nonce) as nonce
       from transfers t left join transfer_attempts a on a.app_id = t.app_id and a.transfer_id = t.id
      where t.app_id = $1 group by t.id, t.status order by t.id`,
    [app.id],
  );
}

function completed(payer: Payer, count: number): Promise<void> {
  return eventually(async () => {
    await money.look();
    expect((await rowsOf(payer)).filter(({ status }) => status === 'completed')).toHaveLength(count);
  });
}

describe.each(CHAINS)('a batch on %s', (chain) => {
  const units = (text: string): bigint => parseUnits(text, DECIMALS[chain]);

  it(`pays each of its ${SIZE} items exactly once`, async () => {
    const batches = await batchesOf(chain);
    const { payer } = batches;
    const items = batches.items(SIZE, (index) => `0.0${101 + index}`);
    const created = await batches.created(items);
    expect(created.transfers.map(({ dest, dest_amount }: Fields) => [dest, dest_amount])).toEqual(
      items.map(({ dest, source_amount }) => [dest, source_amount.replace(/0+$/, '')]),
    );
    const fees = created.transfers.map(({ total_fees }: { total_fees: string }) => units(total_fees));
    expect(units(created.total_fees)).toBe(fees.reduce((sum: bigint, fee: bigint) => sum + fee, 0n));
    for (const { batch_id, status } of created.transfers)
      expect([batch_id, status]).toEqual([created.batch_id, 'unconfirmed']);

    const { status, body } = await batches.confirm(created.batch_id, { user_id: payer.userId });
    expect(status).toBe(200);
    expect(body.transfers.map(({ id }: Fields) => id)).toEqual(created.transfers.map(({ id }: Fields) => id));
    expect(body.transfers.map(({ stage }: Fields) => stage)).toEqual([
      ...Array(16).fill('signed'),
      ...Array(SIZE - 16).fill('queued'),
    ]);
    await completed(payer, SIZE);
    const rows = await rowsOf(payer);
    if (chain === 'ethereum') {
      const nonces = rows.map(({ nonce }) => Number(nonce));
      const all = items.map((_, index) => index);
      // Those that the confirmation signs have the order of the items.
      expect(nonces.slice(0, 16)).toEqual(all.slice(0, 16));
      expect(nonces.toSorted((a, b) => a - b)).toEqual(all);
      expect(rows.map(({ attempts }) => attempts)).toEqual(items.map(() => 1));
    }
    for (const { dest, source_amount } of items) expect(await money.balance(chain, dest)).toBe(units(source_amount));
    expect(await money.get(payer, created.transfers[0].id)).toMatchObject({ batch_id: created.batch_id });
    const events = await observer.rows(
      `select type, count(*)::int as number from stored_events where app_id = $1 and data->>'batch_id' = $2 group by type order by type`,
      [payer.app.id, created.batch_id],
    );
    expect(events).toEqual(
      ['completed', 'confirmed', 'pending', 'unconfirmed'].map((each) => ({ type: `transfer.${each}`, number: SIZE })),
    );
    // And never again.
    const again = await batches.confirm(created.batch_id);
    expect(again.body.transfers.map((transfer: Fields) => transfer['status'])).toEqual(items.map(() => 'completed'));
    expect((await rowsOf(payer)).map(({ attempts }) => attempts)).toEqual(rows.map(({ attempts }) => attempts));
  }, 200_000);

  it('is created only if the wallet covers all items together; the refusal names the first that it does not', async () => {
    const batches = await batchesOf(chain, 1n);
    const items = batches.items(10, () => '0.1');
    const refused = await batches.create(items);
    expect(refusalOf(refused)).toEqual([409, 'insufficient_funds', 9]);
    expect(refused.body.error_message).toMatch(/^items\[9\]: /);
    expect(await rowsOf(batches.payer)).toEqual([]);
    expect((await batches.create(items.slice(1))).status).toBe(200);
  });

  it('is confirmed only if the wallet covers all items together, beside what is open', async () => {
    const batches = await batchesOf(chain, 2n);
    const { payer } = batches;
    const created = await batches.created(batches.items(9, () => '0.1'));
    const one = await money.created(payer, { source_amount: '1.1' });
    // It counts in full until it is recorded as mined, and has left the balance then.
    expect((await money.confirm(payer, one.id)).status).toBe(200);
    expect(refusalOf(await batches.confirm(created.batch_id))).toEqual([409, 'insufficient_funds', 8]);
    const rows = await rowsOf(payer);
    expect(rows.slice(0, 9)).toEqual(Array(9).fill({ status: 'unconfirmed', attempts: 0, nonce: null }));
    await money.fund(chain, payer.address, 2n);
    expect((await batches.confirm(created.batch_id)).status).toBe(200);
    await completed(payer, 10);
  });

  it('is paid once, however many confirm it at the same time on two replicas', async () => {
    const replica = await money.replica();
    try {
      const batches = await batchesOf(chain);
      const items = batches.items(20);
      const { batch_id } = await batches.created(items);
      const answers = await observer.together(
        'sender_queues',
        [money.app, replica].map((app) => () => batches.confirm(batch_id, {}, app)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      await completed(batches.payer, 20);
      for (const { dest } of items) expect(await money.balance(chain, dest)).toBe(units('0.01'));
      expect((await rowsOf(batches.payer)).map(({ attempts }) => attempts)).toEqual(items.map(() => 1));
    } finally {
      await replica.stop();
    }
  });

  it('reads from the node once what its items have in common', async () => {
    const batches = await batchesOf(chain);
    const { calls } = money.proxies[chain];
    await batches.created(batches.items(1));
    const before = new Map(calls);
    await money.withoutTracker(async () => void (await batches.created(batches.items(SIZE))));
    const made = Object.fromEntries([...calls].map(([method, count]) => [method, count - (before.get(method) ?? 0)]));
    const { eth_estimateGas = 0, ...others } = made;
    expect(eth_estimateGas).toBe(chain === 'ethereum' ? SIZE : 0);
    const total = Object.values(others).reduce((sum, count) => sum + count, 0);
    expect(total).toBeLessThanOrEqual(12);
  });
});

describe('a batch', () => {
  let batches: Batches;
  beforeAll(async () => {
    batches = await batchesOf('ethereum');
  });

  it.each<[string, (items: Fields[]) => Fields[], unknown]>([
    ['no item', () => [], 400],
    ['more items than it may have', () => batches.items(SIZE + 1), 400],
    ['an amount without a number', ([item]) => [item!, { ...item, source_amount: 'max' }], [400, 'invalid_amount', 1]],
    ['a wrong address', ([item]) => [item!, { ...item, dest: '0x1' }], [400, 'invalid_address', 1]],
    [
      'its own wallet as a destination',
      ([item]) => [item!, { ...item, dest: batches.payer.address }],
      [400, 'invalid_destination', 1],
    ],
    [
      'a custom_id twice',
      ([item]) => [{ ...item, custom_id: 'a' }, item!, { ...item, custom_id: 'a' }],
      [409, 'duplicate_custom_id', 2],
    ],
  ])('with %s is refused, and nothing is stored', async (_, change, expected) => {
    const before = await rowsOf(batches.payer);
    const answer = await batches.create(change(batches.items(1)));
    expect(typeof expected === 'number' ? answer.status : refusalOf(answer)).toEqual(expected);
    expect(await rowsOf(batches.payer)).toEqual(before);
  });

  it('names the field of the item that is refused', async () => {
    const { body } = await batches.create([...batches.items(3), { ...batches.items(1)[0], source_amount: '1,5' }]);
    expect(body.errors).toMatchObject([{ field: 'items[3].source_amount', rule: 'invalid' }]);
  });

  it('with a custom_id of another transfer is refused, and nothing is stored', async () => {
    const custom_id = unique();
    const { id } = await money.created(batches.payer, { custom_id });
    const before = await rowsOf(batches.payer);
    const [first, second] = batches.items(2);
    const answer = await batches.create([first!, { ...second, custom_id }]);
    expect(refusalOf(answer)).toEqual([409, 'duplicate_custom_id', 1]);
    expect(answer.body.error_message).toContain(id);
    expect(await rowsOf(batches.payer)).toEqual(before);
  });

  it('is confirmed only as a whole: not one item alone', async () => {
    const { batch_id, transfers } = await batches.created(batches.items(2));
    const [first] = transfers;
    expect(refusalOf(await money.confirm(batches.payer, first.id))).toEqual([409, 'transfer_in_batch', null]);
    expect((await batches.confirm(batch_id)).status).toBe(200);
    await money.become(batches.payer, first.id, 'completed');
    expect((await money.confirm(batches.payer, first.id)).body.status).toBe('completed');
  });

  it.each(['cancelled', 'expired'])('of which an item was %s is refused', async (status) => {
    const { batch_id, transfers } = await batches.created(batches.items(3));
    const { id } = transfers[1];
    if (status === 'expired') await observer.rows('update transfers set expires_at = now() where id = $1', [id]);
    else await money.app.call('POST', `/v1/transfers/${id}/cancel`, { key: batches.payer.app.secretKey, body: {} });
    expect(refusalOf(await batches.confirm(batch_id))).toEqual([409, `transfer_${status}`, 1]);
    expect(await money.get(batches.payer, transfers[0].id)).toMatchObject({ status: 'unconfirmed', attempts: [] });
    expect((await batches.confirm(batch_id)).status).toBe(409);
  });

  it('of another owner, another app or an unknown one is refused', async () => {
    const { batch_id } = await batches.created(batches.items(1));
    expect(refusalOf(await batches.confirm(batch_id, { user_id: newId('user') }))).toEqual([
      403,
      'wallet_not_owned_by_user',
      null,
    ]);
    expect(refusalOf(await (await batchesOf('ethereum')).confirm(batch_id))).toEqual([404, 'batch_not_found', null]);
    expect(refusalOf(await batches.confirm(newId('batch')))).toEqual([404, 'batch_not_found', null]);
  });

  it('is created once with an Idempotency-Key', async () => {
    const { app, walletId: source } = batches.payer;
    const body = { source, source_currency: 'ethereum', items: batches.items(2) };
    const call = () =>
      money.app.call('POST', '/v1/transfers/create_batch', {
        key: app.secretKey,
        body,
        headers: { 'idempotency-key': 'one batch' },
      });
    expect((await call()).body.batch_id).toBe((await call()).body.batch_id);
  });

  it('counts in the rate of a restricted key as many calls as it has items', async () => {
    const { app, walletId: source } = batches.payer;
    // Sixty payments are the calls of thirty seconds, so that the next call is early on a slow machine, too.
    const key = await slowKeyOf(app);
    const call = (count: number) =>
      money.app.call('POST', '/v1/transfers/create_batch', {
        key,
        body: { source, source_currency: 'ethereum', items: batches.items(count) },
      });
    expect((await call(60)).status).toBe(200);
    const refused = await call(1);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10);
  });

  it('counts in the rate of a restricted key as many calls as the confirmation signs payments', async () => {
    const { app } = batches.payer;
    // Twenty payments are the calls of ten seconds, so that the next call is early on a slow machine, too.
    const key = await slowKeyOf(app);
    const { batch_id } = await batches.created(batches.items(20));
    const confirm = () =>
      money.app.call('POST', '/v1/transfers/confirm_batch', {
        key,
        body: { batch_id },
      });
    expect((await confirm()).status).toBe(200);
    expect((await confirm()).status).toBe(429);
  });

  it('is sent no longer than a confirmation may wait, and the tracker sends the rest', async () => {
    const { ethereum: proxy } = money.proxies;
    const sent = (): number => proxy.calls.get('eth_sendRawTransaction') ?? 0;
    const own = await batchesOf('ethereum');
    const replica = await money.replica({ ROLE: 'api', TRANSFER_CONFIRM_WAIT_SECONDS: '1' });
    proxy.fault = (method) => (method === 'eth_sendRawTransaction' ? 'late' : null);
    try {
      await money.withoutTracker(async () => {
        const { batch_id } = await own.created(own.items(16));
        const before = sent();
        const { status, body } = await own.confirm(batch_id, {}, replica);
        expect([status, body.transfers.length]).toEqual([200, 16]);
        expect(sent() - before).toBeGreaterThan(0);
        // Each takes 0.3 s.
        expect(sent() - before).toBeLessThan(8);
      });
    } finally {
      proxy.fault = () => null;
      await replica.stop();
    }
    await completed(own.payer, 16);
  });

  it('lets other calls run while its items are judged', async () => {
    const { app, walletId, userId, address: source } = batches.payer;
    const request: SigningRequest = {
      appId: app.id as AppId,
      wallet: { id: walletId as WalletId, userId: userId as UserId },
      keyId: null,
      use: { operation: 'transfer', asset: NATIVE_ASSETS.ethereum, dest: newAddress('ethereum'), amount: 1n, source },
    };
    const gate = money.app.nest.get(Gate, { strict: false });
    // The settings of the app are in memory from then on.
    await gate.open(request);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await gate.openBatch(Array<SigningRequest>(SIZE).fill(request));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  itOfRoundTrips('takes three round trips to the database until it is sent, as one transfer does', async () => {
    const impatient = await money.replica({ ROLE: 'api' });
    try {
      let fewest: number[] | undefined;
      await money.withoutTracker(async () => {
        for (let tries = 0; tries < 8 && fewest?.length !== 3; tries++) {
          const own = await batchesOf('ethereum');
          const { batch_id } = await own.created(own.items(SIZE));
          const trips = await roundTripsOf(() => own.confirm(batch_id, {}, impatient));
          const lengths = trips.filter((trip) => !trip.every(isRemembered)).map((trip) => trip.length);
          if (!fewest || lengths.length < fewest.length) fewest = lengths;
        }
      });
      expect(fewest).toEqual([1, 8, 2 + SIZE]);
    } finally {
      await impatient.stop();
    }
  });
});

describe('a batch under a policy', () => {
  async function ruled(rules: readonly Fields[]): Promise<Batches> {
    const batches = await batchesOf('ethereum');
    const policies = PolicyApp.at(money.app, batches.payer.app);
    const { status, text } = await policies.activate(await policies.version({ rules }));
    if (status !== 200) throw new Error(text);
    return batches;
  }
  const match = { operations: ['transfer'], assets: ['ethereum'] };
  const windowsOf = (windows: readonly Fields[]): Fields[] => [{ id: 'pays', effect: 'allow', match, windows }];

  it.each([
    ['amount', { seconds: 3_600, max_amount: '0.09' }, 'window_amount'],
    ['count', { seconds: 3_600, max_count: 9 }, 'window_count'],
  ])('that has room for 9 of 10 by %s is refused as a whole', async (_, window, reason) => {
    const batches = await ruled(windowsOf([window]));
    const { batch_id } = await batches.created(batches.items(10));
    const refused = await batches.confirm(batch_id);
    expect([refusalOf(refused), refused.body.reason]).toEqual([[403, 'policy_denied', 9], reason]);
    expect(await rowsOf(batches.payer)).toEqual(Array(10).fill({ status: 'unconfirmed', attempts: 0, nonce: null }));
    const spends = 'select count(*)::int as number from spend_events where app_id = $1';
    expect(await observer.rows(spends, [batches.payer.app.id])).toEqual([{ number: 0 }]);
    const fitting = await batches.created(batches.items(9));
    expect((await batches.confirm(fitting.batch_id)).status).toBe(200);
    expect(await observer.rows(spends, [batches.payer.app.id])).toEqual([{ number: 9 }]);
    await completed(batches.payer, 9);
    const decisions = await observer.rows(
      `select count(*)::int as number from policy_decisions d join transfers t on t.app_id = d.app_id and t.id = d.operation_id
        where d.app_id = $1 and d.outcome = 'allow' and t.status = 'completed' and t.decision_id is not null
        having count(distinct t.id) = 9`,
      [batches.payer.app.id],
    );
    expect(decisions).toHaveLength(1);
  });

  it('counts each destination apart where a window does', async () => {
    const batches = await ruled(windowsOf([{ seconds: 3_600, max_amount: '0.02', per: 'destination' }]));
    const [one, other] = batches.items(2);
    const fitting = await batches.created([one!, other!, one!, other!]);
    expect((await batches.confirm(fitting.batch_id)).status).toBe(200);
    const [third, fourth] = batches.items(2);
    const exceeding = await batches.created([third!, fourth!, third!, third!]);
    expect(refusalOf(await batches.confirm(exceeding.batch_id))).toEqual([403, 'policy_denied', 3]);
  });

  it('that counts in more windows than are counted at a time is refused when it is created and when it is confirmed', async () => {
    const windows = Array.from({ length: 3 }, (_, index) => ({ seconds: 60 + index, max_count: 1_000 }));
    const rules = Array.from({ length: 50 }, () => ({ effect: 'allow', match, windows }));
    const batches = await batchesOf('ethereum');
    const earlier = await batches.created(batches.items(67));
    const policies = PolicyApp.at(money.app, batches.payer.app);
    await policies.activate(await policies.version({ rules }));
    const tooLarge = [409, 'batch_too_large', null];
    expect(refusalOf(await batches.confirm(earlier.batch_id))).toEqual(tooLarge);
    expect(refusalOf(await batches.create(batches.items(67)))).toEqual(tooLarge);
    const { batch_id } = await batches.created(batches.items(66));
    expect((await batches.confirm(batch_id)).status).toBe(200);
  });

  it('two that fit alone and not together: one is confirmed, the other refused as a whole', async () => {
    const batches = await ruled(windowsOf([{ seconds: 3_600, max_amount: '0.1' }]));
    const [one, other] = [await batches.created(batches.items(6)), await batches.created(batches.items(6))];
    const answers = await observer.together(
      'spend_windows',
      [one, other].map(
        ({ batch_id }) =>
          () =>
            batches.confirm(batch_id),
      ),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 403]);
    await completed(batches.payer, 6);
  });

  it('that a rule denies for one item is refused at its creation', async () => {
    const dest = newAddress('ethereum');
    const batches = await ruled([{ effect: 'allow' }, { effect: 'deny', match: { ...match, destinations: [dest] } }]);
    const items = batches.items(2);
    expect(refusalOf(await batches.create([...items, { ...items[0], dest }]))).toEqual([403, 'policy_denied', 2]);
  });

  it('that needs an approval for one item is refused, when it is created and when it is confirmed', async () => {
    const asks = (group: string): Fields => ({ ...asking(group), match: { ...match, amount: { min: '0.5' } } });
    const { payer, policies, group } = await Treasury.of(money, observer, { rules: () => [{ effect: 'allow' }] });
    const batches = new Batches(money, payer);
    const items = batches.items(3, (index) => (index === 1 ? '0.5' : '0.1'));
    const earlier = await batches.created(items);
    await policies.activate(await policies.version({ rules: [{ effect: 'allow' }, asks(group)] }));
    expect(refusalOf(await batches.create(items))).toEqual([409, 'approval_required', 1]);
    expect(refusalOf(await batches.confirm(earlier.batch_id))).toEqual([409, 'approval_required', 1]);
    expect((await rowsOf(payer)).map(({ status }) => status)).toEqual(Array(3).fill('unconfirmed'));
  });
});

it('reads for its items through the slots that bound the app', async () => {
  const batches = await batchesOf('ethereum');
  let [runs, running, most] = [0, 0, 0];
  const nodeCalls = money.app.nest.get(NodeCalls, { strict: false });
  const run = nodeCalls.run.bind(nodeCalls);
  nodeCalls.run = (chain, appId, reads) => {
    runs++;
    return run(chain, appId, async () => {
      most = Math.max(most, ++running);
      try {
        return await reads();
      } finally {
        running--;
      }
    });
  };
  try {
    await batches.created(batches.items(SIZE));
  } finally {
    nodeCalls.run = run;
  }
  // A slot for each item: none reads beside the slots.
  expect(runs).toBe(SIZE);
  expect(most).toBeLessThanOrEqual(64);
  expect(most).toBeGreaterThan(1);
});
