import { Interface, Wallet } from 'ethers';
import { Client } from 'pg';
import type { ChainName } from '../../../../src/kernel/chain/chain-name.js';
import { newId } from '../../../../src/kernel/ids.js';
import { ScanDeposits } from '../../../../src/modules/transfer/deposits/application/scan-deposits.js';
import { DepositScanRepository } from '../../../../src/modules/transfer/deposits/domain/deposit-scan.js';
import { Replica } from '../../../chaos/replica.js';
import { Anvil } from '../../../support/anvil.js';
import type { TestApp } from '../../../support/app.js';
import { ChainProxy } from '../../../support/chain-proxy.js';
import { forgetSettings } from '../../../support/background.js';
import { eventually } from '../../../support/eventually.js';
import { ETH, Money, type Payer, SOL } from '../../../support/money.js';
import { OpNode } from '../../../support/op-node.js';
import { SolanaRuntime } from '../../../support/solana-runtime.js';
import { Token2022 } from '../../../support/token-2022.js';
import { signRows } from '../../../support/row-macs.js';

/** Blocks on top that make a block final, on Ethereum and on Solana. */
const DEPTH = 2;
const SLOTS = 8;
const ERC20 = new Interface(['function transfer(address, uint256)']);

// The search runs only when a test calls it, and blocks come only when a test makes them.
let money: Money;
let database: Client;
let other: Anvil;
let op: OpNode;
let cluster: SolanaRuntime;
/** The endpoints of the networks `base` and `cluster`, two of each. */
let endpoints: Record<'base' | 'cluster', [ChainProxy, ChainProxy]>;

beforeAll(async () => {
  op = await OpNode.start();
  cluster = await SolanaRuntime.start({ slotMs: undefined, finalizedAfter: SLOTS });
  const pair = async (url: string): Promise<[ChainProxy, ChainProxy]> => [
    await ChainProxy.start(url),
    await ChainProxy.start(url),
  ];
  endpoints = { base: await pair(op.url), cluster: await pair(cluster.url) };
  const rpcOf = (name: 'base' | 'cluster') => endpoints[name].map(({ url }) => url);
  const asked = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getGenesisHash', params: [] });
  const headers = { 'Content-Type': 'application/json' };
  const genesis = await fetch(cluster.url, { method: 'POST', headers, body: asked });
  const { result: genesisHash } = (await genesis.json()) as { result: string };
  const networks = {
    base: { id: 'eip155:8453', kind: 'op', rpc: rpcOf('base'), finality: DEPTH },
    cluster: { id: `solana:${genesisHash.slice(0, 32)}`, kind: 'solana', rpc: rpcOf('cluster') },
  };
  // Both chains have one first block: the service takes `other` for the same network, however long ago it compared the node.
  const timestamp = Math.floor(Date.now() / 1000);
  money = await Money.start({
    ethereum: { blockTime: 'never', timestamp },
    solana: { slotMs: undefined, finalizedAfter: SLOTS },
    env: {
      ETHEREUM_FINALITY_DEPTH: String(DEPTH),
      TRANSFER_CONFIRM_WAIT_SECONDS: '0',
      NETWORKS: JSON.stringify(networks),
    },
  });
  other = await Anvil.start({ blockTime: 'never', timestamp });
  database = new Client({ connectionString: money.app.databaseUrl });
  await database.connect();
  await money.anvil.mine(DEPTH + 1);
  await op.mine(DEPTH + 1);
});
afterAll(async () => {
  await database.end();
  await other.stop();
  await money.stop();
  for (const proxy of Object.values(endpoints).flat()) await proxy.stop();
  await op.stop();
  await cluster.stop();
});
beforeEach(async () => {
  await database.query('delete from deposit_scans');
  for (const proxy of Object.values(endpoints).flat()) {
    proxy.change = null;
    proxy.answer = () => undefined;
  }
});

/** One part of the search on a chain. */
async function part(chain: ChainName, app: TestApp = money.app): Promise<void> {
  await database.query('update deposit_scans set due_at = now()');
  const scans = app.nest.get(ScanDeposits, { strict: false });
  const scan = await scans.claim(chain);
  if (scan) await scans.execute(scan);
}

/** Searches all final blocks. */
async function scan(chain: ChainName): Promise<void> {
  for (;;) {
    const before = await places();
    await part(chain);
    if ((await places()) === before) return;
  }
}

async function places(): Promise<string> {
  const { rows } = await database.query('select chain, block_number, block_hash from deposit_scans order by chain');
  return JSON.stringify(rows);
}

