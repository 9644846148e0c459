import { parseEther, Transaction, Wallet } from 'ethers';
import { EndpointChecks } from '../../../../src/modules/chain/index.js';
import { Chains } from '../../../../src/kernel/chain/chain.js';
import type { AppId } from '../../../../src/kernel/ids.js';
import { MarkUnserved } from '../../../../src/modules/transfer/tracking/application/mark-unserved.js';
import { ReconcileBooks } from '../../../../src/modules/transfer/index.js';
import { PolicyRepository } from '../../../../src/modules/policy/rules/domain/policy.repository.js';
import { Database } from '../../../../src/postgres/database.js';
import { Anvil } from '../../../support/anvil.js';
import type { Answer, TestApp } from '../../../support/app.js';
import { ChainProxy } from '../../../support/chain-proxy.js';
import { eventually } from '../../../support/eventually.js';
import type { GivenApp } from '../../../support/given.js';
import { ETH, Money, newAddress, type Payer } from '../../../support/money.js';
import { OpNode } from '../../../support/op-node.js';
import { Observer } from '../../../support/observer.js';
import { Batches, refusalOf } from '../batches.js';
import { signRows } from '../../../support/row-macs.js';

let op: OpNode;
let base: ChainProxy;
let money: Money;

beforeAll(async () => {
  op = await OpNode.start({ mines: true });
  base = await ChainProxy.start(op.url);
  money = await Money.start({ env: { NETWORKS: networks(), TRANSFER_CONFIRM_WAIT_SECONDS: '2' } });
});
afterAll(async () => {
  await money.stop();
  await base.stop();
  await op.stop();
});
afterEach(() => {
  base.fault = () => null;
  base.gate = Promise.resolve();
  base.target = op.url;
  money.proxies.ethereum.fault = () => null;
});

const networks = (): string =>
  JSON.stringify({
    base: {
      id: 'eip155:8453',
      kind: 'op',
      rpc: [base.url],
      finality: 0,
      explorer: 'https://base.example/tx/{hash}',
      max_fee_per_gas: '7',
    },
  });

const refusal = ({ status, body }: Answer) => [status, body.error_type];
const change = (app: GivenApp, body: Record<string, unknown>): Promise<Answer> =>
  money.app.call('PATCH', `/management/v1/apps/${app.id}`, { key: money.app.managementKey, body });

/** A payer that has coins on both networks, of an app that may use them. */
async function payerOnBoth(coins = 10n): Promise<Payer> {
  const payer = await money.payer('ethereum', coins);
  await op.fund(payer.address, coins * ETH);
  expect((await change(payer.app, { networks: ['ethereum', 'base', 'solana'] })).status).toBe(200);
  return payer;
}
const onBase = { network: 'base', source_currency: 'ETH', dest_currency: undefined };
const call = (payer: Payer, method: string, path: string, body?: Record<string, unknown>): Promise<Answer> =>
  money.app.call(method, path, { key: payer.app.secretKey, body });
const listed = async (payer: Payer) =>
  Object.fromEntries(
    (await call(payer, 'GET', '/v1/networks')).body.networks.map((network: { name: string }) => [
      network.name,
      network,
    ]),
  );
const signedFor = (payer: Payer, chainId: number, value = '1', maxFeePerGas = '8000000000'): Promise<Answer> => {
  const fees = { gas: 21_000, maxFeePerGas, maxPriorityFeePerGas: '1' };
  const eth_transaction = { to: newAddress('ethereum'), value, chainId, nonce: 0, ...fees };
  return call(payer, 'POST', `/v1/wallets/${payer.walletId}/sign_transaction`, { eth_transaction });
};
const check = (): Promise<void> => money.app.nest.get(Chains, { strict: false }).checkEndpoints();

async function completed(payer: Payer, fields: Record<string, unknown>): Promise<Record<string, string>> {
  const { id } = await money.created(payer, fields);
  expect((await money.confirm(payer, id)).status).toBe(200);
  return money.become(payer, id, 'completed');
}

