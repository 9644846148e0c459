import {
  AbiCoder,
  type AuthorizationLike,
  getBytes,
  hexlify,
  Interface,
  keccak256,
  parseEther,
  randomBytes,
  type TransactionRequest,
  Wallet,
} from 'ethers';
import { newId } from '../../../src/kernel/ids.js';
import type { Asset } from '../../../src/kernel/chain/asset.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import type {
  Payment,
  SignedAttempt,
  TransactionSigner,
  PaymentStatus,
  ProofProgress,
} from '../../../src/kernel/chain/payment.js';
import { EthereumChain } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-chain.js';
import { Endpoints } from '../../../src/modules/chain/infrastructure/endpoints.js';
import { blockTransactionOf } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-answers.js';
import { NetworksInMemory } from '../../../src/modules/chain/infrastructure/typeorm-known-networks.js';
import { CallRefused } from '../../../src/modules/chain/infrastructure/ethereum/call-failed.js';
import { NodeFault } from '../../../src/modules/chain/infrastructure/node-faults.js';
import { EthereumNode } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-node.js';
import { ChainIdentity } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-rpc.js';
import { EthereumProofs } from '../../../src/modules/chain/infrastructure/ethereum/ethereum-proofs.js';
import { Anvil } from '../../support/anvil.js';
import { withSystemTransaction } from '../../support/system-transaction.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { sampled } from '../../support/sampled.js';
import { type Machine, ScriptedPool, seeded } from '../../support/scripted-pool.js';
import { payingWallet } from './paying-wallet.js';

const DEPTH = 3;
/**
 * Seeds of ways to spread the calls of a look over the machines. A proof that trusts one machine's hash of a block, and not the links
 * down to it, is wrong for about one seed of fifty: in the sample for 50, 59 and 68.
 */
const ROUTINGS = sampled(
  Array.from({ length: 100 }, (_, seed) => seed),
  (seed) => seed >= 50 && seed < 70,
);

let anvil: Anvil;
let pool: ScriptedPool;
let wallet: TransactionSigner;
let dest: string;

beforeAll(async () => {
  anvil = await Anvil.start({ blockTime: 'never' });
  pool = await ScriptedPool.start(anvil);
});
afterAll(async () => {
  await pool.stop();
  await anvil.stop();
});
beforeEach(async () => {
  pool.route = () => 'head';
  wallet = await payingWallet('ethereum');
  dest = (await payingWallet('ethereum')).address;
  await anvil.fund(wallet.address, parseEther('10'));
});

/** As a process that has just started: nothing is in its memory. */
const chainAt = (...urls: string[]) => new EthereumChain({ urls, chainId: anvil.chainId, finality: DEPTH });
const payment = (asset: Asset = NATIVE_ASSETS.ethereum, amount = parseEther('0.1')): Payment => ({
  transferId: newId('transfer'),
  asset,
  source: wallet.address,
  dest,
  amount,
});
const signed = async (of = payment(), nonce = 0): Promise<SignedAttempt> =>
  (await chainAt(anvil.url).prepare(of)).sign(wallet, nonce);
const cancellationOf = async (attempt: SignedAttempt): Promise<SignedAttempt> =>
  (await chainAt(anvil.url).prepareCancellation(wallet.address, [attempt], parseEther('1')))!.sign(
    wallet,
    attempt.nonce,
  );
const send = (attempt: SignedAttempt) => chainAt(anvil.url).send(attempt);
const status = (
  chain: EthereumChain,
  attempts: SignedAttempt[],
  progress?: ProofProgress | null,
): Promise<PaymentStatus> => chain.status(wallet.address, attempts, progress);
const newestNumber = () => anvil.provider.getBlockNumber();

/** What looks at the attempts find when the pool spreads their calls over the machines at random, in many ways. */
async function foundBy(machines: readonly Machine[], attempts: SignedAttempt[]): Promise<PaymentStatus[]> {
  const found: PaymentStatus[] = [];
  for (const seed of ROUTINGS) {
    const random = seeded(seed);
    pool.route = () => machines[Math.floor(random() * machines.length)]!;
    found.push(await status(chainAt(pool.url), attempts));
  }
  pool.route = () => 'head';
  return found;
}

/** The service's own node, but its blocks are recorded ones of anvil, and made-up empty ones on top: mining many takes minutes. */
class RecordedNode extends EthereumNode {
  reads = 0;
  fullReads = 0;
  /** The account's nonce after the block with a number, if the node has earlier states. */
  countAfter: ((block: number) => number) | null = null;
  private readonly blocks = new Map<string, FullBlock>();
  private newest!: FullBlock;

  /** With the newest blocks of anvil. */
  static async start(): Promise<RecordedNode> {
    const { url, chainId } = anvil;
    const identity = new ChainIdentity(chainId, new NetworksInMemory());
    const node = new RecordedNode({ url, chainId, timeoutMs: 10_000, identity });
    await node.record(100);
    return node;
  }