async function finalise(chain: ChainName): Promise<void> {
  if (chain === 'ethereum') await money.anvil.mine(DEPTH + 1);
  else if (chain === 'base') await op.mine(DEPTH + 1);
  else money.solana.advance(SLOTS + 1);
  await scan(chain);
}

/** A payment by an account that the service does not know. It waits for a block. */
async function pays(to: string, value: bigint, data = '0x'): Promise<string> {
  const from = money.anvil.rich().address;
  return money.anvil.call('eth_sendTransaction', { from, to, value: `0x${value.toString(16)}`, data, gas: '0x186a0' });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function depositsOf({ app, walletId }: Payer, query: Record<string, string> = {}): Promise<any> {
  const { status, body, text } = await money.app.call('GET', `/v1/wallets/${walletId}/deposits`, {
    key: app.secretKey,
    query,
  });
  if (status !== 200) throw new Error(text);
  return body;
}

async function eventsOf({ walletId }: Payer): Promise<{ deposit_id: string }[]> {
  const { rows } = await database.query(
    `select data from stored_events where type = 'wallet.credited' and data->>'wallet_id' = $1 order by id`,
    [walletId],
  );
  return rows.map(({ data }) => data);
}

async function stateOf(chain: ChainName) {
  return (await money.app.nest.get(DepositScanRepository, { strict: false }).states()).find(
    (state) => state.chain === chain,
  );
}

async function change(payer: Payer, body: object): Promise<void> {
  const { status, text } = await money.app.call('PATCH', `/management/v1/apps/${payer.app.id}`, {
    key: money.app.managementKey,
    body,
  });
  if (status !== 200) throw new Error(text);
}

function lists(payer: Payer, token: string, network: ChainName = payer.chain): Promise<void> {
  return change(payer, { assets: [{ network, name: 'coupon', symbol: 'CPN', decimals: 6, token }] });
}

describe('a payment of the coin to a wallet on ethereum', () => {
  it('is a deposit once its block is final, with one event, and stays one when its block is searched again', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    const hash = await pays(wallet.address, ETH / 4n);
    await money.anvil.mine(DEPTH);
    await scan('ethereum');
    expect(await depositsOf(wallet)).toEqual({ deposits: [], has_more: false });
    await money.anvil.mine();
    await scan('ethereum');
    const receipt = await money.anvil.provider.getTransactionReceipt(hash);
    const block = await money.anvil.provider.getBlock(receipt!.blockNumber);
    const { deposits } = await depositsOf(wallet);
    const [{ id, ...facts }] = deposits;
    expect(deposits).toHaveLength(1);
    expect(id).toMatch(/^dep_/);
    expect(facts).toEqual({
      network: 'ethereum',
      currency: 'ethereum',
      amount: '0.25',
      from: money.anvil.rich().address,
      blockchain_tx_hash: hash,
      block_number: receipt!.blockNumber,
      at: block!.timestamp,
    });
    const event = { ...facts, deposit_id: id, wallet_id: wallet.walletId, user_id: wallet.userId };
    expect(await eventsOf(wallet)).toEqual([event]);
    // A restored database has an earlier place.
    const earlier = await money.anvil.provider.getBlock(receipt!.blockNumber - 1);
    await database.query('update deposit_scans set block_number = $1, block_hash = $2', [
      earlier!.number,
      earlier!.hash,
    ]);
    await scan('ethereum');
    expect(await depositsOf(wallet)).toMatchObject({ deposits: [{ id }] });
    expect(await eventsOf(wallet)).toHaveLength(1);
  });

  it('is none when the transaction failed, has no value, or lost its block before that was final', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    await money.anvil.call('anvil_setCode', wallet.address, '0x60006000fd');
    const failed = await pays(wallet.address, ETH);
    await money.anvil.mine();
    expect((await money.anvil.provider.getTransactionReceipt(failed))!.status).toBe(0);
    await money.anvil.call('anvil_setCode', wallet.address, '0x');
    await pays(wallet.address, 0n);
    await finalise('ethereum');
    await pays(wallet.address, ETH);
    await money.anvil.mine();
    await scan('ethereum');
    await money.anvil.reorganise(1);
    await finalise('ethereum');
    expect(await depositsOf(wallet)).toEqual({ deposits: [], has_more: false });
    expect(await eventsOf(wallet)).toEqual([]);
    expect(await stateOf('ethereum')).toMatchObject({ behindBlocks: 0, isStopped: false });
  });

  it('is one of its receiver when a wallet of the service paid, and none of a sender that pays itself', async () => {
    const [payer, wallet] = [await money.payer('ethereum'), await money.payer('ethereum', 0n)];
    await scan('ethereum');
    const { id } = await money.created(payer, { dest: wallet.address, source_amount: '1' });
    expect((await money.confirm(payer, id)).status).toBe(200);
    await eventually(async () => expect(await money.get(payer, id)).toMatchObject({ stage: 'submitted' }));
    await money.anvil.call('anvil_impersonateAccount', payer.address);
    await finalise('ethereum');
    await money.anvil.call('eth_sendTransaction', { from: payer.address, to: payer.address, value: '0x1' });
    await finalise('ethereum');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '1', from: payer.address }]);
    expect((await depositsOf(payer)).deposits).toEqual([]);
  });

  it('counts 200 times in one block, is listed in pages, and is hidden from keys that are bound elsewhere', async () => {
    const [wallet, stranger] = [await money.payer('ethereum', 0n), await money.payer('ethereum', 0n)];
    await scan('ethereum');
    for (let amount = 1n; amount <= 200n; amount++) await pays(wallet.address, amount);
    await finalise('ethereum');
    const listed: { id: string; amount: string }[] = [];
    for (let page = await depositsOf(wallet, { limit: '90' }); ;) {
      listed.push(...page.deposits);
      if (!page.has_more) break;
      page = await depositsOf(wallet, { limit: '90', starting_after: listed.at(-1)!.id });
    }
    expect(new Set(listed.map(({ amount }) => amount)).size).toBe(200);
    expect(listed.map(({ id }) => id)).toEqual(
      listed
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(await eventsOf(wallet)).toHaveLength(200);
    const path = `/v1/wallets/${wallet.walletId}/deposits`;
    expect((await money.app.call('GET', path, { key: stranger.app.secretKey })).body.error_type).toBe(
      'wallet_not_found',
    );
    const managed = (app: string, query: Record<string, string> = {}) =>
      money.app.call('GET', `/management${path.replace('/v1', `/v1/apps/${app}`)}`, {
        key: money.app.managementKey,
        query,
      });
    const page = await managed(wallet.app.id, { limit: '90', starting_after: listed[89]!.id });
    const deposits = listed.slice(90, 180).map((deposit) => ({ ...deposit, network_id: 'eip155:31337' }));
    expect(page.body).toEqual({ deposits, has_more: true });
    expect((await managed(stranger.app.id)).body.error_type).toBe('wallet_not_found');
    expect((await managed(newId('app'))).body.error_type).toBe('app_not_found');
  });

  it('is credited once in each of two apps, and not to a wallet that was added to the app later', async () => {
    const wallet = await money.payer('ethereum', 0n);
    const elsewhere = await money.payer('ethereum', 0n);
    await scan('ethereum');
    const readOnly = async (app: Payer, ageSeconds: number): Promise<Payer> => {
      const walletId = newId('wallet');
      await database.query(
        `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported, created_at)
         values ($1, $2, $3, 'ethereum', $4, true, false, true, false, now() - make_interval(secs => $5))`,
        [app.app.id, walletId, app.userId, wallet.address, ageSeconds],
      );
      await signRows(money.app, 'wallets');
      return { ...app, walletId };
    };
    const same = await readOnly(wallet, 60);
    const seen = await readOnly(elsewhere, 60);
    const later = await readOnly(await money.payer('ethereum', 0n), -3_600);
    await pays(wallet.address, ETH);
    await finalise('ethereum');
    const counts = await Promise.all(
      [wallet, same, seen, later].map(async (each) => (await depositsOf(each)).deposits.length),
    );
    expect(counts).toEqual([1, 0, 1, 0]);
  });
});