describe('an app on several networks', () => {
  it('pays on both from one address at one time, with one nonce, each payment once', async () => {
    const payer = await payerOnBoth();
    const dest = newAddress('ethereum');
    const first = await money.created(payer, { dest });
    const second = await money.created(payer, { dest, source_amount: '0.25', ...onBase });
    expect([first.network, second.network]).toEqual(['ethereum', 'base']);
    expect(second.source_currency).toBe('base');
    const callers = [first, first, second, second].map(({ id }) => money.confirm(payer, id));
    for (const { status } of await Promise.all(callers)) expect(status).toBe(200);
    const ends = [await money.become(payer, first.id, 'completed'), await money.become(payer, second.id, 'completed')];
    expect(ends.map(({ attempts }) => attempts.map(({ nonce }: { nonce: number }) => nonce))).toEqual([[0], [0]]);
    expect(await money.balance('ethereum', dest)).toBe(parseEther('0.5'));
    expect(await op.balance(dest)).toBe(parseEther('0.25'));
    expect(await op.balance(payer.address)).toBe(10n * ETH - parseEther('0.25') - parseEther(ends[1].total_fees));
    expect(await money.balance('ethereum', payer.address)).toBe(
      10n * ETH - parseEther('0.5') - parseEther(ends[0].total_fees),
    );
  });

  it('pays a batch on the named network', async () => {
    const payer = await payerOnBoth();
    const batches = new Batches(money, payer);
    const items = batches.items(3);
    const onNoNetwork = { network: 'elsewhere', source_currency: 'ETH' };
    expect(refusalOf(await batches.create(items, onNoNetwork))).toEqual([400, 'network_not_enabled', null]);
    const { batch_id, transfers } = await batches.created(items, { network: 'base', source_currency: 'ETH' });
    await change(payer.app, { networks: ['ethereum'] });
    await eventually(async () =>
      expect(refusalOf(await batches.confirm(batch_id))).toEqual([400, 'network_not_enabled', null]),
    );
    await change(payer.app, { networks: ['base'] });
    await eventually(async () => expect((await batches.confirm(batch_id)).status).toBe(200));
    for (const { id } of transfers)
      expect(await money.become(payer, id, 'completed')).toMatchObject({ network: 'base', source_currency: 'base' });
    for (const { dest } of items) expect(await op.balance(dest)).toBe(parseEther('0.01'));
    expect(await money.balance('ethereum', payer.address)).toBe(10n * ETH);
  });

  it('reads the balance of each network, and names it in transfers and events', async () => {
    const payer = await payerOnBoth();
    await op.fund(payer.address, 3n * ETH);
    const balance = async (fields: object) =>
      (await call(payer, 'POST', '/v1/wallets/balance', { wallet_id: payer.walletId, ...fields })).body;
    expect(await balance({ token_symbol: 'ETH' })).toMatchObject({ balance: '10', network: 'ethereum' });
    expect(await balance({ token_symbol: 'base' })).toMatchObject({ balance: '3', network: 'base' });
    expect(await balance({ token_symbol: 'ETH', network: 'base' })).toMatchObject({ balance: '3', network: 'base' });
    const { id, network } = await completed(payer, onBase);
    expect(network).toBe('base');
    await eventually(async () => {
      const { body } = await money.app.call('GET', '/v1/events', { key: payer.app.secretKey });
      const ofTransfer = body.events.filter(({ data }: { data: { transfer_id?: string } }) => data.transfer_id === id);
      expect(ofTransfer.length).toBeGreaterThan(1);
      for (const { data } of ofTransfer) expect(data.network).toBe('base');
    });
    const managed = await money.app.call('GET', `/management/v1/apps/${payer.app.id}/transfers/${id}`, {
      key: money.app.managementKey,
    });
    expect(managed.body).toMatchObject({ network: 'base', network_id: 'eip155:8453' });
  });

  it('lists all networks, and whether it may use them', async () => {
    const payer = await money.payer('ethereum');
    await check();
    expect((await listed(payer))['base']).toEqual({
      name: 'base',
      id: 'eip155:8453',
      kind: 'op',
      wallet_type: 'ethereum',
      native_currency: { symbol: 'ETH', decimals: 18 },
      explorer: 'https://base.example/tx/{hash}',
      enabled: false,
      status: 'ok',
    });
    await change(payer.app, { networks: ['base'] });
    await eventually(async () =>
      expect(Object.values(await listed(payer))).toMatchObject([
        { name: 'ethereum', enabled: false },
        { name: 'solana', enabled: false, id: expect.stringMatching(/^solana:\w{32}$/) },
        { name: 'base', enabled: true },
      ]),
    );
  });
});

describe('a network that is not enabled', () => {
  it('is refused everywhere, like one that does not exist', async () => {
    const payer = await money.payer('ethereum');
    for (const network of ['base', 'elsewhere']) {
      const refused = [
        await money.create(payer, { ...onBase, network }),
        await call(payer, 'POST', '/v1/wallets/balance', { wallet_id: payer.walletId, token_symbol: 'ETH', network }),
      ];
      for (const answer of refused) expect(refusal(answer)).toEqual([400, 'network_not_enabled']);
    }
    expect(refusal(await money.create(payer, { source_currency: 'base', dest_currency: undefined }))).toEqual([
      400,
      'network_not_enabled',
    ]);
    for (const chainId of [8453, 5]) {
      const eth_transaction = { to: newAddress('ethereum'), value: '1', chainId, nonce: 0, gas: 21_000 };
      const fees = { maxFeePerGas: '1000000000', maxPriorityFeePerGas: '1000000000' };
      const answer = await call(payer, 'POST', `/v1/wallets/${payer.walletId}/sign_transaction`, {
        eth_transaction: { ...eth_transaction, ...fees },
      });
      expect(refusal(answer)).toEqual([400, 'network_not_enabled']);
    }
  });

  it('cannot be set under a name that the service does not have', async () => {
    const payer = await money.payer('ethereum');
    const { status, body } = await change(payer.app, { networks: ['base', 'elsewhere'] });
    expect([status, body.errors[0].field]).toEqual([400, 'networks[1]']);
    expect((await change(payer.app, { networks: ['base'] })).body.networks).toEqual(['base']);
    expect((await change(payer.app, { networks: null })).body.networks).toBeNull();
  });

  it('confirms no transfer that was created before; one that was confirmed goes on', async () => {
    const payer = await payerOnBoth();
    const dest = newAddress('ethereum');
    await op.setMining(false);
    const confirmed = await money.created(payer, { dest, ...onBase });
    const created = await money.created(payer, { dest, ...onBase });
    expect((await money.confirm(payer, confirmed.id)).body.status).toBe('pending');
    await change(payer.app, { networks: null });
    await eventually(async () =>
      expect(refusal(await money.confirm(payer, created.id))).toEqual([400, 'network_not_enabled']),
    );
    await op.setMining(true);
    await money.become(payer, confirmed.id, 'completed');
    expect((await money.confirm(payer, confirmed.id)).body.status).toBe('completed');
    expect(await op.balance(dest)).toBe(parseEther('0.5'));
    await change(payer.app, { networks: ['base'] });
    await eventually(async () => expect((await money.confirm(payer, created.id)).status).toBe(200));
    await money.become(payer, created.id, 'completed');
    expect(await op.balance(dest)).toBe(parseEther('1'));
  });
});

