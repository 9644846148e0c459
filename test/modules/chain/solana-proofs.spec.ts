import { createHash } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import type {
  SignedAttempt,
  TransactionSigner,
  PaymentStatus,
  ProofProgress,
} from '../../../src/kernel/chain/payment.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { MACHINES, type Machine } from '../../support/machine-pool.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { payingWallet } from './paying-wallet.js';

const SOL = 1_000_000_000n;
const FINALIZED_AFTER = 31;
/** Blocks in which a blockhash may be used, as its last valid block height has it. */
const LIFE = 150;

// A proof reads about 150 blocks, and a busy machine takes its time for that.

let runtime: SolanaRuntime;
let proxy: ChainProxy;
let chain: SolanaChain;
let wallet: TransactionSigner;
let dest: string;

beforeEach(async () => {
  runtime = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
  proxy = await ChainProxy.start(runtime.url);
  chain = new SolanaChain({ urls: [proxy.url], maxFeeLamports: 1_000_000n });
  wallet = await payingWallet('solana');
  dest = (await payingWallet('solana')).address;
  runtime.fund(wallet.address, 10n * SOL);
});
afterEach(async () => {
  await proxy.stop();
  await runtime.stop();
});

const payment = () => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.solana,
  source: wallet.address,
  dest,
  amount: SOL,
});
const signed = async (of = payment()): Promise<SignedAttempt> => (await chain.prepare(of)).sign(wallet, null);

interface Look {
  readonly status: PaymentStatus;
  readonly progress: ProofProgress | null;
}
const progressIn = (status: PaymentStatus): ProofProgress | null =>
  ('progress' in status ? status.progress : undefined) ?? null;

async function lookOnce(attempts: readonly SignedAttempt[], progress: ProofProgress | null, by = chain): Promise<Look> {
  const status = await by.status(wallet.address, attempts, progress);
  return { status, progress: progressIn(status) ?? progress };
}

/** The status after the proof has made all its looks. */
async function status(attempts: readonly SignedAttempt[], by = chain): Promise<PaymentStatus> {
  for (let progress: ProofProgress | null = null; ;) {
    const look = await lookOnce(attempts, progress, by);
    // As it is stored between looks.
    const stored = JSON.parse(JSON.stringify(look.progress)) as ProofProgress | null;
    if (look.status.is === 'dead' || progressIn(look.status) === null) return look.status;
    progress = stored;
  }
}

/** A block as a node answers it that does not list what it holds. */
const unlisted = (block: unknown) => ({ ...(block as object), signatures: [] });
/** What the first version of the proof stored with its progress. */
const digestOf = (hash: string) => createHash('sha256').update(hash).digest('base64url');

/** A runtime whose newest block may still hold the attempt, and no block after it. */
async function forgotten(): Promise<SignedAttempt> {
  runtime.fate = () => 'forget';
  const attempt = await signed();
  await chain.send(attempt);
  runtime.fate = () => 'land';
  return attempt;
}