  private async record(count: number): Promise<void> {
    const newest = await newestNumber();
    const calls = Array.from({ length: Math.min(count, newest + 1) }, (_, index) => ({
      jsonrpc: '2.0',
      id: index,
      method: 'eth_getBlockByNumber',
      params: [`0x${(newest - index).toString(16)}`, true],
    }));
    const response = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(calls),
    });
    const blocks = ((await response.json()) as { result: FullBlock }[]).map(({ result }) => result);
    for (const block of blocks) this.blocks.set(block.hash, block);
    this.newest = blocks.find(({ number }) => Number(number) === newest)!;
  }

  /** Adds this number of empty blocks. */
  extend(count: number): void {
    for (let i = 0; i < count; i++) {
      const number = `0x${(Number(this.newest.number) + 1).toString(16)}`;
      const hash = hexlify(randomBytes(32));
      this.newest = { number, hash, parentHash: this.newest.hash, transactions: [] };
      this.blocks.set(hash, this.newest);
    }
  }

  /** Forgets its newest blocks, as a machine that lags behind, or one that is about to follow another fork. */
  goBack(blocks: number): void {
    for (let i = 0; i < blocks; i++) this.newest = this.blocks.get(this.newest.parentHash)!;
  }

  override taggedBlock() {
    return Promise.resolve(linked(this.newest));
  }

  override blockOf(hash: string) {
    this.reads++;
    const block = this.blocks.get(hash);
    return Promise.resolve(block ? linked(block) : null);
  }

  override fullBlockOf(hash: string, account: string) {
    this.fullReads++;
    const block = this.blocks.get(hash);
    const transactions = block?.transactions.map((each) => blockTransactionOf(each, account));
    return Promise.resolve(block && transactions ? { ...linked(block), transactions } : null);
  }

  /** Anvil does not have the made-up blocks. */
  override transactionCountAt(address: string) {
    return this.transactionCount(address);
  }

  override async transactionCount(address: string, block = 'latest') {
    if (block === 'latest') return super.transactionCount(address);
    if (!this.countAfter) throw new CallRefused('missing trie node');
    return this.countAfter(Number(block));
  }
}

interface FullBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly nonce: string }[];
}

function linked({ number, hash, parentHash, transactions }: FullBlock) {
  return { number: Number(number), hash, parentHash, transactions: transactions.map((each) => each.hash) };
}

/** As a process that has just started. */
const proofsOf = (node: EthereumNode) => new EthereumProofs(new Endpoints([node]), DEPTH);

/** The progress that a look wants stored, as the database gives it back. */
function storedOf(status: PaymentStatus): ProofProgress {
  expect(status).toHaveProperty('progress');
  return JSON.parse(JSON.stringify((status as { progress?: unknown }).progress)) as ProofProgress;
}

/** Looks at an attempt, each time as a new process and with one block more, until the end is proven. */
async function lookedAt(node: RecordedNode, attempt: SignedAttempt) {
  const looks: { readonly status: PaymentStatus; readonly reads: number }[] = [];
  for (let progress: ProofProgress | null = null; ;) {
    node.reads = 0;
    const status = await proofsOf(node).observe(wallet.address, [attempt], progress);
    looks.push({ status, reads: node.reads });
    if (status.is === 'final' || status.is === 'dead') return looks;
    progress = storedOf(status);
    node.extend(1);
  }
}

const ends = (found: readonly PaymentStatus[]) => found.filter(({ is }) => is === 'final' || is === 'dead');