describe('a currency', () => {
  const asset = (network: string, token: string, name = 'coupon', symbol = 'CPN') => ({
    network,
    name,
    symbol,
    decimals: 6,
    token,
  });

  it('must be one of the named network', async () => {
    const payer = await payerOnBoth();
    const contradictions = [
      { network: 'base', source_currency: 'ethereum' },
      { network: 'ethereum', source_currency: 'base' },
      { network: 'base', source_currency: 'SOL' },
      { network: 'base', source_currency: 'ETH', dest_currency: 'ethereum' },
      { source_currency: 'base', dest_currency: 'ethereum' },
      { network: 'solana', source_currency: 'solana' },
    ];
    for (const fields of contradictions)
      expect(refusal(await money.create(payer, { dest_currency: undefined, ...fields }))).toEqual([
        400,
        'unsupported_currency',
      ]);
    expect(await money.created(payer, { source_currency: 'ETH', dest_currency: 'ethereum' })).toMatchObject({
      network: 'ethereum',
      source_currency: 'ethereum',
    });
    expect(await money.created(payer, { ...onBase, source_currency: 'base' })).toMatchObject({
      network: 'base',
      dest_currency: 'base',
    });
  });

  it('that several networks have needs the name of one', async () => {
    const payer = await payerOnBoth();
    const here = await money.anvil.deployToken(payer.address, 5_000_000n);
    const there = await op.deployToken(payer.address, 7_000_000n);
    const saved = await change(payer.app, { assets: [asset('ethereum', here), asset('base', there)] });
    expect(saved.body.assets).toMatchObject([
      { network: 'ethereum', chain: 'ethereum' },
      { network: 'base', chain: 'base' },
    ]);
    const coupons = { source_currency: 'coupon', dest_currency: undefined };
    await eventually(async () => {
      const { status, body } = await money.create(payer, coupons);
      expect([status, body.error_type, body.detail]).toEqual([
        400,
        'unsupported_currency',
        'Several networks have a currency of this name. Name the network.',
      ]);
    });
    const dest = newAddress('ethereum');
    const { network } = await completed(payer, { ...coupons, dest, network: 'base' });
    expect(network).toBe('base');
    const held = (address: string) =>
      op.call<string>('eth_call', { to: there, data: `0x70a08231${address.slice(2).padStart(64, '0')}` }, 'latest');
    expect(BigInt(await held(dest))).toBe(500_000n);
    expect(BigInt(await held(payer.address))).toBe(6_500_000n);
    await change(payer.app, { networks: ['ethereum'] });
    await eventually(async () => expect((await money.created(payer, coupons)).network).toBe('ethereum'));
  });

  it.each([
    ['a network that does not exist', { network: 'elsewhere' }],
    ['no network', { network: undefined }],
    ['two networks', { network: 'base', chain: 'ethereum' }],
    ['the name of a network', { network: 'ethereum', name: 'base' }],
    ['the symbol that is the name of a network', { network: 'ethereum', symbol: 'BASE' }],
    ['an address of another type', { network: 'solana' }],
  ])('is not listed with %s', async (_, fields) => {
    const { app } = await money.payer('ethereum');
    const listing = { ...asset('base', newAddress('ethereum')), ...fields };
    const { status, body } = await change(app, { assets: [listing] });
    expect([status, body.error_type]).toEqual([400, 'invalid_asset']);
    expect(
      (await change(app, { assets: [{ ...listing, ...asset('', newAddress('ethereum')), network: 'base' }] })).status,
    ).toBe('chain' in fields ? 400 : 200);
  });
});

