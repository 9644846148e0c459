import { MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually, patiently } from '../../../support/eventually.js';
import { Money, newAddress, type Payer } from '../../../support/money.js';
import { Observer } from '../../../support/observer.js';
import { planOf, rowsRead } from '../../../support/plans.js';
import { signRows } from '../../../support/row-macs.js';
import { statementsOf } from '../../../support/statements.js';
import { checkBudgets } from '../budget-history.js';

let money: Money;
let observer: Observer;

beforeAll(async () => {
  money = await Money.start({ ethereum: { blockTime: 'never' }, env: { TRANSFER_CONFIRM_WAIT_SECONDS: '0' } });
  observer = await Observer.of(money.app);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
});

type Body = Record<string, unknown>;

async function manage(payer: Payer, path: string, body?: Body) {
  const url = `/management/v1/apps/${payer.app.id}${path}`;
  return money.app.call(body ? 'POST' : 'GET', url, { key: MANAGEMENT_KEY, ...(body && { body }) });
}

/** Puts a policy of the whole app in force. */
async function inForce(payer: Payer, rules: readonly Body[], name = 'main', scope?: Body): Promise<string> {
  const body = { name, scope: scope ?? { kind: 'app', id: payer.app.id }, rules };
  const stored = await manage(payer, '/policies', body);
  expect([stored.status, stored.text]).toEqual([200, expect.any(String)]);
  const { status, text } = await manage(payer, `/policies/${stored.body.id}/activate`, {});
  expect([status, text]).toEqual([200, expect.any(String)]);
  return stored.body.id;
}

const ofEther = (windows: readonly Body[], effect = 'allow') => ({
  id: 'pays',
  effect,
  match: { operations: ['transfer'], assets: ['ethereum'] },
  windows,
});

const refusalOf = ({ status, body }: { status: number; body: Body }) => [status, body['error_type'], body['reason']];

