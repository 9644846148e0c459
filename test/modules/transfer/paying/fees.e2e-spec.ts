import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { Client } from 'pg';
import { type Answer, MANAGEMENT_KEY } from '../../../support/app.js';
import { eventually } from '../../../support/eventually.js';
import { ETH, Money, newAddress, type Payer } from '../../../support/money.js';

const CHAINS: WalletType[] = ['ethereum', 'solana'];
const GWEI = 10n ** 9n;

let money: Money;
let database: Client;

beforeAll(async () => {
  money = await Money.start();
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await money.stop();
});
afterEach(() => {
  money.proxies.ethereum.answer = () => undefined;
});

function refusal({ status, body }: Answer): unknown {
  return [status, body.error_type];
}

const hex = (value: bigint) => `0x${value.toString(16)}`;

function say(answers: Record<string, unknown>): void {
  money.proxies.ethereum.answer = (method) => answers[method];
}

async function setPolicy(payer: Payer, transfer_policy: Record<string, unknown>): Promise<Answer> {
  return money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
    key: MANAGEMENT_KEY,
    body: { transfer_policy },
  });
}

describe('a node that asks for absurd fees', () => {
  it.each([
    ['a tip of a million gwei', { eth_maxPriorityFeePerGas: hex(1_000_000n * GWEI) }, 'ETHEREUM_MAX_TIP'],
    ['more gas than any transfer takes', { eth_estimateGas: hex(30_000_000n) }, 'gas'],
  ])('is paid nothing: %s', async (_, answers, named) => {
    const payer = await money.payer('ethereum', 100n);
    const created = await money.created(payer, { source_amount: '0.001' });
    say(answers);
    const create = await money.create(payer, { source_amount: '0.001', allow_high_fee: true });
    expect(refusal(create)).toEqual([409, 'fee_too_high']);
    expect(create.body.error_message).toContain(named);
    expect(refusal(await money.confirm(payer, created.id))).toEqual([409, 'fee_too_high']);
    expect(await money.get(payer, created.id)).toEqual(created);
    say({});
    expect((await money.confirm(payer, created.id)).body.status).toBe('completed');
    expect(await money.balance('ethereum', payer.address)).toBeGreaterThan((100n * ETH * 99n) / 100n);
  });
});

describe('the ceilings in the configuration', () => {
  it.each([
    [{ ETHEREUM_MAX_FEE_PER_GAS: '0.000000001' }, 'ETHEREUM_MAX_FEE_PER_GAS'],
    [{ ETHEREUM_MAX_TIP: '0.000000001' }, 'ETHEREUM_MAX_TIP'],
  ])('bound what a replica signs: %j', async (env, setting) => {
    const payer = await money.payer('ethereum');
    const { id } = await money.created(payer);
    const strict = await money.replica({ ...env, ROLE: 'api' });
    try {
      for (const answer of [await money.create(payer, {}, strict), await money.confirm(payer, id, {}, strict)]) {
        expect(refusal(answer)).toEqual([409, 'fee_too_high']);
        expect(answer.body.error_message).toContain(setting);
      }
      expect((await money.get(payer, id)).status).toBe('unconfirmed');
    } finally {
      await strict.stop();
    }
  });
});