describe('the bounds of an app', () => {
  it('hold for the coin of their network alone', async () => {
    const payer = await payerOnBoth();
    const fees = [
      { currency: 'base', max_fee: '0' },
      { currency: 'ETH', max_fee: '1' },
    ];
    const policy = { max_fees: fees, max_amounts: [{ currency: 'ethereum', max_amount: '0.1' }] };
    const { body } = await change(payer.app, { transfer_policy: policy });
    expect(body.transfer_policy.max_fees).toEqual([fees[0], { currency: 'ethereum', max_fee: '1' }]);
    await eventually(async () =>
      expect(refusal(await money.create(payer, onBase))).toEqual([403, 'fee_limit_exceeded']),
    );
    expect(refusal(await money.create(payer))).toEqual([403, 'transfer_limit_exceeded']);
    expect((await money.create(payer, { source_amount: '0.1' })).status).toBe(200);
    await change(payer.app, { transfer_policy: { ...policy, max_fees: null } });
    await eventually(async () => expect((await money.create(payer, onBase)).status).toBe(200));
    const unknown = { transfer_policy: { max_fees: [{ currency: 'elsewhere', max_fee: '1' }] } };
    expect(refusal(await change(payer.app, unknown))).toEqual([400, 'invalid_asset']);
  });

  it('named by a symbol hold for its coin on all networks, also in a transaction of the caller', async () => {
    const payer = await payerOnBoth();
    const ofOneWei = [{ currency: 'ETH', max_amount: '0.000000000000000001' }];
    const policy = { max_amounts: ofOneWei, max_fees: [{ currency: 'base', max_fee: '1' }] };
    await change(payer.app, { transfer_policy: policy });
    await eventually(async () =>
      expect(refusal(await money.create(payer, onBase))).toEqual([403, 'transfer_limit_exceeded']),
    );
    expect(refusal(await money.create(payer))).toEqual([403, 'transfer_limit_exceeded']);
    expect(refusal(await signedFor(payer, 8453, '2'))).toEqual([403, 'transfer_limit_exceeded']);
  });

  it('hold for the fees of a caller: the ceiling is that of the network', async () => {
    const payer = await payerOnBoth();
    const sign = (chainId: number) => signedFor(payer, chainId);
    expect(refusal(await sign(8453))).toEqual([409, 'fee_too_high']);
    expect((await sign(8453)).body.error_message).toContain('for the network base');
    const { status, body, text } = await sign(money.anvil.chainId);
    if (status !== 200) throw new Error(text);
    expect(Transaction.from(body.signed_transaction).chainId).toBe(BigInt(money.anvil.chainId));
  });

  it('give a budget on one network, which payments on another do not use', async () => {
    const payer = await payerOnBoth();
    const day = { seconds: 86_400, max_amount: '0.6' };
    const rules = [
      { id: 'base', effect: 'allow', match: { networks: ['base'], assets: ['ETH'] }, windows: [day] },
      { id: 'ethereum', effect: 'allow', match: { assets: ['ethereum'] }, windows: [day] },
    ];
    const path = `/management/v1/apps/${payer.app.id}/policies`;
    const manage = (to: string, body: object) => money.app.call('POST', to, { key: money.app.managementKey, body });
    const policy = await manage(path, { name: 'Budgets', scope: { kind: 'app' }, rules });
    expect(policy.body.rules[0].match).toEqual({ networks: ['base'], assets: ['base'] });
    expect((await manage(`${path}/${policy.body.id}/activate`, {})).status).toBe(200);
    await completed(payer, onBase);
    await completed(payer, {});
    const { id } = await money.created(payer, onBase);
    expect(refusal(await money.confirm(payer, id))).toEqual([403, 'policy_denied']);

    const mixed = { ...rules[0], match: { networks: ['base', 'ethereum'], assets: ['ETH'] } };
    const { status, body } = await manage(path, { name: 'Mixed', scope: { kind: 'app' }, rules: [mixed] });
    expect([status, body.errors[0].field]).toEqual([400, 'rules[0].windows[0].max_amount']);
    const apart = { ...rules[0], match: { networks: ['base'], assets: ['ETH', 'ethereum'] } };
    const never = await manage(path, { name: 'Never', scope: { kind: 'app' }, rules: [apart] });
    expect([never.status, never.body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      ['rules[0].match.assets[1]'],
    ]);
    const unknown = { ...rules[0], match: { networks: ['elsewhere'] }, windows: undefined };
    const refused = await manage(path, { name: 'Unknown', scope: { kind: 'app' }, rules: [unknown] });
    expect(refused.body.errors[0].field).toBe('rules[0].match.networks[0]');
  });
});

describe('a rule that names a network by its id before it is configured', () => {
  it('holds for the network once it is', async () => {
    const payer = await payerOnBoth();
    const earlier = await money.replica({ NETWORKS: '{}' });
    try {
      const path = `/management/v1/apps/${payer.app.id}/policies`;
      const manage = (to: string, body: object) => earlier.call('POST', to, { key: money.app.managementKey, body });
      const rules = [
        { effect: 'deny', match: { networks: ['eip155:8453'] } },
        { effect: 'allow', match: {} },
      ];
      const { body } = await manage(path, { name: 'Not there', scope: { kind: 'app' }, rules });
      expect(body.rules[0].match).toEqual({ networks: ['eip155:8453'] });
      expect((await manage(`${path}/${body.id}/activate`, {})).status).toBe(200);
    } finally {
      await earlier.stop();
    }
    await eventually(async () => expect(refusal(await money.create(payer, onBase))).toEqual([403, 'policy_denied']));
    expect((await money.create(payer)).status).toBe(200);
  });
});