describe('a budget', () => {
  it('is spent to the unit, however many confirm at once', async () => {
    const payer = await money.payer('ethereum', 1_000n);
    await inForce(payer, [ofEther([{ seconds: 3_600, max_amount: '1.37', max_count: 100 }])]);
    const created = await Promise.all(Array.from({ length: 30 }, () => money.created(payer, { source_amount: '0.1' })));
    const answers = await Promise.all(created.map(({ id }) => patiently(() => money.confirm(payer, id))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(13);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(refusalOf(answer)).toEqual([403, 'policy_denied', 'window_amount']);
    const [{ id: rest }] = [await money.created(payer, { source_amount: '0.07' })];
    expect((await money.confirm(payer, rest)).status).toBe(200);
    const [{ id: one }] = [await money.created(payer, { source_amount: '0.000000000000000001', allow_high_fee: true })];
    expect(refusalOf(await money.confirm(payer, one))).toEqual([403, 'policy_denied', 'window_amount']);
  });

  it('is given back when a transfer is cancelled, and counts when it was paid', async () => {
    const payer = await money.payer('ethereum', 100n);
    await inForce(payer, [ofEther([{ seconds: 60, max_count: 17 }])]);
    const transfers = await Promise.all(
      Array.from({ length: 18 }, () => money.created(payer, { source_amount: '0.1' })),
    );
    const ids: string[] = transfers.map(({ id }) => id);
    // The sender queue signs sixteen, so the seventeenth waits in it and can be cancelled.
    for (const id of ids.slice(0, 17)) expect((await money.confirm(payer, id)).status).toBe(200);
    expect(refusalOf(await money.confirm(payer, ids[17]!))).toEqual([403, 'policy_denied', 'window_count']);
    expect(
      (await money.app.call('POST', `/v1/transfers/${ids[16]!}/cancel`, { key: payer.app.secretKey })).body.status,
    ).toBe('cancelled');
    expect((await money.confirm(payer, ids[17]!)).status).toBe(200);
    await eventually(async () => {
      await money.anvil.mine();
      await money.look();
      const open = await observer.rows('select 1 from spend_events where app_id = $1 and is_held', [payer.app.id]);
      expect(open).toHaveLength(0);
    });
    const rows = await observer.rows<{ released: boolean }>(
      'select released_at is not null as released from spend_events where app_id = $1',
      [payer.app.id],
    );
    expect(rows.filter(({ released }) => released)).toHaveLength(1);
    expect(rows).toHaveLength(18);
  });

  it('is summed without reading the events of its windows each time', async () => {
    const payer = await money.payer('ethereum');
    const windows = Array.from({ length: 8 }, (_, index) => ({ seconds: 3_600 - index, max_count: 5_003 }));
    const apart = windows.map((window) => ({ ...window, per: 'destination' }));
    await inForce(payer, [ofEther([...windows.slice(4), ...apart.slice(4)])]);
    const dest = newAddress('ethereum');
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push((await money.created(payer, { dest })).id);
    expect((await money.confirm(payer, ids[0]!)).status).toBe(200);
    await observer.rows(
      `insert into spend_events
       select (jsonb_populate_record(e, jsonb_build_object(
                'operation_id', 'earlier' || i, 'is_held', false, 'at', now() - make_interval(secs => case when i <= 5000 then 0 else 3600 end)))).*
         from spend_events e, generate_series(1, 10000) i where e.app_id = $1`,
      [payer.app.id],
    );
    await signRows(money.app, 'spend_events');
    await observer.rows('delete from spend_sums where app_id = $1', [payer.app.id]);
    await observer.rows('analyze spend_events, spend_sums');
    expect((await money.confirm(payer, ids[1]!)).status).toBe(200);
    const sent = await statementsOf(async () => expect((await money.confirm(payer, ids[2]!)).status).toBe(200));
    const sum = sent.find(({ text }) => text.includes('join spend_sums'))!;
    expect(rowsRead(await planOf(money.app, sum))).toBeLessThan(100);
    expect(refusalOf(await money.confirm(payer, ids[3]!))).toEqual([403, 'policy_denied', 'window_count']);
    await observer.rows(`delete from spend_events where app_id = $1 and operation_id like 'earlier%'`, [payer.app.id]);
    await observer.rows(`delete from policy_decisions where app_id = $1 and outcome = 'deny'`, [payer.app.id]);
    await observer.rows('delete from spend_sums where app_id = $1', [payer.app.id]);
  });

  it('bounds the fees of a transaction that is signed for a caller, which are no part of the amount', async () => {
    const payer = await money.payer('ethereum');
    const GWEI = 10n ** 9n;
    const transaction = (gas: bigint, price: bigint, tip = 0n) => ({
      to: newAddress('ethereum'),
      value: '1',
      nonce: 0,
      gas: String(gas),
      maxFeePerGas: String(price * GWEI),
      maxPriorityFeePerGas: String(tip * GWEI),
      chainId: money.anvil.chainId,
    });
    const signed = (...fees: Parameters<typeof transaction>) =>
      money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
        key: payer.app.secretKey,
        body: { eth_transaction: transaction(...fees) },
      });
    const evaluated = (...fees: Parameters<typeof transaction>) => {
      const use = { operation: 'sign_transaction', eth_transaction: transaction(...fees) };
      return manage(payer, '/policies/evaluate', { wallet_id: payer.walletId, ...use });
    };
    // 0.075 ether, which no policy bounds; then the ceilings of the operator.
    expect((await signed(300_000n, 250n)).status).toBe(200);
    expect(refusalOf(await signed(21_000n, 501n))).toEqual([409, 'fee_too_high', undefined]);
    expect(refusalOf(await signed(21_000n, 500n, 51n))).toEqual([409, 'fee_too_high', undefined]);

    const match = { operations: ['sign_transaction'], assets: ['ethereum'] };
    const window = { seconds: 3_600, max_amount: '0.01' };
    for (const rule of [{ match, windows: [window] }, { match: { ...match, amount: { max: '0.01' } } }]) {
      await inForce(payer, [{ id: 'signs', effect: 'allow', ...rule }]);
      expect((await signed(200_000n, 250n)).status).toBe(200);
      const refused = await signed(200_001n, 250n);
      expect(refusalOf(refused)).toEqual([403, 'fee_limit_exceeded', undefined]);
      expect(refused.body.error_message).toContain('0.05 ETH');
      expect((await evaluated(200_000n, 250n)).body).toMatchObject({ outcome: 'allow', reason: '' });
      expect((await evaluated(200_001n, 250n)).body).toMatchObject({ outcome: 'deny', reason: 'fee_limit_exceeded' });
    }
    const spent = await observer.rows<{ amount: string }>('select amount::text from spend_events where app_id = $1', [
      payer.app.id,
    ]);
    expect(spent).toEqual([{ amount: '1' }]);
    // The budget of the first rule is used up, and the second one bounds no amount.
    await inForce(payer, [
      { id: 'signs', effect: 'allow', match, windows: [{ seconds: 3_600, max_amount: '0.000000000000000001' }] },
      { id: 'counts', effect: 'allow', match, windows: [{ seconds: 3_600, max_count: 9 }] },
    ]);
    expect((await signed(300_000n, 250n)).status).toBe(200);

    await inForce(payer, [{ id: 'signs', effect: 'allow', match, windows: [window] }]);
    const max_fees = [{ currency: 'ethereum', max_fee: '0.07' }];
    await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: money.app.managementKey,
      body: { transfer_policy: { max_fees } },
    });
    await eventually(async () => expect((await signed(280_000n, 250n)).status).toBe(200));
    expect(refusalOf(await signed(280_001n, 250n))).toEqual([403, 'fee_limit_exceeded', undefined]);
    expect((await evaluated(280_001n, 250n)).body).toEqual({
      outcome: 'deny',
      reason: 'fee_limit_exceeded',
      policy_id: null,
      version: null,
      rule_id: null,
      windows: [],
    });
  });

  it('of a new version of the policy is not filled again', async () => {
    const payer = await money.payer('ethereum', 100n);
    const rules = [ofEther([{ seconds: 3_600, max_amount: '1' }])];
    await inForce(payer, rules);
    const { id } = await money.created(payer, { source_amount: '0.9' });
    expect((await money.confirm(payer, id)).status).toBe(200);
    await inForce(payer, rules);
    const { id: second } = await money.created(payer, { source_amount: '0.2' });
    expect(refusalOf(await money.confirm(payer, second))).toEqual([403, 'policy_denied', 'window_amount']);
  });
});