describe('the proof that a Solana payment has expired', () => {
  it('reads the whole range of blocks, a bounded number at each look, and none of them twice', async () => {
    const attempt = await forgotten();
    runtime.expireBlockhashes();
    proxy.calls.clear();
    let looks = 0;
    let is = '';
    for (let progress: ProofProgress | null = null; is !== 'dead' && looks < 20; looks++) {
      const before = proxy.calls.get('getBlock') ?? 0;
      const look = await lookOnce([attempt], progress);
      expect((proxy.calls.get('getBlock') ?? 0) - before).toBeLessThanOrEqual(49);
      progress = JSON.parse(JSON.stringify(look.progress)) as ProofProgress;
      is = look.status.is;
    }
    expect(is).toBe('dead');
    expect(looks).toBeGreaterThan(2);
    expect(proxy.calls.get('getBlock')).toBeGreaterThan(LIFE);
    expect(proxy.calls.get('getBlock')).toBeLessThan(LIFE + 10);
  });

  it('the proof of an expiry spans slots without a block', async () => {
    const attempt = await forgotten();
    runtime.skip(3);
    runtime.advance(70);
    runtime.skip(40);
    runtime.advance(LIFE - 72);
    // The last block that may hold it is the newest; it has to be final.
    expect((await status([attempt])).is).toBe('not_seen');
    runtime.advance(FINALIZED_AFTER + 1);
    expect((await status([attempt])).is).toBe('dead');
  });

  it('covers the block after the last valid height, in which the runtime still takes the transaction', async () => {
    runtime.fate = () => 'hold';
    const attempt = await signed();
    await chain.send(attempt);
    // The blockhash is of the block before the newest.
    runtime.advance(LIFE);
    runtime.release();
    expect(runtime.balance(dest)).toBe(SOL);
    const landedAt = runtime.slot;
    runtime.advance(FINALIZED_AFTER);
    const statuses = { context: { slot: runtime.slot }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? statuses : undefined);
    expect(await status([attempt])).toMatchObject({ is: 'unknown', stuckReason: 'nodes_disagree' });
    proxy.answer = () => undefined;
    expect(await status([attempt])).toMatchObject({ is: 'final', outcome: 'success', block: { number: landedAt } });
  });

  it.each([
    ['the block of its blockhash and those before it', 110, -1],
    ['the first block that may hold it', 1, 0],
    ['blocks in the middle', 30, 60],
    ['the last block that may hold it', 1, LIFE - 1],
  ])(
    'is not given by a node that lacks %s, whose statuses are null and whose first block is old',
    async (_, missed, later) => {
      runtime.fate = () => 'hold';
      const attempt = await signed();
      await chain.send(attempt);
      if (later > 0) runtime.advance(later);
      if (later >= 0) runtime.release();
      runtime.advance();
      runtime.restartFromSnapshot(missed + 1);
      runtime.expireBlockhashes();
      expect(await status([attempt])).toMatchObject({ is: 'unknown', stuckReason: 'node_lacks_history' });
      runtime.fillHoles();
      expect((await status([attempt])).is).toBe(later >= 0 ? 'final' : 'dead');
    },
  );

  it('the proof of an expiry continues from the blocks that were read before nodes failed', async () => {
    const attempt = await forgotten();
    runtime.expireBlockhashes();
    let left = 20;
    proxy.fault = (method) => (method === 'getBlock' && left-- <= 0 ? 'unavailable' : null);
    const first = await lookOnce([attempt], null);
    expect(first.status).toMatchObject({ is: 'not_seen', progress: expect.anything() });
    proxy.fault = () => null;
    proxy.calls.clear();
    let look = first;
    while (look.status.is !== 'dead') look = await lookOnce([attempt], look.progress);
    expect(proxy.calls.get('getBlock')).toBeLessThan(LIFE);
  });

  it('the proof of an expiry holds only for the attempts for which it began', async () => {
    const first = await forgotten();
    runtime.expireBlockhashes();
    let look = await lookOnce([first], null);
    while (look.status.is !== 'dead') look = await lookOnce([first], look.progress);
    // Carried out, in a block of which the node knows nothing.
    const paid = await signed();
    await chain.send(paid);
    runtime.restartFromSnapshot(1);
    runtime.expireBlockhashes();
    for (const attempts of [[first, paid], [paid], [paid, first]]) {
      const { status } = await lookOnce(attempts, look.progress);
      expect(status).toMatchObject({ is: 'unknown', stuckReason: 'node_lacks_history' });
    }
  });

  it.each([
    ['a text', () => 'abc'],
    ['of another form', () => ({ proven: -1, at: 'x' })],
    ['a place of another form', ({ digest }: ProofProgress) => ({ proven: 0, at: { slot: 'x', links: 200 }, digest })],
    ['of an earlier version', (_: ProofProgress, hash: string) => ({ proven: 1, at: null, digest: digestOf(hash) })],
  ])('takes stored progress that is %s for none', async (_, spoiled) => {
    const attempt = await signed();
    await chain.send(attempt);
    runtime.expireBlockhashes();
    const statuses = { context: { slot: runtime.slot }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? statuses : undefined);
    proxy.change = (method, result) => (method === 'getBlock' ? unlisted(result) : result);
    const { progress } = await lookOnce([attempt], null);
    proxy.change = null;
    const look = await lookOnce([attempt], spoiled(progress!, attempt.hash) as unknown as ProofProgress);
    expect(look.status).toMatchObject({ is: 'unknown', stuckReason: 'nodes_disagree' });
  });

  it.each([40, 200])('no expiry is proven if the slot returned with the blockhash was %d too high', async (slots) => {
    const attempt = await signed();
    await chain.send(attempt);
    runtime.advance(300);
    const statuses = { context: { slot: runtime.slot }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? statuses : undefined);
    const misplaced = { ...attempt, validFromSlot: attempt.validFromSlot! + slots };
    expect(await status([misplaced])).toMatchObject({ is: 'unknown', stuckReason: 'nodes_disagree' });
  });

  it('takes the blocks of each attempt once: one signed after the proof does not have the earlier ones read again', async () => {
    const first = await forgotten();
    runtime.expireBlockhashes();
    let look = await lookOnce([first], null);
    while (look.status.is !== 'dead') look = await lookOnce([first], look.progress);
    const second = await forgotten();
    runtime.expireBlockhashes();
    proxy.calls.clear();
    do look = await lookOnce([first, second], look.progress);
    while (look.status.is !== 'dead');
    expect(proxy.calls.get('getBlock')).toBeLessThan(LIFE + 10);
  });

  it('an expiry is proven after the cluster left the fork of the blockhash, once the blocks of the other fork are read to its end', async () => {
    runtime.advance(5);
    const attempt = await forgotten();
    runtime.fork(5);
    runtime.advance(LIFE - 1 + FINALIZED_AFTER);
    expect((await status([attempt])).is).toBe('not_seen');
    runtime.advance();
    expect((await status([attempt])).is).toBe('dead');
  });

  it('an expiry is proven although machines behind one address answer from a fork, or late', async () => {
    const attempt = await forgotten();
    runtime.advance(4);
    runtime.fork(8);
    runtime.expireBlockhashes();
    const machines: Readonly<Record<number, Machine>> = { 4: 'lagging', 9: 'forked' };
    let call = 0;
    runtime.route = () => machines[call++ % 13] ?? 'head';
    runtime.advance(4);
    let status: PaymentStatus = { is: 'not_seen' };
    let progress: ProofProgress | null = null;
    for (let looks = 0; status.is !== 'dead' && looks < 400; looks++) {
      ({ status, progress } = await lookOnce([attempt], progress));
      expect(['dead', 'not_seen', 'unknown']).toContain(status.is);
    }
    expect(status.is).toBe('dead');
  });

  it('a pool in which one machine lacks the block of the payment proves no expiry', async () => {
    const attempt = await signed();
    await chain.send(attempt);
    runtime.advance(2);
    runtime.restartFromSnapshot(10, ['restored']);
    runtime.expireBlockhashes();
    let call = 0;
    runtime.route = (method) => (method === 'getSignatureStatuses' ? 'restored' : MACHINES[call++ % MACHINES.length]!);
    let progress: ProofProgress | null = null;
    for (let looks = 0; looks < 60; looks++) {
      const look = await lookOnce([attempt], progress);
      expect(look.status.is).not.toBe('dead');
      progress = look.progress;
    }
    runtime.route = () => 'head';
    expect(await status([attempt])).toMatchObject({ is: 'final', outcome: 'success' });
  });
});