describe('a rule that names a network', () => {
  /** An active policy of these rules. */
  async function judged(payer: Payer, rules: readonly object[]): Promise<void> {
    const path = `/management/v1/apps/${payer.app.id}/policies`;
    const manage = (to: string, body: object) =>
      money.app.call('POST', `${path}${to}`, { key: money.app.managementKey, body });
    const { body } = await manage('', { name: 'Base', scope: { kind: 'app' }, rules });
    expect((await manage(`/${body.id}/activate`, {})).status).toBe(200);
  }
  const evaluated = async (service: TestApp, payer: Payer, network: string): Promise<unknown[]> => {
    const payment = { dest: newAddress('ethereum'), source_currency: network, source_amount: '0.1', network };
    const { body, status } = await service.call('POST', `/management/v1/apps/${payer.app.id}/policies/evaluate`, {
      key: service.managementKey,
      body: { operation: 'transfer', wallet_id: payer.walletId, ...payment },
    });
    return status === 200 ? [body.outcome, body.reason] : [status, body];
  };
  const exchanged = () => {
    const { base: chain } = JSON.parse(networks()) as { base: object };
    return JSON.stringify({ l2: chain, base: { ...chain, id: 'eip155:10' } });
  };

  it.each([{ networks: ['base'] }, { assets: ['base'] }])(
    'as %p names the same chain after two names were exchanged',
    async (match) => {
      const payer = await payerOnBoth();
      await judged(payer, [{ effect: 'allow', match }]);
      expect(await evaluated(money.app, payer, 'base')).toEqual(['allow', '']);
      const replica = await money.replica({ NETWORKS: exchanged() });
      try {
        const app = `/management/v1/apps/${payer.app.id}`;
        const body = { networks: ['ethereum', 'base', 'l2'] };
        expect((await replica.call('PATCH', app, { key: replica.managementKey, body })).status).toBe(200);
        expect(await evaluated(replica, payer, 'base')).toEqual(['deny', 'no_rule']);
        expect(await evaluated(replica, payer, 'l2')).toEqual(['allow', '']);
      } finally {
        await replica.stop();
      }
    },
  );

  it('and is from before, is bound once to what the first start finds', async () => {
    const payer = await payerOnBoth();
    await judged(payer, [{ effect: 'allow', match: { assets: ['base'] } }]);
    const database = money.app.nest.get(Database, { strict: false });
    const idsOf = `select network_ids as ids from policies where app_id = $1`;
    await database.write(`update policies set network_ids = '{}' where app_id = $1`, [payer.app.id]);
    await signRows(money.app, 'policies');
    for (const NETWORKS of [networks(), exchanged()]) {
      await (await money.replica({ NETWORKS })).stop();
      expect(await database.read(idsOf, [payer.app.id])).toEqual([{ ids: { base: 'eip155:8453' } }]);
    }
  });

  it.each([
    ['activated', 'bound'],
    ['bound', 'activated'],
  ] as const)('and is from before, holds when its version is %s just before it is %s', async (...order) => {
    const payer = await payerOnBoth();
    const path = `/management/v1/apps/${payer.app.id}/policies`;
    const manage = (to: string, body: object) =>
      money.app.call('POST', `${path}${to}`, { key: money.app.managementKey, body });
    const rules = [{ effect: 'allow', match: { networks: ['base'] } }];
    const { id } = (await manage('', { name: 'Base', scope: { kind: 'app' }, rules })).body;
    const observer = await Observer.of(money.app);
    try {
      await observer.rows(`update policies set network_ids = '{}' where id = $1`, [id]);
      await signRows(money.app, 'policies');
      const policies = money.app.nest.get(PolicyRepository, { strict: false });
      const changes = {
        activated: async () => expect((await manage(`/${id}/activate`, {})).status).toBe(200),
        bound: () => policies.bindNetworks(),
      };
      const running: Promise<void>[] = [];
      await observer.rows('begin');
      await observer.rows('select from policies where id = $1 for update', [id]);
      for (const each of order) {
        running.push(changes[each]());
        await observer.untilWaiting('policies', () => running.length);
      }
      await observer.rows('commit');
      await Promise.all(running);
      await policies.bindNetworks();
      const stored = await observer.rows('select state, network_ids as ids from policies where id = $1', [id]);
      expect(stored).toEqual([{ state: 'active', ids: { base: 'eip155:8453' } }]);
      expect(await evaluated(money.app, payer, 'base')).toEqual(['allow', '']);
    } finally {
      await observer.close();
    }
  });

  it('and is stored by a replica of the previous release, means the network of then when the next configuration comes', async () => {
    const payer = await payerOnBoth();
    await judged(payer, [{ effect: 'allow', match: { networks: ['base'] } }]);
    const database = money.app.nest.get(Database, { strict: false });
    await database.write(`update policies set network_ids = '{}' where app_id = $1`, [payer.app.id]);
    await signRows(money.app, 'policies');
    await database.write(`update jobs set due_at = now() where kind = 'policy.bind-networks'`);
    await eventually(async () => {
      const bound = `select from policies where app_id = $1 and network_ids = '{"base": "eip155:8453"}'`;
      expect(await database.read(bound, [payer.app.id])).toHaveLength(1);
    });
    const replica = await money.replica({ NETWORKS: exchanged() });
    try {
      expect(await evaluated(replica, payer, 'base')).toEqual(['deny', 'no_rule']);
    } finally {
      await replica.stop();
    }
  });

  it.each([{ networks: ['base'] }, { assets: ['base'] }])(
    'as %p and denies, denies all once the network is not configured',
    async (match) => {
      const payer = await payerOnBoth();
      await judged(payer, [{ id: 'not_there', effect: 'deny', match }, { effect: 'allow' }]);
      const { id } = await money.created(payer);
      const without = await money.replica({ NETWORKS: '{}' });
      try {
        const answer = await money.confirm(payer, id, {}, without);
        expect([answer.status, answer.body.rule_id, answer.body.reason]).toEqual([403, 'not_there', 'unknown_network']);
      } finally {
        await without.stop();
      }
      await eventually(async () => expect((await money.confirm(payer, id)).status).toBe(200));
    },
  );
});