describe('a payment of a token to a wallet on ethereum', () => {
  it('is a deposit when the app lists the token and the amount is above zero', async () => {
    const wallet = await money.payer('ethereum', 0n);
    const rich = money.anvil.rich().address;
    const [token, taxing, fake] = [
      await money.anvil.deployToken(rich, 10_000_000n),
      await money.anvil.deployToken(rich, 10_000_000n, 6, 'taxing'),
      await money.anvil.deployToken(rich, 10_000_000n),
    ];
    await lists(wallet, token);
    await lists(await money.payer('ethereum', 0n), taxing);
    await scan('ethereum');
    const moves = (amount: bigint) => ERC20.encodeFunctionData('transfer', [wallet.address, amount]);
    const hash = await pays(token, 0n, moves(1_500_000n));
    await pays(token, 0n, moves(0n));
    await pays(token, 0n, moves(2n ** 200n));
    await pays(fake, 0n, moves(1_000_000n));
    await pays(taxing, 0n, moves(1_000_000n));
    await finalise('ethereum');
    const { deposits } = await depositsOf(wallet);
    expect(deposits).toMatchObject([{ currency: 'coupon', amount: '1.5', from: rich, blockchain_tx_hash: hash }]);
    await lists(wallet, taxing);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await pays(taxing, 0n, moves(1_000_000n));
    await finalise('ethereum');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '0.9' }, { amount: '1.5' }]);
  });

  it('is not taken from a node whose receipt does not contain the log', async () => {
    const wallet = await money.payer('ethereum', 0n);
    const token = await money.anvil.deployToken(money.anvil.rich().address, 10_000_000n);
    await lists(wallet, token);
    await scan('ethereum');
    const proxy = money.proxies.ethereum;
    await pays(token, 0n, ERC20.encodeFunctionData('transfer', [wallet.address, 5n]));
    await money.anvil.mine(DEPTH + 1);
    proxy.change = (method, result) =>
      method === 'eth_getLogs'
        ? (result as { data: string }[]).map((log) => ({ ...log, data: `0x${'00'.repeat(31)}ff` }))
        : result;
    await expect(scan('ethereum')).rejects.toThrow(/not available/);
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    proxy.change = null;
    await scan('ethereum');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '0.000005' }]);
  });
});