describe.each(CHAINS)('a payment of the coin on %s', (chain) => {
  const small = { ethereum: '0.00001', solana: '0.000001' }[chain];

  it('is refused while its fee exceeds its amount, unless the request allows that', async () => {
    const payer = await money.payer(chain);
    const dest = newAddress(chain);
    await money.fund(chain, dest, 1n);
    if (chain === 'ethereum') say({ eth_maxPriorityFeePerGas: hex(GWEI), eth_feeHistory: { reward: [] } });
    const refused = await money.create(payer, { dest, source_amount: small });
    expect(refusal(refused)).toEqual([409, 'fee_too_high']);
    expect(refused.body.error_message).toContain('allow_high_fee');
    const { id } = await money.created(payer, { dest, source_amount: small, allow_high_fee: true });
    expect((await money.confirm(payer, id)).body).toMatchObject({ status: 'completed', dest_amount: small });
    const wrong = await money.create(payer, { dest, source_amount: small, allow_high_fee: 'maybe' });
    expect([...(refusal(wrong) as unknown[]), wrong.body.errors[0].field]).toEqual([
      400,
      'invalid_request',
      'allow_high_fee',
    ]);
  });

  it('is bounded in fees by the app when it is created and when it is confirmed', async () => {
    const payer = await money.payer(chain);
    const early = await money.created(payer);
    const { body } = await setPolicy(payer, { max_fees: [{ currency: chain, max_fee: '0.000000001' }] });
    expect(body.transfer_policy.max_fees).toEqual([{ currency: chain, max_fee: '0.000000001' }]);
    // Settings of an app are at most half a second old.
    await eventually(async () => {
      expect(refusal(await money.create(payer))).toEqual([403, 'fee_limit_exceeded']);
    });
    expect(refusal(await money.confirm(payer, early.id))).toEqual([403, 'fee_limit_exceeded']);
    expect(await money.get(payer, early.id)).toEqual(early);
    await setPolicy(payer, { max_fees: [{ currency: chain, max_fee: early.total_fees }] });
    await eventually(async () => {
      expect((await money.confirm(payer, early.id)).body.status).toBe('completed');
    });
  });

  it.each([
    [[{ currency: 'usd-coin', max_fee: '1' }], 'transfer_policy.max_fees[0].currency'],
    [[{ currency: chain, max_fee: '-1' }], 'transfer_policy.max_fees[0].max_fee'],
    [[{ currency: chain, max_fee: '1e3' }], 'transfer_policy.max_fees[0].max_fee'],
    [[{ currency: chain }], 'transfer_policy.max_fees[0].max_fee'],
  ])('takes no bound on fees from %j', async (max_fees, field) => {
    const { status, body } = await setPolicy(await money.payer(chain), { max_fees });
    expect([status, body.errors[0].field]).toEqual([400, field]);
  });
});

describe('a token payment', () => {
  it('may take more in fees than it pays, and is bounded in fees by the app', async () => {
    const payer = await money.payer('ethereum');
    const token = await money.anvil.deployToken(payer.address, 1_000n, 6);
    await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: MANAGEMENT_KEY,
      body: { assets: [{ chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token }] },
    });
    const order = { source_currency: 'coupon', dest_currency: 'coupon', source_amount: '0.000001' };
    await eventually(async () => {
      expect(refusal(await money.create(payer, order))).toEqual([200, undefined]);
    });
    await setPolicy(payer, { max_fees: [{ currency: 'ethereum', max_fee: '0' }] });
    await eventually(async () => {
      expect(refusal(await money.create(payer, order))).toEqual([403, 'fee_limit_exceeded']);
    });
  });
});

describe('a destination', () => {
  const order = { source_currency: 'coupon', dest_currency: 'coupon', source_amount: '0.0001' };

  it.each([
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['a precompiled contract', `0x${'0'.repeat(39)}1`],
    ['a precompiled contract', `0x${'0'.repeat(38)}11`],
    ['a precompiled contract', `0x${'0'.repeat(37)}100`],
    ['an address that forks may give to one', `0x${'0'.repeat(36)}ffff`],
  ])('on ethereum is not %s: %s', async (_, dest) => {
    const answer = await money.create(await money.payer('ethereum'), { dest });
    expect([...(refusal(answer) as unknown[]), answer.body.errors[0].field]).toEqual([
      400,
      'invalid_destination',
      'dest',
    ]);
  });

  it('on ethereum may be the first address that no precompiled contract has', async () => {
    const { status } = await money.create(await money.payer('ethereum'), { dest: `0x${'0'.repeat(35)}10000` });
    expect(status).toBe(200);
  });

  it.each([
    '11111111111111111111111111111111',
    'Vote111111111111111111111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    'ComputeBudget111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    '1nc1nerator11111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  ])('on solana is not the program %s', async (dest) => {
    expect(refusal(await money.create(await money.payer('solana'), { dest }))).toEqual([400, 'invalid_destination']);
  });

  it.each(CHAINS)('on %s is not the source itself', async (chain) => {
    const payer = await money.payer(chain);
    const spelling = chain === 'ethereum' ? payer.address.toLowerCase() : payer.address;
    for (const dest of [payer.address, spelling]) {
      expect(refusal(await money.create(payer, { dest }))).toEqual([400, 'invalid_destination']);
    }
  });

  it('of a token is not its own contract', async () => {
    const payer = await money.payer('ethereum');
    const token = await money.anvil.deployToken(payer.address, 1_000n, 6);
    await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
      key: MANAGEMENT_KEY,
      body: { assets: [{ chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token }] },
    });
    await eventually(async () => {
      expect((await money.create(payer, order)).status).toBe(200);
    });
    for (const dest of [token, token.toLowerCase()]) {
      expect(refusal(await money.create(payer, { ...order, dest }))).toEqual([400, 'invalid_destination']);
    }
  });
});