describe('behind a pool in which one machine hangs on an abandoned fork', () => {
  it('a payment that is only on the fork is never final, however the calls are spread', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    const fork = await pool.abandonNewestBlock();
    const lagging = { lagsAt: (await newestNumber()) - 1 };
    await anvil.mine(DEPTH + 1);
    const found = await foundBy(['head', fork, lagging], [attempt]);
    expect(await anvil.balance(dest)).toBe(0n);
    expect(ends(found)).toEqual([]);
    // It is sent again, and final once it is on the chain.
    expect(found.map(({ is }) => is)).toContain('not_seen');
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const again = await foundBy(['head', fork, lagging], [attempt]);
    expect(ends(again).length).toBeGreaterThan(0);
    const canonical = await anvil.provider.getTransactionReceipt(attempt.hash);
    for (const end of ends(again)) {
      expect(end).toMatchObject({ is: 'final', outcome: 'success', block: { hash: canonical!.blockHash } });
    }
  });

  it('a cancellation that is only on the fork does not end a payment that is on the chain', async () => {
    const attempt = await signed();
    const cancellation = await cancellationOf(attempt);
    await send(attempt);
    await send(cancellation);
    await anvil.mine();
    const fork = await pool.abandonNewestBlock();
    expect([...fork.receipts.keys()]).toEqual([cancellation.hash]);
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    expect(await anvil.balance(dest)).toBe(parseEther('0.1'));
    const found = await foundBy(['head', fork, { lagsAt: Number(fork.block.number) - 1 }], [attempt, cancellation]);
    expect(ends(found).length).toBeGreaterThan(0);
    for (const end of ends(found)) expect(end).toMatchObject({ is: 'final', hash: attempt.hash, outcome: 'success' });
  });

  it('a payment that is reverted only on the fork has not failed', async () => {
    const asset: Asset = {
      chain: 'ethereum',
      name: 'coupon',
      symbol: 'CPN',
      decimals: 6,
      token: await anvil.deployToken(wallet.address, 1_000n),
    };
    const before = await signed(payment(asset, 600n), 0);
    const attempt = await signed(payment(asset, 600n), 1);
    await send(before);
    await send(attempt);
    await anvil.mine();
    const fork = await pool.abandonNewestBlock();
    expect(fork.receipts.get(attempt.hash)).toMatchObject({ status: '0x0' });
    await anvil.mine(DEPTH + 1);
    const found = await foundBy(['head', fork, { lagsAt: Number(fork.block.number) - 1 }], [attempt]);
    expect(ends(found)).toEqual([]);
  });

  it('a nonce that is used only on the fork is not used', async () => {
    const attempt = await signed();
    const foreign = await signed(payment(NATIVE_ASSETS.ethereum, 1n));
    await send(foreign);
    await anvil.mine();
    const fork = await pool.abandonNewestBlock();
    await anvil.mine(DEPTH + 1);
    const found = await foundBy(['head', fork, { lagsAt: Number(fork.block.number) - 1 }], [attempt]);
    expect(ends(found)).toEqual([]);
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const again = ends(await foundBy(['head', fork], [attempt]));
    expect(again.length).toBeGreaterThan(0);
    for (const end of again) expect(end).toMatchObject({ is: 'final', hash: attempt.hash, outcome: 'success' });
  });
});

describe('the proof that a payment is final', () => {
  it('the proof that a payment is final takes two requests if the newest block holds it, and one read per link otherwise', async () => {
    const shallow = new EthereumChain({ urls: [pool.url], chainId: anvil.chainId, finality: 0 });
    await shallow.network();
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    pool.calls.clear();
    expect(await status(shallow, [attempt])).toMatchObject({ is: 'final' });
    expect(Object.fromEntries(pool.calls)).toEqual({ eth_getTransactionReceipt: 1, eth_getBlockByNumber: 2 });
    await anvil.mine(4);
    pool.calls.clear();
    expect(await status(shallow, [attempt])).toMatchObject({ is: 'final' });
    expect(pool.calls.get('eth_getBlockByHash')).toBe(4);
  });

  it('the proof that a payment is final does not read blocks again that another transfer’s proof has read', async () => {
    const chain = chainAt(pool.url);
    const attempts = [await signed(payment(), 0), await signed(payment(), 1)];
    for (const attempt of attempts) await send(attempt);
    await anvil.mine(100);
    expect(await status(chain, [attempts[0]!])).toMatchObject({ is: 'final' });
    pool.calls.clear();
    expect(await status(chain, [attempts[1]!])).toMatchObject({ is: 'final' });
    // Its own block, for what that lists.
    expect(pool.calls.get('eth_getBlockByHash')).toBe(1);
  });

  it('the proof for a payment that is a day old takes several looks, and each continues where the last one ended, in any process', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    const node = await RecordedNode.start();
    node.extend(7_200);
    const looks = await lookedAt(node, attempt);
    for (const { status, reads } of looks) {
      expect(reads).toBeLessThanOrEqual(257);
      expect(status).toMatchObject({ hash: attempt.hash });
    }
    expect(looks.length).toBeGreaterThan(7_200 / 257);
    expect(looks.at(-1)!.status).toMatchObject({ is: 'final', outcome: 'success' });
    expect(new Set(looks.slice(0, -1).map(({ status }) => status.is))).toEqual(new Set(['mined']));
  });

  it('the proof that a payment is final does not continue from blocks that a deep reorganisation removed', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    const node = await RecordedNode.start();
    node.extend(300);
    const progress = storedOf(await proofsOf(node).observe(wallet.address, [attempt], null));
    const { blockNumber } = (await anvil.provider.getTransactionReceipt(attempt.hash))!;
    // Followed from there it would show the payment on no chain.
    const [segment] = progress['links'] as [object];
    const links = [{ ...segment, next: { number: blockNumber, hash: `0x${'ab'.repeat(32)}` } }];
    expect(await proofsOf(node).observe(wallet.address, [attempt], { links })).toMatchObject({ is: 'unknown' });
    node.goBack(DEPTH + 10);
    node.extend(DEPTH + 12);
    const status = await proofsOf(node).observe(wallet.address, [attempt], { links });
    expect(status).toMatchObject({ is: 'mined', hash: attempt.hash });
    const next = await proofsOf(node).observe(wallet.address, [attempt], storedOf(status));
    expect(next).toMatchObject({ is: 'final', hash: attempt.hash });
  });

  it('a look through a lagging machine does not undo the progress of a proof', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    const node = await RecordedNode.start();
    node.extend(400);
    const progress = storedOf(await proofsOf(node).observe(wallet.address, [attempt], null));
    node.goBack(20);
    const status = await proofsOf(node).observe(wallet.address, [attempt], progress);
    expect(status).toMatchObject({ is: 'mined' });
    expect(storedOf(status)['links']).toEqual(expect.arrayContaining(progress['links'] as object[]));
  });

  it.each([
    ['a text', 'abc'],
    ['a list', [1]],
    ['another form', { links: 7, scan: { nonce: 0 } }],
    ['places of another form', { links: { top: { number: '0x1' }, next: null } }],
  ])('takes stored progress that is %s for none', async (_, garbage) => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const progress = garbage as unknown as ProofProgress;
    expect(await status(chainAt(anvil.url), [attempt], progress)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('a proof ends although its stored progress leads from a block to itself', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const { number, hash } = (await anvil.provider.getBlock('latest'))!;
    const here = { number, hash: hash! };
    const links = { top: here, next: here };
    expect(await status(chainAt(anvil.url), [attempt], { links })).toMatchObject({ is: 'final' });
  });

  it('a proof ends although a machine once reported a wrong number for its newest block', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const node = await RecordedNode.start();
    const proofs = proofsOf(node);
    const newest = await node.taggedBlock();
    jest.spyOn(node, 'taggedBlock').mockResolvedValueOnce({ ...newest, number: newest.number + 1_000 });
    await expect(proofs.observe(wallet.address, [attempt], null)).rejects.toThrow('not the block asked for');
    node.extend(1);
    expect(await proofs.observe(wallet.address, [attempt], null)).toMatchObject({ is: 'final' });
  });

  it('a proof waits for a block that no machine has, and reports it', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const lagging = { lagsAt: (await newestNumber()) - DEPTH };
    const found: PaymentStatus[] = [];
    for (const blind of [true, false]) {
      let calls = 0;
      // The answers about the network, the receipt and the newest block are of a machine that has all; the blocks between are missing.
      pool.route = () => (calls++ < 3 || !blind ? 'head' : lagging);
      found.push(await status(chainAt(pool.url), [attempt]));
    }
    expect(found[0]).toMatchObject({ is: 'mined', stuckReason: 'node_lacks_history' });
    expect(found[1]).toMatchObject({ is: 'final' });
  });
});