describe('a policy', () => {
  it('judges every use of a key, and a request that no rule allows is refused before a quote', async () => {
    const payer = await money.payer('ethereum', 10n);
    const dest = newAddress('ethereum');
    await inForce(payer, [{ effect: 'allow', match: { operations: ['transfer'], destinations: [dest] } }]);
    await eventually(async () =>
      expect(refusalOf(await money.create(payer))).toEqual([403, 'policy_denied', 'no_rule']),
    );
    expect((await money.create(payer, { dest })).status).toBe(200);
    for (const [path, body] of [
      ['sign_message', { message: 'Hello' }],
      ['export', { encryption_public_key: Buffer.alloc(65, 4).toString('base64') }],
    ] as const)
      expect(
        refusalOf(
          await money.app.call('POST', `/v1/wallets/${payer.walletId}/${path}`, { key: payer.app.secretKey, body }),
        ),
      ).toEqual([403, 'policy_denied', 'no_rule']);
  });

  it('that is activated holds for every confirmation that comes after', async () => {
    const payer = await money.payer('ethereum', 10n);
    const created = await money.created(payer);
    await inForce(payer, [{ effect: 'deny', match: {} }]);
    expect(refusalOf(await money.confirm(payer, created.id))).toEqual([403, 'policy_denied', 'denied_by_rule']);
    const signed = await money.app.call('POST', `/v1/wallets/${payer.walletId}/sign_message`, {
      key: payer.app.secretKey,
      body: { message: 'Hello' },
    });
    expect(refusalOf(signed)).toEqual([403, 'policy_denied', 'denied_by_rule']);
  });
});