describe('several Solana endpoints', () => {
  let other: ChainProxy;
  let both: SolanaChain;

  /** The second endpoint is always the restored machine. */
  beforeEach(async () => {
    other = await ChainProxy.start(runtime.url);
    both = new SolanaChain({ urls: [proxy.url, other.url], maxFeeLamports: 1_000_000n });
  });
  afterEach(() => other.stop());

  const down = (of: ChainProxy) => (of.fault = () => 'unavailable');

  it('several Solana endpoints serve reads and accept payments while one of them is down, and each payment is sent to both', async () => {
    down(proxy);
    const attempt = (await both.prepare(payment())).sign(wallet, null);
    expect(await both.send(attempt)).toEqual({ accepted: true, detail: attempt.hash });
    expect(await both.status(wallet.address, [attempt])).toMatchObject({ is: 'submitted' });
    runtime.advance(FINALIZED_AFTER);
    expect(await both.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
    expect([proxy, other].map(({ calls }) => calls.get('sendTransaction'))).toEqual([1, 1]);
  });

  it('several Solana endpoints share the time limit of a call, even if it does not divide into whole milliseconds', async () => {
    const three = new SolanaChain({ urls: [proxy.url, other.url, runtime.url], maxFeeLamports: 1_000_000n });
    const attempt = (await three.prepare(payment())).sign(wallet, null);
    expect(await three.send(attempt)).toEqual({ accepted: true, detail: attempt.hash });
  });

  it('two Solana endpoints prove an expiry together, and neither proves it alone', async () => {
    const attempt = await forgotten();
    runtime.expireBlockhashes();
    down(other);
    expect((await status([attempt], both)).is).not.toBe('dead');
    other.fault = (method) => (method === 'getBlock' ? 'unavailable' : null);
    expect(await status([attempt], both)).toMatchObject({ is: 'unknown' });
    other.fault = () => null;
    expect((await status([attempt], both)).is).toBe('dead');
  });

  it('several Solana endpoints prove no expiry while one of them has a status or lists the payment in a block', async () => {
    const attempt = await signed();
    await chain.send(attempt);
    runtime.expireBlockhashes();
    const statuses = { context: { slot: runtime.slot }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? statuses : undefined);
    expect(await status([attempt], both)).toMatchObject({ is: 'final', outcome: 'success' });
    other.answer = proxy.answer;
    expect(await status([attempt], both)).toMatchObject({ is: 'unknown', stuckReason: 'nodes_disagree' });
  });

  it('several Solana endpoints prove no expiry while a slow endpoint has a status, although the two other endpoints have none', async () => {
    const attempt = await signed();
    await chain.send(attempt);
    runtime.expireBlockhashes();
    // Later than a search waits for it; and it does not take part in reading the blocks.
    const slow = await ChainProxy.start(runtime.url, 1_500);
    slow.fault = (method) =>
      method === 'getBlock' ? 'unavailable' : method === 'getSignatureStatuses' ? 'late' : null;
    const statuses = { context: { slot: runtime.slot }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? statuses : undefined);
    other.answer = proxy.answer;
    for (const each of [proxy, other])
      each.change = (method, result) => (method === 'getBlock' ? unlisted(result) : result);
    const urls = [proxy.url, other.url, slow.url];
    const three = new SolanaChain({ urls, maxFeeLamports: 1_000_000n, timeoutMs: 90_000 });
    expect((await status([attempt], three)).is).not.toBe('dead');
    await slow.stop();
  });

  it('Solana endpoints that read different blocks prove no expiry', async () => {
    const attempt = await forgotten();
    runtime.expireBlockhashes();
    other.answer = (method) =>
      method === 'getBlock'
        ? { blockHeight: 1, blockhash: dest, previousBlockhash: dest, parentSlot: 1, signatures: [] }
        : undefined;
    expect((await status([attempt], both)).is).toBe('unknown');
  });

  it('Solana endpoints of another cluster are ignored', async () => {
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    elsewhere.advance(10_000);
    const mixed = new SolanaChain({ urls: [proxy.url, elsewhere.url], maxFeeLamports: 1_000_000n });
    const attempt = await forgotten();
    runtime.expireBlockhashes();
    expect((await status([attempt], mixed)).is).not.toBe('dead');
    await elsewhere.stop();
  });
});

describe('the proof that a Solana payment is final', () => {
  it.each(['getTransaction', 'getBlock'])(
    'a Solana payment is not final while %s contradicts the status',
    async (method) => {
      const attempt = await signed();
      await chain.send(attempt);
      runtime.advance(FINALIZED_AFTER);
      const block = { blockHeight: 1, blockhash: dest, previousBlockhash: dest, parentSlot: 1, signatures: [] };
      proxy.answer = (called) => (called !== method ? undefined : method === 'getBlock' ? block : null);
      expect((await chain.status(wallet.address, [attempt])).is).toBe('unknown');
      proxy.answer = () => undefined;
      expect(await chain.status(wallet.address, [attempt])).toMatchObject({ is: 'final', outcome: 'success' });
    },
  );

  it('neither a payment nor a failure that only a fork holds is final', async () => {
    runtime.fate = () => 'hold';
    const failing = await signed();
    await chain.send(failing);
    runtime.fund(wallet.address, SOL / 2n - 10n * SOL);
    runtime.release();
    runtime.advance(3);
    runtime.fork(10);
    runtime.fund(wallet.address, 10n * SOL);
    runtime.route = () => 'forked';
    expect((await status([failing])).is).toBe('mined');
    runtime.advance(2 * LIFE);
    expect((await status([failing])).is).toBe('mined');
    let call = 0;
    runtime.route = () => (['forked', 'head'] as const)[call++ % 2]!;
    for (let looks = 0; looks < 20; looks++) expect((await status([failing])).is).not.toBe('final');
  });
});