describe('with several endpoints', () => {
  it('a payment is final through those that work while one lags behind and another is down', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const lagging = { lagsAt: (await newestNumber()) - DEPTH - 1 };
    pool.route = () => lagging;
    for (const urls of [
      [pool.url, anvil.url],
      ['http://127.0.0.1:1', pool.url, anvil.url],
    ]) {
      expect(await status(chainAt(...urls), [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
    }
  });

  it('a payment is final although the first endpoint hangs on a fork that had it in another block', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine();
    const fork = await pool.abandonNewestBlock();
    pool.route = () => fork;
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const canonical = await anvil.provider.getTransactionReceipt(attempt.hash);
    const chain = chainAt(pool.url, anvil.url);
    for (let looks = 0; looks < 2; looks++) {
      expect(await status(chain, [attempt])).toMatchObject({ is: 'final', block: { hash: canonical!.blockHash } });
    }
  });

  it('an endpoint on another network counts as one that does not answer', async () => {
    const elsewhere = await Anvil.start({ chainId: 5 });
    try {
      const attempt = await signed();
      await send(attempt);
      await anvil.mine(DEPTH + 1);
      const chain = chainAt(elsewhere.url, anvil.url);
      expect(await status(chain, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
      expect(await chain.balance(dest, NATIVE_ASSETS.ethereum)).toBe(parseEther('0.1'));
      expect(await status(chainAt(elsewhere.url), [attempt])).toMatchObject({ is: 'unknown' });
    } finally {
      await elsewhere.stop();
    }
  });

  it('signed bytes reach all endpoints', async () => {
    const attempt = await signed();
    expect(await chainAt('http://127.0.0.1:1', pool.url, anvil.url).send(attempt)).toMatchObject({ accepted: true });
    await anvil.mine();
    expect(await anvil.balance(dest)).toBe(parseEther('0.1'));
  });
});

describe('the proof that a nonce was used elsewhere', () => {
  const diedOf = ({ hash }: SignedAttempt) => ({ is: 'dead', usedBy: hash, payment: 'not_made' });
  const countsFrom = (error: number) => (used: number) => (block: number) => (block >= used + error ? 1 : 0);
  const refusesStates = (): number => {
    throw new NodeFault('The node answered with HTTP status 403.');
  };

  it('the proof that a nonce was used by another transaction names that transaction, and needs two answers if two endpoints are configured', async () => {
    const attempt = await signed();
    const foreign = await signed(payment(NATIVE_ASSETS.ethereum, 1n));
    await send(foreign);
    await anvil.mine(DEPTH);
    expect(await status(chainAt(anvil.url), [attempt])).toMatchObject({ is: 'unknown' });
    await anvil.mine();
    expect(await status(chainAt(anvil.url), [attempt])).toEqual(diedOf(foreign));
    expect(await status(chainAt(anvil.url, 'http://127.0.0.1:1'), [attempt])).toMatchObject({
      is: 'unknown',
      stuckReason: 'nodes_disagree',
    });
    expect(await status(chainAt(anvil.url, pool.url), [attempt])).toEqual(diedOf(foreign));
  });

  it('a payment in a block is not dead although the node lost its receipt', async () => {
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    pool.receiptsLost = true;
    for (const urls of [[pool.url], [pool.url, 'http://127.0.0.1:1']]) {
      expect(await status(chainAt(...urls), [attempt])).toMatchObject({
        is: 'mined',
        hash: attempt.hash,
        stuckReason: 'node_lacks_history',
      });
    }
    // One endpoint that has kept the receipt is enough.
    expect(await status(chainAt(pool.url, anvil.url), [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
    pool.receiptsLost = false;
  });

  it('the search for the transaction that used a nonce takes several looks over many blocks, and each continues where the last one ended', async () => {
    const attempt = await signed();
    await anvil.mine(20);
    const foreign = await signed(payment(NATIVE_ASSETS.ethereum, 1n));
    await send(foreign);
    await anvil.mine();
    const node = await RecordedNode.start();
    node.extend(200);
    const looks = await lookedAt(node, attempt);
    expect(looks).toHaveLength(4);
    expect(looks.at(-1)!.status).toEqual(diedOf(foreign));
  });

  it.each([
    ['is read first where a node has earlier states', 1, countsFrom(0)],
    ['is found by reading all blocks where a node has wrong earlier states', 225, countsFrom(30)],
    ['is found by reading all blocks where a provider sells earlier states', 225, () => refusesStates],
  ])('the block with the transaction that used a nonce %s', async (_, fullReads, countsAfter) => {
    const attempt = await signed();
    await anvil.mine(20);
    const foreign = await signed(payment(NATIVE_ASSETS.ethereum, 1n));
    await send(foreign);
    await anvil.mine();
    const node = await RecordedNode.start();
    node.countAfter = countsAfter(await newestNumber());
    node.extend(200 + DEPTH);
    const looks = await lookedAt(node, attempt);
    expect(looks.at(-1)!.status).toEqual(diedOf(foreign));
    expect(node.fullReads).toBeLessThanOrEqual(fullReads);
  });

  it('a nonce that is used above the final block only is not searched', async () => {
    const attempt = await signed();
    await send(await signed(payment(NATIVE_ASSETS.ethereum, 1n)));
    await anvil.mine();
    const node = await RecordedNode.start();
    node.countAfter = () => 0;
    node.extend(DEPTH - 1);
    expect(await proofsOf(node).observe(wallet.address, [attempt], null)).toMatchObject({ is: 'unknown' });
    expect(node.fullReads).toBe(0);
  });

  it('the search for the user of a nonce does not read blocks again that the search for another nonce of the account has read', async () => {
    const attempts = [await signed(payment(), 0), await signed(payment(), 1)];
    for (const nonce of [0, 1]) await send(await signed(payment(NATIVE_ASSETS.ethereum, 1n), nonce));
    await anvil.mine(50);
    const chain = chainAt(pool.url);
    expect(await status(chain, [attempts[0]!])).toMatchObject({ is: 'dead' });
    pool.calls.clear();
    expect(await status(chain, [attempts[1]!])).toMatchObject({ is: 'dead' });
    expect(pool.calls.get('eth_getBlockByHash') ?? 0).toBe(0);
  });

  it('a payment whose nonce was used before the search begins is dead once all blocks since the signing are read', async () => {
    const foreign = await signed(payment(NATIVE_ASSETS.ethereum, 1n));
    await send(foreign);
    await anvil.mine(70);
    const attempt = await signed();
    const node = await RecordedNode.start();
    node.extend(10);
    const looks = await lookedAt(node, attempt);
    expect(looks).toHaveLength(2);
    expect(looks.at(-1)!.status).toEqual({ is: 'dead', payment: 'unproven' });
    const signedBefore = { ...attempt, validFromBlock: null };
    expect(await proofsOf(node).observe(wallet.address, [signedBefore], null)).toMatchObject({
      is: 'unknown',
      stuckReason: 'node_lacks_history',
    });
  });
});

/** Calls the address in the first word of its data with the rest of it, and sends the value on. */
const FORWARDER = '0x60203603602060003760006000602036036000346000355af15000';
const REFUSING = '0x60006000fd';
/** Creates an empty contract, which uses a nonce of the account that runs it. */
const CREATING = '0x600060006000f05000';

async function contract(code: string): Promise<string> {
  const { address } = await payingWallet('ethereum');
  await anvil.call('anvil_setCode', address, code);
  return address;
}

const wordOf = (address: string) => AbiCoder.defaultAbiCoder().encode(['address'], [address]);
const ERC20 = new Interface(['function transfer(address,uint256)', 'function transferFrom(address,address,uint256)']);

/** What looks find, each going on from what is stored, until the end is proven or nothing is left to read. */
async function foundInLooks(chain: EthereumChain, source: string, attempts: SignedAttempt[]): Promise<PaymentStatus> {
  for (let progress: ProofProgress | null = null; ;) {
    const found = await chain.status(source, attempts, progress);
    if (!('progress' in found) || !found.progress) return found;
    progress = storedOf(found);
  }
}

describe('a transaction made elsewhere with the nonce of a payment', () => {
  type Foreign = (token: string, other: string) => Promise<TransactionRequest> | TransactionRequest;
  const coins: [string, Foreign, string][] = [
    ['pays the same', () => ({ to: dest, value: 600n }), 'made'],
    ['pays another amount', () => ({ to: dest, value: 601n }), 'not_made'],
    ['pays another account', (_, other) => ({ to: other, value: 600n }), 'not_made'],
    ['calls a contract that pays the same', forwarding(600n), 'unproven'],
    ['calls a contract that pays another account', forwarding(599n), 'unproven'],
    ['fails', async () => ({ to: await contract(REFUSING), value: 600n }), 'not_made'],
  ];
  const tokens: [string, Foreign, string][] = [
    ['pays the same', (token) => ({ to: token, data: transferOf(dest, 600n) }), 'made'],
    ['pays another amount', (token) => ({ to: token, data: transferOf(dest, 300n) }), 'not_made'],
    ['pays another account', (token, other) => ({ to: token, data: transferOf(other, 600n) }), 'not_made'],
    ['fails', (token) => ({ to: token, data: transferOf(dest, 2_000n) }), 'not_made'],
    ['sends coins', (_, other) => ({ to: other, value: 600n }), 'not_made'],
    ['calls a contract that pays the same', routed(600n), 'made'],
    ['calls a contract that pays another amount', routed(599n), 'unproven'],
    [
      'calls a contract without a move',
      async () => ({ to: await contract(FORWARDER), data: wordOf(dest) }),
      'unproven',
    ],
  ];
  it.each([...coins.map((row) => ['coins', ...row] as const), ...tokens.map((row) => ['a token', ...row] as const)])(
    'is compared with the payment of %s if it %s',
    async (kind, _, foreign, payment_) => {
      const token = await anvil.deployToken(wallet.address, 1_000n);
      const asset = { chain: 'ethereum', name: 'coupon', symbol: 'CPN', decimals: 6, token } as const;
      const attempt = await signed(payment(kind === 'coins' ? NATIVE_ASSETS.ethereum : asset, 600n));
      const other = (await payingWallet('ethereum')).address;
      const { to, value = 0n, data = '0x' } = await foreign(token, other);
      await anvil.call('anvil_impersonateAccount', wallet.address);
      const request = { from: wallet.address, to, value: `0x${value!.toString(16)}`, data, gas: '0x30d40' };
      const usedBy = await anvil.call('eth_sendTransaction', request);
      await anvil.mine(DEPTH + 1);
      expect(await status(chainAt(anvil.url), [attempt])).toEqual({ is: 'dead', usedBy, payment: payment_ });
    },
  );

  it.each([
    ['is found beside system transactions without a nonce', withSystemTransaction, 'dead'],
    ['proves nothing if the node reports it without a nonce', withoutNonces, 'unknown'],
  ] as const)('%s', async (_, change, is) => {
    const attempt = await signed();
    await anvil.call('anvil_impersonateAccount', wallet.address);
    await anvil.call('eth_sendTransaction', { from: wallet.address, to: dest, value: '0x1' });
    await anvil.mine(DEPTH + 1);
    const proxy = await ChainProxy.start(anvil.url);
    proxy.change = (_method, result) => change(result);
    const found = await status(chainAt(proxy.url), [attempt]);
    await proxy.stop();
    expect(found.is).toBe(is);
  });

  function transferOf(to: string, amount: bigint): string {
    return ERC20.encodeFunctionData('transfer', [to, amount]);
  }
  function forwarding(value: bigint): Foreign {
    return async () => ({ to: await contract(FORWARDER), value, data: wordOf(dest) });
  }
  /** A contract with tokens of its own pays. */
  function routed(amount: bigint): Foreign {
    return async (token) => {
      const router = await contract(FORWARDER);
      await anvil.call('anvil_setStorageAt', token, wordOf(router), `0x${'0'.repeat(60)}03e8`);
      return { to: router, data: wordOf(token) + transferOf(dest, amount).slice(2) };
    };
  }
});

function withoutNonces(result: unknown): unknown {
  const { transactions } = (result ?? {}) as { readonly transactions?: unknown };
  if (!Array.isArray(transactions)) return result;
  const without = (each: unknown): unknown => (typeof each === 'string' ? each : { ...(each as object), nonce: null });
  return { ...(result as object), transactions: transactions.map(without) };
}

describe('a nonce that no transaction of the account used', () => {
  let account: Wallet;
  let attempt: SignedAttempt;
  beforeEach(async () => {
    account = new Wallet(hexlify(randomBytes(32)), anvil.provider);
    await anvil.fund(account.address, parseEther('10'));
  });
  const signer = (): TransactionSigner => ({
    address: account.address,
    signTransaction: (unsigned) => getBytes(account.signingKey.sign(keccak256(unsigned)).serialized),
  });
  const payFrom = async (nonce: number): Promise<SignedAttempt> => {
    const of = { ...payment(), source: account.address };
    return (await chainAt(anvil.url).prepare(of)).sign(signer(), nonce);
  };
  /** A transaction of type 4 that another account sends. */
  const authorise = async (nonce: number, to: string = account.address): Promise<string> => {
    const address = await contract(CREATING);
    const authorization: AuthorizationLike = await account.authorize({ address, nonce, chainId: anvil.chainId });
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n, gasLimit: 300_000 };
    const { hash } = await anvil
      .rich()
      .sendTransaction({ type: 4, to, authorizationList: [authorization], chainId: anvil.chainId, ...fees });
    await anvil.mine();
    return hash;
  };
  const callAccount = async () => {
    const hash = await anvil.call('eth_sendTransaction', {
      from: anvil.rich().address,
      to: account.address,
      gas: '0x30d40',
    });
    await anvil.mine();
    return hash;
  };

  it('but an authorisation did, is proven by all blocks since the signing, and the transaction with it is named', async () => {
    attempt = await payFrom(0);
    const usedBy = await authorise(0, dest);
    expect(await anvil.provider.getTransactionCount(account.address)).toBe(1);
    expect((await foundInLooks(chainAt(anvil.url), account.address, [attempt])).is).toBe('unknown');
    await anvil.mine(DEPTH);
    const found = (...urls: string[]) => foundInLooks(chainAt(...urls), account.address, [attempt]);
    expect(await found(anvil.url)).toEqual({ is: 'dead', usedBy, payment: 'unproven' });
    expect(await found(anvil.url, pool.url)).toEqual({ is: 'dead', usedBy, payment: 'unproven' });
    expect(await found(anvil.url, 'http://127.0.0.1:1')).toMatchObject({
      is: 'unknown',
      stuckReason: 'nodes_disagree',
    });
  });

  it('but code of the account did, is proven by all blocks since the signing, and nothing is named', async () => {
    await authorise(0, dest);
    attempt = await payFrom(1);
    await callAccount();
    expect(await anvil.provider.getTransactionCount(account.address)).toBe(2);
    await anvil.mine(DEPTH);
    expect(await foundInLooks(chainAt(anvil.url), account.address, [attempt])).toEqual({
      is: 'dead',
      payment: 'unproven',
    });
    // An authorisation of the next nonce that came too late names nothing either.
    await authorise(1, dest);
    await anvil.mine(DEPTH);
    expect(await foundInLooks(chainAt(anvil.url), account.address, [attempt])).toEqual({
      is: 'dead',
      payment: 'unproven',
    });
  });

  it('is not proven by an authorisation alone, which the chain skips once a payment has the nonce', async () => {
    attempt = await payFrom(0);
    await send(attempt);
    await anvil.mine();
    await authorise(0, dest);
    await anvil.mine(DEPTH);
    pool.receiptsLost = true;
    const found = await foundInLooks(chainAt(pool.url), account.address, [attempt]);
    pool.receiptsLost = false;
    expect(found).toMatchObject({ is: 'mined', hash: attempt.hash, stuckReason: 'node_lacks_history' });
  });

  it('is not proven by a node that has deleted the transactions of its blocks', async () => {
    attempt = await payFrom(0);
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    const proxy = await ChainProxy.start(anvil.url);
    proxy.answer = (method) => (method === 'eth_getTransactionReceipt' ? null : undefined);
    proxy.change = (method, block) =>
      method === 'eth_getBlockByHash' ? { ...(block as object), transactions: [] } : block;
    const found = await foundInLooks(chainAt(proxy.url), account.address, [attempt]);
    await proxy.stop();
    expect(found.is).toBe('unknown');
  });
});

describe('an endpoint that comes to answer for another chain with the same id', () => {
  let proxy: ChainProxy;
  let other: Anvil;
  afterEach(async () => {
    await proxy.stop();
    await other.stop();
  });

  /** The service's chain through a proxy, which has been used. */
  async function movedTo(target: Anvil, ...more: string[]): Promise<{ chain: EthereumChain; move: () => void }> {
    other = target;
    proxy = await ChainProxy.start(anvil.url);
    const chain = chainAt(proxy.url, ...more);
    await chain.network();
    return { chain, move: () => (proxy.target = other.url) };
  }

  it('proves no end by a nonce that was used there, not even within the minute, and signs nothing', async () => {
    const { chain, move } = await movedTo(await Anvil.start({ blockTime: 'never' }));
    await anvil.mine(2 * DEPTH);
    const attempt = await signed();
    await other.fund(wallet.address, parseEther('10'));
    const there = (await chainAt(other.url).prepare(payment(NATIVE_ASSETS.ethereum, 1n))).sign(wallet, 0);
    await chainAt(other.url).send(there);
    await other.mine(100);
    move();
    expect(await status(chain, [attempt])).toMatchObject({ is: 'unknown', stuckReason: 'another_chain' });
    await expect(chain.nonces(wallet.address)).rejects.toThrow('not available');
    expect(await chain.send(attempt)).toMatchObject({ accepted: false });
    expect(await other.balance(dest)).toBe(1n);
  });

  it('prepares no payment there, so no attempt keeps a final block of that chain', async () => {
    const { chain, move } = await movedTo(await Anvil.start({ blockTime: 'never' }));
    await anvil.mine(2 * DEPTH);
    await other.fund(wallet.address, parseEther('10'));
    await other.mine(2 * DEPTH);
    move();
    await expect(chain.prepare(payment())).rejects.toThrow('not available');
    expect(proxy.calls.get('eth_getBalance')).toBe(1);
  });

  it('proves no end by a payment that was made there', async () => {
    const { chain, move } = await movedTo(await Anvil.start({ blockTime: 'never' }));
    await anvil.mine(2 * DEPTH);
    const attempt = await signed();
    await other.fund(wallet.address, parseEther('10'));
    await other.call('eth_sendRawTransaction', hexlify(attempt.raw));
    await other.mine(100);
    move();
    expect(await status(chain, [attempt])).toMatchObject({ is: 'unknown', stuckReason: 'another_chain' });
  });

  it('is not used as the second of two endpoints, whichever is asked first', async () => {
    other = await Anvil.start({ blockTime: 'never' });
    proxy = await ChainProxy.start(other.url);
    const networks = new NetworksInMemory();
    await chainOf(networks, anvil.url).network();
    const attempt = await signed();
    await send(attempt);
    await anvil.mine(DEPTH + 1);
    await other.mine(100);
    for (const urls of [
      [proxy.url, anvil.url],
      [anvil.url, proxy.url],
    ]) {
      const chain = chainOf(networks, ...urls);
      expect(await chain.balance(dest, NATIVE_ASSETS.ethereum)).toBe(parseEther('0.1'));
      expect(await status(chain, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
    }
    await expect(chainOf(networks, proxy.url).network()).rejects.toThrow('not available');
    expect(proxy.calls.get('eth_getBalance')).toBeUndefined();
  });

  it('is known by the blocks that were final at the signing if the first block is the same: the network began anew', async () => {
    const timestamp = 1_700_000_000;
    const [before, after] = [
      await Anvil.start({ blockTime: 'never', timestamp }),
      await Anvil.start({ blockTime: 'never', timestamp }),
    ];
    const firstOf = (each: Anvil) => each.provider.getBlock(0).then((block) => block!.hash);
    expect(await firstOf(after)).toBe(await firstOf(before));
    proxy = await ChainProxy.start(before.url);
    other = after;
    const chain = chainAt(proxy.url);
    await before.fund(wallet.address, parseEther('10'));
    await before.mine(3 * DEPTH);
    const attempt = (await chain.prepare(payment())).sign(wallet, 0);
    expect(await chain.areOfThisChain([attempt])).toBe(true);
    await before.stop();
    proxy.target = after.url;
    expect(await status(chain, [attempt])).toMatchObject({ is: 'unknown', stuckReason: 'another_chain' });
    expect(await chain.areOfThisChain([attempt])).toBe(false);
    await after.mine(4 * DEPTH);
    expect(await status(chain, [attempt])).toMatchObject({ is: 'unknown', stuckReason: 'another_chain' });
  });

  function chainOf(networks: NetworksInMemory, ...urls: string[]): EthereumChain {
    const settings = { urls, chainId: anvil.chainId, finality: DEPTH };
    return new EthereumChain(settings, undefined, undefined, networks);
  }
});