describe('a payment on the second of two networks', () => {
  const paysOnBase = async (to: string, value: bigint): Promise<string> => {
    const signer = Wallet.createRandom();
    await op.fund(signer.address, 10n * ETH);
    const raw = await signer.signTransaction({
      type: 2,
      chainId: op.chainId,
      nonce: 0,
      gasLimit: 200_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 6n,
      to,
      value,
    });
    return op.call('eth_sendRawTransaction', raw);
  };

  it('is one deposit that names this network, also when both are searched and its block is searched again', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await change(wallet, { networks: ['ethereum', 'base'] });
    await scan('ethereum');
    await scan('base');
    const at = await database.query(`select block_number, block_hash from deposit_scans where chain = 'base'`);
    const hash = await paysOnBase(wallet.address, ETH / 2n);
    await finalise('base');
    await finalise('ethereum');
    const [deposit, ...more] = (await depositsOf(wallet)).deposits;
    expect(more).toEqual([]);
    expect(deposit).toMatchObject({ network: 'base', currency: 'base', amount: '0.5', blockchain_tx_hash: hash });
    const { block_number, block_hash } = at.rows[0];
    await database.query(`update deposit_scans set block_number = $1, block_hash = $2 where chain = 'base'`, [
      block_number,
      block_hash,
    ]);
    await scan('base');
    expect((await depositsOf(wallet)).deposits).toEqual([deposit]);
    expect(await eventsOf(wallet)).toMatchObject([{ deposit_id: deposit.id, network: 'base', currency: 'base' }]);
    await pays(wallet.address, ETH / 4n);
    await finalise('ethereum');
    expect((await depositsOf(wallet)).deposits).toMatchObject([
      { network: 'ethereum', currency: 'ethereum', amount: '0.25' },
      { network: 'base' },
    ]);
  });

  it('counts for the apps that have enabled it, from then on', async () => {
    const [wallet, without] = [await money.payer('ethereum', 0n), await money.payer('ethereum', 0n)];
    await change(wallet, { networks: ['ethereum', 'base'] });
    await scan('base');
    for (const { address } of [wallet, without]) await paysOnBase(address, 1n);
    await finalise('base');
    expect((await depositsOf(wallet)).deposits).toHaveLength(1);
    expect((await depositsOf(without)).deposits).toEqual([]);
    await change(without, { networks: ['base'] });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await paysOnBase(without.address, 2n);
    await finalise('base');
    expect((await depositsOf(without)).deposits).toMatchObject([{ network: 'base', amount: '0.000000000000000002' }]);
    expect(await eventsOf(without)).toHaveLength(1);
  });

  it('of a token counts when the app lists the token on this network', async () => {
    const [wallet, elsewhere] = [await money.payer('ethereum', 0n), await money.payer('ethereum', 0n)];
    const holder = Wallet.createRandom();
    const token = await op.deployToken(holder.address, 10_000_000n);
    for (const payer of [wallet, elsewhere]) await change(payer, { networks: ['ethereum', 'base'] });
    await lists(wallet, token, 'base');
    await lists(elsewhere, token, 'ethereum');
    await scan('base');
    await op.fund(holder.address, ETH);
    for (const [nonce, { address }] of [wallet, elsewhere].entries()) {
      const data = ERC20.encodeFunctionData('transfer', [address, 1_500_000n]);
      const fees = { type: 2, gasLimit: 200_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 6n };
      const raw = await holder.signTransaction({ ...fees, chainId: op.chainId, nonce, to: token, data });
      await op.call('eth_sendRawTransaction', raw);
    }
    await finalise('base');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ network: 'base', currency: 'coupon', amount: '1.5' }]);
    expect((await depositsOf(elsewhere)).deposits).toEqual([]);
  });

  it('is none on the word of one of two endpoints, which invents it or its amount', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await change(wallet, { networks: ['ethereum', 'base'] });
    await scan('base');
    const paid = await paysOnBase(wallet.address, 5n);
    await op.mine(DEPTH + 1);
    interface Sent {
      readonly hash: string;
      readonly value: string;
    }
    const receipt = await op.call<object>('eth_getTransactionReceipt', paid);
    const sent = await op.call<Sent>('eth_getTransactionByHash', paid);
    for (const liar of endpoints.base) {
      const raised = (each: Sent): Sent => (each.hash === paid ? { ...each, value: '0xff' } : each);
      liar.change = (method, result) => {
        if (method === 'eth_getTransactionByHash') return raised(result as Sent);
        const { transactions = [] } = (result ?? {}) as { transactions?: readonly Sent[] };
        return method === 'eth_getBlockByHash' && typeof transactions[0] === 'object'
          ? { ...(result as object), transactions: transactions.map(raised) }
          : result;
      };
      await expect(scan('base')).rejects.toThrow(/not available/);
      liar.change = null;
    }
    expect(await depositsOf(wallet)).toEqual({ deposits: [], has_more: false });
    const invented = `0x${'ab'.repeat(32)}`;
    for (const liar of endpoints.base) {
      const lies = (transactions: readonly Sent[]): Sent[] =>
        transactions.flatMap((each) =>
          each.hash === paid ? [each, { ...each, hash: invented, value: '0x9' }] : [each],
        );
      liar.change = (method, result) => {
        const { transactions = [] } = (result ?? {}) as { transactions?: readonly Sent[] };
        return method === 'eth_getBlockByHash' && typeof transactions[0] === 'object'
          ? { ...(result as object), transactions: lies(transactions) }
          : result;
      };
      liar.answer = (method, [hash]) => {
        if (hash !== invented) return undefined;
        if (method === 'eth_getTransactionByHash') return { ...sent, hash: invented, value: '0x9' };
        return method === 'eth_getTransactionReceipt' ? { ...receipt, transactionHash: invented } : undefined;
      };
      await scan('base').catch(() => undefined);
      liar.answer = () => undefined;
      liar.change = null;
    }
    // The part that an honest endpoint answered first may have credited the true payment already.
    await scan('base');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '0.000000000000000005' }]);
  });

  it('waits until its block is final for two endpoints', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await change(wallet, { networks: ['ethereum', 'base'] });
    await scan('base');
    const place = await places();
    const newest = await op.call<object>('eth_getBlockByNumber', 'latest', false);
    await paysOnBase(wallet.address, 1n);
    await op.mine(DEPTH + 1);
    for (const lagging of endpoints.base) {
      lagging.answer = (method, [block]) =>
        method === 'eth_getBlockByNumber' && block === 'latest' ? newest : undefined;
      await scan('base');
      expect(await places()).toBe(place);
      lagging.answer = () => undefined;
    }
    await scan('base');
    expect((await depositsOf(wallet)).deposits).toHaveLength(1);
  });

  it('is found after an endpoint was on a fork, by the same process', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await change(wallet, { networks: ['ethereum', 'base'] });
    await scan('base');
    const {
      rows: [after],
    } = await database.query<{ number: number; hash: string }>(
      `select block_number::int as number, block_hash as hash from deposit_scans where chain = 'base'`,
    );
    await paysOnBase(wallet.address, 1n);
    await op.mine(DEPTH + 1);
    const template = await op.call<object>('eth_getBlockByNumber', 'latest', false);
    const hashOf = (number: number) =>
      number === after!.number ? after!.hash : `0x${number.toString(16).padStart(64, 'f')}`;
    const forked = (number: number) => ({
      ...template,
      number: `0x${number.toString(16)}`,
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      transactions: [],
    });
    const top = after!.number + DEPTH + 1;
    const [fork] = endpoints.base;
    let asked = 0;
    fork!.answer = (method, [block]) => {
      if (method === 'eth_getBlockByNumber' && block === 'latest') return forked(top);
      if (method !== 'eth_getBlockByHash') return undefined;
      for (let number = after!.number + 1; number <= top; number++)
        if (block === hashOf(number)) {
          asked += 1;
          return forked(number);
        }
      return undefined;
    };
    await part('base').catch(() => undefined);
    expect(asked).toBeGreaterThan(0);
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    fork!.answer = () => undefined;
    await scan('base');
    expect((await depositsOf(wallet)).deposits).toHaveLength(1);
  });
});