describe('a bound that names a network', () => {
  /** Calls on a replica that has the network `base` under the name `l2`, which the app of this payer may use. */
  async function onceRenamed(payer: Payer, calls: (renamed: TestApp) => Promise<void>): Promise<void> {
    const renamed = await money.replica({ NETWORKS: networks().replace('"base"', '"l2"') });
    try {
      expect((await changeAt(renamed, payer, { networks: ['ethereum', 'l2', 'solana'] })).status).toBe(200);
      await calls(renamed);
    } finally {
      await renamed.stop();
    }
  }
  const changeAt = (service: TestApp, payer: Payer, body: Record<string, unknown>): Promise<Answer> =>
    service.call('PATCH', `/management/v1/apps/${payer.app.id}`, { key: service.managementKey, body });
  const onL2 = { ...onBase, network: 'l2' };

  it.each([
    ['max_amounts', 'max_amount', '0.1', 'transfer_limit_exceeded'],
    ['max_fees', 'max_fee', '0', 'fee_limit_exceeded'],
  ])('holds in %s for the same chain once it has another name', async (list, bound, max, errorType) => {
    const payer = await payerOnBoth();
    await change(payer.app, { transfer_policy: { [list]: [{ currency: 'base', [bound]: max }] } });
    await onceRenamed(payer, async (renamed) => {
      const isHeld = async (): Promise<void> => {
        expect(refusal(await money.create(payer, onL2, renamed))).toEqual([403, errorType]);
        expect((await money.create(payer, {}, renamed)).status).toBe(200);
      };
      await isHeld();
      const other =
        list === 'max_fees'
          ? { max_amounts: [{ currency: 'l2', max_amount: '9' }] }
          : { max_fees: [{ currency: 'l2', max_fee: '9' }] };
      expect((await changeAt(renamed, payer, { transfer_policy: other })).body.transfer_policy[list]).toHaveLength(1);
      await isHeld();
      await changeAt(renamed, payer, { transfer_policy: null });
      expect((await money.create(payer, onL2, renamed)).status).toBe(200);
    });
  });

  it('is the smaller one of two that name the same chain by its previous and its current name', async () => {
    const payer = await payerOnBoth();
    await change(payer.app, {
      transfer_policy: {
        max_amounts: [
          { currency: 'l2', max_amount: '9' },
          { currency: 'base', max_amount: '0.1' },
        ],
      },
    });
    await onceRenamed(payer, async (renamed) => {
      expect(refusal(await money.create(payer, onL2, renamed))).toEqual([403, 'transfer_limit_exceeded']);
      expect((await money.create(payer, { ...onL2, source_amount: '0.1' }, renamed)).status).toBe(200);
    });
  });
});