describe('a frozen app', () => {
  it('signs nothing until it is thawed, and its queued transfers wait', async () => {
    const payer = await money.payer('ethereum', 100n);
    const created = await Promise.all(Array.from({ length: 19 }, () => money.created(payer, { source_amount: '0.1' })));
    const ids: string[] = created.map(({ id }) => id);
    for (const id of ids.slice(0, 17)) expect((await money.confirm(payer, id)).status).toBe(200);
    const frozen = await manage(payer, '/freeze', {});
    expect(frozen.body).toEqual({ app_id: payer.app.id, frozen_at: expect.any(Number) });
    expect((await manage(payer, '/freeze', {})).body).toEqual(frozen.body);
    const app = await money.app.call('GET', `/management/v1/apps/${payer.app.id}`, { key: money.app.managementKey });
    expect(app.body.frozen_at).toBe(frozen.body.frozen_at);
    expect(refusalOf(await money.confirm(payer, ids[17]!))).toEqual([403, 'app_frozen', undefined]);
    for (const [path, body] of [
      ['sign_message', { message: 'Hello' }],
      ['export', { encryption_public_key: Buffer.alloc(65, 4).toString('base64') }],
    ] as const) {
      const url = `/v1/wallets/${payer.walletId}/${path}`;
      const answer = await money.app.call('POST', url, { key: payer.app.secretKey, body });
      expect(refusalOf(answer)).toEqual([403, 'app_frozen', undefined]);
    }
    await money.anvil.mine();
    await eventually(async () => {
      await money.look();
      expect(await money.get(payer, ids[16]!)).toMatchObject({ stage: 'queued', status: 'pending' });
      const done = await Promise.all(ids.slice(0, 16).map((id) => money.get(payer, id)));
      expect(done.every(({ status }) => status === 'completed')).toBe(true);
    });
    expect((await manage(payer, '/thaw', {})).body).toEqual({ app_id: payer.app.id, frozen_at: 0 });
    expect((await money.confirm(payer, ids[18]!)).status).toBe(200);
    await eventually(async () => {
      await money.anvil.mine();
      await money.look();
      expect(await money.get(payer, ids[16]!)).toMatchObject({ status: 'completed' });
    });
  });

  it('stops every confirmation that comes after the answer, on every replica', async () => {
    const replica = await money.replica();
    try {
      const payer = await money.payer('ethereum', 100n);
      const created = await Promise.all(
        Array.from({ length: 12 }, () => money.created(payer, { source_amount: '0.1' })),
      );
      await money.confirm(payer, created[0].id, {}, replica);
      const racing = Promise.all(
        created.slice(1, 8).map(({ id }, i) => money.confirm(payer, id, {}, i % 2 ? replica : money.app)),
      );
      await manage(payer, '/freeze', {});
      const attempts = await observer.rows('select 1 from transfer_attempts where app_id = $1', [payer.app.id]);
      const late = await Promise.all(created.slice(8).map(({ id }) => money.confirm(payer, id, {}, replica)));
      for (const answer of late) expect(refusalOf(answer)).toEqual([403, 'app_frozen', undefined]);
      await racing;
      expect(await observer.rows('select 1 from transfer_attempts where app_id = $1', [payer.app.id])).toHaveLength(
        attempts.length,
      );
    } finally {
      await replica.stop();
    }
  });
});

describe('the decisions', () => {
  it('are stored with rule, reason and facts, and are those of evaluate', async () => {
    const payer = await money.payer('ethereum', 10n);
    const policyId = await inForce(payer, [ofEther([{ seconds: 3_600, max_amount: '1', max_count: 5 }])]);
    const dest = newAddress('ethereum');
    const { id } = await money.created(payer, { source_amount: '0.75', dest });
    expect((await money.confirm(payer, id)).status).toBe(200);
    const asked = { operation: 'transfer', wallet_id: payer.walletId, dest, source_currency: 'ETH' };
    const evaluate = (source_amount: string) => manage(payer, '/policies/evaluate', { ...asked, source_amount });
    const by = { policy_id: policyId, version: 1, rule_id: 'pays' };
    expect((await evaluate('0.25')).body).toEqual({
      ...by,
      outcome: 'allow',
      reason: '',
      windows: [
        expect.objectContaining({ bounds: 'amount', used: '0', held: '0.75', limit: '1', ends_at: 0, destination: '' }),
        expect.objectContaining({ bounds: 'count', used: '0', held: '1', limit: '5' }),
      ],
    });
    expect((await evaluate('0.250000000000000001')).body).toMatchObject({
      ...by,
      outcome: 'deny',
      reason: 'window_amount',
    });
    const second = await money.created(payer, { source_amount: '0.3', dest });
    expect((await money.confirm(payer, second.id)).status).toBe(403);
    const { body } = await manage(payer, '/policies/decisions');
    expect(body.decisions).toHaveLength(2);
    expect(body.decisions[0]).toMatchObject({ ...by, outcome: 'deny', reason: 'window_amount', operation: 'transfer' });
    expect(body.decisions[1]).toMatchObject({
      ...by,
      outcome: 'allow',
      reason: '',
      wallet_id: payer.walletId,
      actor: expect.stringMatching(/^key_/),
      facts: {
        network: 'ethereum',
        moves: [{ network: 'ethereum', token: '', destination: dest, amount: '750000000000000000' }],
        is_delegation: false,
      },
    });
    const own = await money.app.call('GET', '/v1/policies/decisions', {
      key: payer.app.secretKey,
      query: { outcome: 'deny' },
    });
    expect(own.body.decisions.map(({ id }: { id: string }) => id)).toEqual([body.decisions[0].id]);
  });
});

it('no test has exceeded, lost or refused a budget without cause', async () => {
  const histories = await checkBudgets((sql, parameters) => observer.rows(sql, parameters));
  expect(histories.flatMap(({ spends }) => spends).length).toBeGreaterThan(30);
});