describe('a payment on a second cluster of solana', () => {
  it('is none on the word of one of two endpoints', async () => {
    const [payer, wallet] = [await money.payer('solana', 0n), await money.payer('solana', 0n)];
    for (const { address } of [payer, wallet]) cluster.fund(address, SOL);
    for (const each of [payer, wallet]) await change(each, { networks: ['solana', 'cluster'] });
    cluster.advance(SLOTS + 1);
    await scan('cluster');
    const currency = { network: 'cluster', source_currency: 'cluster', dest_currency: 'cluster' };
    const { id } = await money.created(payer, { dest: wallet.address, source_amount: '0.25', ...currency });
    const { body } = await money.confirm(payer, id);
    await eventually(() => expect(cluster.slotOf(body.blockchain_tx_hash)).not.toBeNull());
    cluster.advance(SLOTS + 1);
    interface Listed {
      readonly transactions?: readonly { readonly meta: { readonly postBalances: number[] } }[];
    }
    for (const liar of endpoints.cluster) {
      liar.change = (method, result) => {
        const { transactions } = (result ?? {}) as Listed;
        if (method !== 'getBlock' || !transactions) return result;
        const raised = transactions.map(({ meta, ...each }) => ({
          ...each,
          meta: { ...meta, postBalances: meta.postBalances.map((balance) => balance + 1_000) },
        }));
        return { ...(result as object), transactions: raised };
      };
      await expect(scan('cluster')).rejects.toThrow(/not available/);
      liar.change = null;
    }
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    await scan('cluster');
    expect((await depositsOf(wallet)).deposits).toMatchObject([
      { network: 'cluster', currency: 'cluster', amount: '0.25', blockchain_tx_hash: body.blockchain_tx_hash },
    ]);
  });
});