describe('a network whose node is not available', () => {
  it('serves no call, while the payments on the other go on', async () => {
    const payer = await payerOnBoth();
    const { id } = await money.created(payer, onBase);
    base.fault = () => 'unavailable';
    expect(refusal(await money.create(payer, onBase))).toEqual([503, 'chain_unavailable']);
    expect(refusal(await money.confirm(payer, id))).toEqual([503, 'chain_unavailable']);
    await completed(payer, {});
    expect(await listed(payer)).toMatchObject({ ethereum: { status: 'ok' }, base: { status: 'unavailable' } });
    base.fault = () => null;
    expect((await money.confirm(payer, id)).status).toBe(200);
    await money.become(payer, id, 'completed');
    expect((await listed(payer))['base'].status).toBe('ok');
  });

  it('delays no other one when its node hangs', async () => {
    const payer = await payerOnBoth();
    await op.setMining(false);
    for (let i = 0; i < 3; i++) {
      const { id } = await money.created(payer, { ...onBase, source_amount: '0.01' });
      expect((await money.confirm(payer, id)).body.status).toBe('pending');
    }
    expect(refusal(await signedFor(payer, 8453, '1', '2'))).toEqual([409, 'wallet_has_open_transfers']);
    expect((await signedFor(payer, money.anvil.chainId)).status).toBe(200);
    let release!: () => void;
    base.gate = new Promise((resolve) => (release = resolve));
    try {
      const begun = performance.now();
      await completed(payer, {});
      expect(performance.now() - begun).toBeLessThan(8_000);
    } finally {
      release();
      await op.setMining(true);
    }
  });

  it('is unavailable when its node is on another chain', async () => {
    const payer = await payerOnBoth();
    const elsewhere = await Anvil.start({ chainId: 10 });
    try {
      base.target = elsewhere.url;
      await check();
      expect(await listed(payer)).toMatchObject({ ethereum: { status: 'ok' }, base: { status: 'unavailable' } });
      await completed(payer, {});
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('a network that the configuration no longer has', () => {
  it('keeps its pending transfers, which the metrics show', async () => {
    const payer = await payerOnBoth();
    await op.setMining(false);
    const { id } = await money.created(payer, onBase);
    expect((await money.confirm(payer, id)).body.status).toBe('pending');
    const replica = await money.replica({ NETWORKS: '{}' });
    try {
      replica.nest.get(EndpointChecks, { strict: false }).onApplicationShutdown();
      const text = await replica.metrics();
      expect(text).toMatch(/^transfers_pending_without_network [1-9]/m);
      const seen = await replica.call('GET', `/v1/transfers/${id}`, { key: payer.app.secretKey });
      expect(seen.body).toMatchObject({ status: 'pending', network: 'base' });
      expect(parseEther(seen.body.total_fees)).toBeGreaterThan(0n);
    } finally {
      await replica.stop();
      await op.setMining(true);
    }
    await money.become(payer, id, 'completed');
  });

  it('has its pending transfers say so unless another process serves them, and an operator may close them', async () => {
    const payer = await payerOnBoth();
    await op.setMining(false);
    const [served, kept, closed] = await Promise.all(Array.from({ length: 3 }, () => money.created(payer, onBase)));
    for (const { id } of [served, kept, closed]) expect((await money.confirm(payer, id)).body.status).toBe('pending');
    const replica = await money.replica({ NETWORKS: '{}' });
    try {
      replica.nest.get(EndpointChecks, { strict: false }).onApplicationShutdown();
      const unserved = replica.nest.get(MarkUnserved, { strict: false });
      await money.withoutTracker(async () => {
        await money.app.nest
          .get(Database, { strict: false })
          .write(
            `update transfers set next_check_at = ((now() at time zone 'UTC') - interval '31 seconds') at time zone 'UTC' where id = any($1)`,
            [[kept.id, closed.id]],
          );
        await unserved.execute();
        const since = (await money.get(payer, kept.id)).stuck_since;
        for (const { id } of [kept, closed]) {
          const seen = await replica.call('GET', `/v1/transfers/${id}`, { key: payer.app.secretKey });
          expect(seen.body).toMatchObject({ status: 'pending', stuck_reason: 'network_not_configured' });
        }
        expect(since).toBeGreaterThan(0);
        expect(await money.get(payer, served.id)).toMatchObject({ stuck_since: 0, stuck_reason: '' });
        await unserved.execute();
        expect((await money.get(payer, kept.id)).stuck_since).toBe(since);

        const by = { actor: 'cli', requestId: null, ip: null };
        const books = replica.nest.get(ReconcileBooks, { strict: false });
        await books.close({ by, reason: 'It left the configuration.' }, payer.app.id as AppId, closed.id);
        expect(await money.get(payer, closed.id)).toMatchObject({
          status: 'failed',
          failure: { code: 'closed_by_operator', retry_safe: false },
        });
      });
    } finally {
      await replica.stop();
      await op.setMining(true);
    }
    for (const { id } of [served, kept]) await money.become(payer, id, 'completed');
  });
});

/** The code of a contract to which every signature is valid (EIP-1271). */
const SIGNS_ALL = `0x7f1626ba7e${'00'.repeat(28)}60005260206000f3`;

describe('a login by wallet', () => {
  const siweOf = async (app: GivenApp, address: string, chainId: number): Promise<string> => {
    const { body } = await money.app.call('POST', '/v1/auth/wallets/registrations/nonce', {
      key: app.secretKey,
      body: { public_address: address, wallet_type: 'ethereum' },
    });
    return (
      `app.example.com wants you to sign in with your Ethereum account:\n${address}\n\n\n` +
      `URI: https://app.example.com\nVersion: 1\nChain ID: ${chainId}\nNonce: ${body.nonce}\n` +
      `Issued At: ${new Date().toISOString()}`
    );
  };
  const verify = (app: GivenApp, path: string, body: object): Promise<Answer> =>
    money.app.call('POST', `/v1/auth/wallets/${path}`, { key: app.secretKey, body });

  it('by a sign-in text names an enabled network', async () => {
    const { app } = await payerOnBoth();
    await change(app, { allowed_origins: ['https://app.example.com'] });
    const wallet = Wallet.createRandom();
    const attempt = async (chainId: number): Promise<Answer> => {
      const siwe_challenge = await siweOf(app, wallet.address, chainId);
      return verify(app, 'siwe/verify', { siwe_challenge, signature: await wallet.signMessage(siwe_challenge) });
    };
    await eventually(async () => expect((await attempt(8453)).status).toBe(200));
    await change(app, { networks: ['ethereum'] });
    await eventually(async () => expect(refusal(await attempt(8453))).toEqual([400, 'network_not_enabled']));
    expect((await attempt(money.anvil.chainId)).status).toBe(200);
  });

  it('asks the contract on the network that the text names, or on each enabled one', async () => {
    const { app } = await payerOnBoth();
    await change(app, { allowed_origins: ['https://app.example.com'] });
    const attempt = async (address: string, chainId: number): Promise<Answer> => {
      const siwe_challenge = await siweOf(app, address, chainId);
      return verify(app, 'siwe/verify', { siwe_challenge, signature: '0x01' });
    };
    const [first, second] = [newAddress('ethereum'), newAddress('ethereum')];
    for (const address of [first, second]) await op.call('hardhat_setCode', address, SIGNS_ALL);
    expect(refusal(await attempt(first, money.anvil.chainId))).toEqual([400, 'invalid_wallet_signature']);
    await eventually(async () => expect((await attempt(first, 8453)).status).toBe(200));
    const challenge = async (): Promise<Answer> => {
      await verify(app, 'registrations/begin', { public_address: second, wallet_type: 'ethereum' });
      return verify(app, 'verify', { public_address: second, wallet_type: 'ethereum', signature: '0x01' });
    };
    expect((await challenge()).status).toBe(200);
    await change(app, { networks: ['ethereum'] });
    await eventually(async () => expect(refusal(await challenge())).toEqual([400, 'invalid_wallet_signature']));
  });

  it('by a contract is bound to the network that proved it first: the same address elsewhere is refused', async () => {
    const { app } = await payerOnBoth();
    await change(app, { allowed_origins: ['https://app.example.com'] });
    const address = newAddress('ethereum');
    const challenge = async (): Promise<Answer> => {
      const of = { public_address: address, wallet_type: 'ethereum' };
      await verify(app, 'registrations/begin', of);
      return verify(app, 'verify', { ...of, signature: '0x01' });
    };
    const siwe = async (chainId: number): Promise<Answer> => {
      const siwe_challenge = await siweOf(app, address, chainId);
      return verify(app, 'siwe/verify', { siwe_challenge, signature: '0x01' });
    };
    await op.call('hardhat_setCode', address, SIGNS_ALL);
    await eventually(async () => expect((await challenge()).status).toBe(200));
    const database = money.app.nest.get(Database, { strict: false });
    const stored = () => database.read('select contract_network from wallets where public_address = $1', [address]);
    expect(await stored()).toEqual([{ contract_network: 'eip155:8453' }]);

    // An attacker deploys a contract at the same address of another network. The owner's own one then refuses the signature.
    await money.anvil.call('anvil_setCode', address, SIGNS_ALL);
    await op.call('hardhat_setCode', address, '0x00');
    expect(refusal(await challenge())).toEqual([400, 'invalid_wallet_signature']);
    expect(refusal(await siwe(money.anvil.chainId))).toEqual([400, 'invalid_wallet_signature']);
    await op.call('hardhat_setCode', address, SIGNS_ALL);
    expect((await challenge()).status).toBe(200);
    expect((await siwe(8453)).status).toBe(200);

    // A wallet of an earlier version has no network. The next contract that proves it is recorded.
    await database.write('update wallets set contract_network = null where public_address = $1', [address]);
    await signRows(money.app, 'wallets');
    expect((await siwe(8453)).status).toBe(200);
    expect(await stored()).toEqual([{ contract_network: 'eip155:8453' }]);
  });

  it('asks the contracts of all networks at once', async () => {
    const { app } = await payerOnBoth();
    const of = { public_address: newAddress('ethereum'), wallet_type: 'ethereum' };
    await op.call('hardhat_setCode', of.public_address, SIGNS_ALL);
    let release!: () => void;
    money.proxies.ethereum.gate = new Promise((resolve) => (release = resolve));
    try {
      base.calls.clear();
      await verify(app, 'registrations/begin', of);
      const answer = verify(app, 'verify', { ...of, signature: '0x01' });
      await eventually(() => expect(base.calls.get('eth_call')).toBeGreaterThan(0));
      release();
      expect((await answer).status).toBe(200);
    } finally {
      release();
      money.proxies.ethereum.gate = Promise.resolve();
    }
  });
});