describe('the search for deposits', () => {
  it('calls no node while there is no wallet on the chain', async () => {
    await database.query(`update wallets set wallet_type = 'x' || wallet_type where wallet_type = 'solana'`);
    try {
      await part('solana');
      expect(await stateOf('solana')).toBeUndefined();
      expect(money.proxies.solana.calls.get('getBlock') ?? 0).toBe(0);
    } finally {
      await database.query(`update wallets set wallet_type = substr(wallet_type, 2) where wallet_type like 'x%'`);
    }
  });

  it('finds the coin of an app that SQL has altered, and goes on for other apps', async () => {
    const [altered, other] = [await money.payer('ethereum'), await money.payer('ethereum')];
    await part('ethereum');
    await pays(altered.address, ETH);
    const token = await money.anvil.deployToken(money.anvil.rich().address, 10_000_000n);
    await lists(altered, token);
    await pays(token, 0n, ERC20.encodeFunctionData('transfer', [altered.address, 5n]));
    await pays(other.address, ETH);
    const set = (to: string) =>
      database.query(`update apps set signing_revision = ${to} where id = $1`, [altered.app.id]);
    await set(`'x' || signing_revision`);
    forgetSettings(money.app);
    await finalise('ethereum');
    expect((await depositsOf(other)).deposits).toHaveLength(1);
    await set('substr(signing_revision, 2)');
    forgetSettings(money.app);
    expect((await depositsOf(altered)).deposits).toHaveLength(1);
    expect(await money.app.metrics()).toMatch(/^deposits_omitted_total 1$/m);
  });

  it('stores nothing twice when two processes search the same blocks, and goes on after faults of the node', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    for (let block = 0; block < 12; block++) {
      await pays(wallet.address, 1n);
      await money.anvil.mine();
    }
    await money.anvil.mine(DEPTH);
    const scans = money.app.nest.get(ScanDeposits, { strict: false });
    await database.query('update deposit_scans set due_at = now()');
    const claimed = (await scans.claim('ethereum'))!;
    expect(await scans.claim('ethereum')).toBeNull();
    await Promise.all([scans.execute(claimed), scans.execute(claimed), scans.execute(claimed)]);
    for (let block = 0; block < 12; block++) {
      await pays(wallet.address, 1n);
      await money.anvil.mine();
    }
    await money.anvil.mine(DEPTH);
    let call = 0;
    money.proxies.ethereum.fault = () => (call++ % 3 === 0 ? (call % 2 === 0 ? 'misshapen' : 'answer_lost') : null);
    for (let i = 0; i < 40; i++) await part('ethereum').catch(() => undefined);
    money.proxies.ethereum.fault = () => null;
    await scan('ethereum');
    expect((await depositsOf(wallet)).deposits).toHaveLength(24);
    expect(await eventsOf(wallet)).toHaveLength(24);
  });

  it('catches up in parts after a long stop, and shows meanwhile how far it is behind', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    await pays(wallet.address, 1n);
    await money.anvil.mine(700);
    await pays(wallet.address, 2n);
    await money.anvil.mine(DEPTH + 1);
    // Two parts go down the chain of hashes, the third one searches. A busy machine needs more, because the time of a part is limited.
    await eventually(async () => {
      await part('ethereum');
      expect((await depositsOf(wallet)).deposits).toHaveLength(1);
    });
    expect((await stateOf('ethereum'))!.behindBlocks).toBeGreaterThan(600);
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '0.000000000000000001' }]);
    const metrics = await money.app.metrics();
    expect(metrics).toMatch(/deposits_behind_blocks\{chain="ethereum"\} 6\d\d/);
    for (let i = 0; i < 60; i++) await part('ethereum');
    expect(await stateOf('ethereum')).toMatchObject({ behindBlocks: 0 });
    expect((await depositsOf(wallet)).deposits).toHaveLength(2);
  });

  it('stops when its block is not in the chain, says so, skips nothing, and goes on when the chain is back', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    const place = await places();
    await other.mine((await money.anvil.provider.getBlockNumber()) + 20);
    await other.call('eth_sendTransaction', { from: other.rich().address, to: wallet.address, value: '0x5' });
    await other.mine(DEPTH + 1);
    money.proxies.ethereum.target = other.url;
    await part('ethereum');
    await part('ethereum');
    expect(await places()).toBe(place);
    expect(await stateOf('ethereum')).toMatchObject({ isStopped: true });
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    money.proxies.ethereum.target = money.anvil.url;
    await pays(wallet.address, 7n);
    await finalise('ethereum');
    expect(await stateOf('ethereum')).toMatchObject({ isStopped: false });
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '0.000000000000000007' }]);
    // A reorganisation that is deeper than the finality.
    const reached = await places();
    await money.anvil.reorganise(DEPTH + 2);
    await money.anvil.mine(DEPTH + 5);
    await part('ethereum');
    expect(await places()).toBe(reached);
    expect(await stateOf('ethereum')).toMatchObject({ isStopped: true });
  });

  it('loses and repeats no deposit when its process is killed', async () => {
    const wallet = await money.payer('ethereum', 0n);
    await scan('ethereum');
    const blocks = 80;
    for (let block = 0; block < blocks; block++) {
      await pays(wallet.address, BigInt(block + 1));
      await money.anvil.mine();
    }
    await money.anvil.mine(DEPTH);
    const count = async (): Promise<number> =>
      (await database.query('select from deposits where wallet_id = $1', [wallet.walletId])).rows.length;
    const replica = new Replica({
      ...money.env,
      DATABASE_URL: money.app.databaseUrl,
      NODE_ENV: 'test',
      DEPOSITS: 'on',
    });
    for (const least of [1, 40]) {
      await database.query('update deposit_scans set due_at = now()');
      await replica.start();
      await eventually(async () => expect(await count()).toBeGreaterThanOrEqual(least));
      await replica.kill();
    }
    await scan('ethereum');
    expect((await depositsOf(wallet)).deposits).toHaveLength(blocks);
    const events = await eventsOf(wallet);
    expect(new Set(events.map(({ deposit_id }) => deposit_id)).size).toBe(blocks);
    expect(events).toHaveLength(blocks);
  });
});

describe('a payment to a wallet on solana', () => {
  it('is a deposit when its slot is final, of coins and of listed tokens, and none when the transaction failed', async () => {
    const [payer, wallet] = [await money.payer('solana'), await money.payer('solana', 0n)];
    const mint = money.solana.createMint(6);
    await lists(payer, mint);
    await lists(wallet, mint);
    await money.solana.fundToken(mint, payer.address, 5_000_000n);
    await scan('solana');
    const paid = async (fields: Record<string, unknown>): Promise<string> => {
      const { id } = await money.created(payer, { dest: wallet.address, ...fields });
      const { body, text } = await money.confirm(payer, id);
      if (!body.blockchain_tx_hash) throw new Error(text);
      return body.blockchain_tx_hash;
    };
    const coins = await paid({ source_amount: '1.5' });
    await eventually(() => expect(money.solana.slotOf(coins)).not.toBeNull());
    money.solana.skip(2);
    const currency = { source_currency: 'coupon', dest_currency: 'coupon' };
    const tokens = await paid({ source_amount: '2.25', ...currency });
    await eventually(() => expect(money.solana.slotOf(tokens)).not.toBeNull());
    money.solana.advance(3);
    await scan('solana');
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    await finalise('solana');
    const common = { network: 'solana', from: payer.address };
    expect((await depositsOf(wallet)).deposits).toMatchObject([
      { ...common, currency: 'coupon', amount: '2.25', blockchain_tx_hash: tokens },
      {
        ...common,
        currency: 'solana',
        amount: '1.5',
        blockchain_tx_hash: coins,
        block_number: money.solana.slotOf(coins),
      },
    ]);
    expect(await eventsOf(wallet)).toHaveLength(2);
    expect((await depositsOf(payer)).deposits).toEqual([]);
    money.solana.fate = () => 'hold';
    const failing = await paid({ source_amount: '1', ...currency });
    await money.solana.fundToken(mint, payer.address, 0n);
    money.solana.release();
    money.solana.fate = () => 'land';
    await eventually(() => expect(money.solana.slotOf(failing)).not.toBeNull());
    await finalise('solana');
    expect((await depositsOf(wallet)).deposits).toHaveLength(2);
  });

  it('is no deposit in a listed mint of Token-2022, though its account begins like one of the token program', async () => {
    const [payer, wallet] = [await money.payer('solana'), await money.payer('solana', 0n)];
    const program = await Token2022.on(money.solana);
    const mint = await program.mint('TransferFeeConfig');
    await lists(wallet, mint);
    await scan('solana');
    const tokens = await program.pays(mint, wallet.address, 5_000_000n);
    expect(money.solana.slotOf(tokens)).not.toBeNull();
    const { id } = await money.created(payer, { dest: wallet.address, source_amount: '1' });
    const { body } = await money.confirm(payer, id);
    await eventually(() => expect(money.solana.slotOf(body.blockchain_tx_hash)).not.toBeNull());
    await finalise('solana');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ currency: 'solana', amount: '1' }]);

    const asked = { wallet_id: wallet.walletId, token_symbol: 'coupon' };
    const balance = await money.app.call('POST', '/v1/wallets/balance', { key: wallet.app.secretKey, body: asked });
    expect(balance).toMatchObject({ status: 409, body: { error_type: 'payment_refused_by_chain' } });
    const created = await money.create(wallet, { source_currency: 'coupon', dest_currency: 'coupon' });
    expect(created).toMatchObject({ status: 409, body: { error_type: 'payment_refused_by_chain' } });
    expect(created.text).toContain('Token-2022 that has the extensions TransferFeeConfig');
  });

  it('is found after the node had lacked its block, which is never skipped', async () => {
    const [payer, wallet] = [await money.payer('solana'), await money.payer('solana', 0n)];
    await finalise('solana');
    const { id } = await money.created(payer, { dest: wallet.address, source_amount: '1' });
    const { body } = await money.confirm(payer, id);
    await eventually(() => expect(money.solana.slotOf(body.blockchain_tx_hash)).not.toBeNull());
    money.solana.restartFromSnapshot(1);
    money.solana.advance(SLOTS + 4);
    await scan('solana').catch(() => undefined);
    expect((await depositsOf(wallet)).deposits).toEqual([]);
    await expect(part('solana')).rejects.toThrow(/not available/);
    money.solana.fillHoles();
    await scan('solana');
    expect((await depositsOf(wallet)).deposits).toMatchObject([{ amount: '1' }]);
  });
});
