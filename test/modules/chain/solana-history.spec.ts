import type { ForgottenTransactions, SearchProgress, StoredSearch } from '../../../src/kernel/chain/chain.js';
import { HistoryTooLong } from '../../../src/kernel/chain/chain.errors.js';
import { newId } from '../../../src/kernel/ids.js';
import type { Payment, TransactionSigner } from '../../../src/kernel/chain/payment.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { messageOf } from '../../../src/modules/chain/infrastructure/solana/solana-transaction.js';
import { ChainProxy } from '../../support/chain-proxy.js';
import { NATIVE_ASSETS } from '../../support/native-assets.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { payingWallet } from './paying-wallet.js';

const SOL = 1_000_000_000n;
/** More than two looks read. */
const FLOOD = 45_000;

let runtime: SolanaRuntime;
let proxy: ChainProxy;
let chain: SolanaChain;
let wallet: TransactionSigner;
let dest: string;
let since: Date;
beforeEach(async () => {
  runtime = await SolanaRuntime.start({ finalizedAfter: 8 });
  proxy = await ChainProxy.start(runtime.url);
  chain = new SolanaChain({ urls: [proxy.url], maxFeeLamports: 1_000_000n });
  wallet = await payingWallet('solana');
  dest = (await payingWallet('solana')).address;
  runtime.fund(wallet.address, 10n * SOL);
  since = new Date();
});
afterEach(async () => {
  await proxy.stop();
  await runtime.stop();
});

const payment = (fields: Partial<Payment> = {}): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.solana,
  source: wallet.address,
  dest,
  amount: SOL,
  ...fields,
});

/** As the database keeps it, for a database that has none of the transactions. */
class Progress implements SearchProgress {
  readonly stored = new Map<string, StoredSearch>();
  constructor(private readonly states: ReadonlyMap<string, keyof ForgottenTransactions> = new Map()) {}

  load(endpoint: string): Promise<StoredSearch | null> {
    return Promise.resolve(this.stored.get(endpoint) ?? null);
  }

  store(endpoint: string, progress: StoredSearch['progress'], version: number): Promise<boolean> {
    if ((this.stored.get(endpoint)?.version ?? 0) !== version) return Promise.resolve(false);
    this.stored.set(endpoint, { progress: JSON.parse(JSON.stringify(progress)), version: version + 1 });
    return Promise.resolve(true);
  }

  forgotten(named: readonly { hash: string; id: string }[]): Promise<ForgottenTransactions> {
    const of = (state: string): string[] =>
      named.filter(({ id }) => this.states.get(id) === state).map(({ hash }) => hash);
    return Promise.resolve({ ofOpen: of('ofOpen'), ofMissing: of('ofMissing') });
  }
}

/** True or false, or the number of looks that were not enough. */
async function searched(of: Payment, progress: Progress, most: number, by = chain): Promise<boolean | number> {
  for (let looks = 0; looks < most; looks++) {
    const answer = await by.isMade([of], { since, known: [], progress }, true).catch((error: unknown) => {
      if (error instanceof HistoryTooLong) return null;
      throw error;
    });
    if (answer !== null) return answer;
  }
  return most;
}

const callsOf = (method: string): number => proxy.calls.get(method) ?? 0;

async function pay(of: Payment, signer = wallet): Promise<void> {
  const signed = (await chain.prepare(of)).sign(signer, null);
  expect(await chain.send(signed)).toMatchObject({ accepted: true });
  runtime.advance(12);
}

it('finds a payment that was read for another one, in the part that is stored', async () => {
  const [first, second] = [payment(), payment()];
  await pay(second);
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const progress = new Progress(new Map([[second.transferId, 'ofOpen']]));
  expect(await searched(first, progress, 6)).toBe(false);
  expect(await searched(second, progress, 1)).toBe(true);
});

it('does not continue what was read when no missing transfer was looked for', async () => {
  const [first, lost] = [payment(), payment()];
  await pay(lost);
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const progress = new Progress(new Map([[lost.transferId, 'ofMissing']]));
  expect(await searched(first, progress, 6)).toBe(false);
  const search = { since, known: [], progress, lost: { since, among: () => Promise.resolve([lost.transferId]) } };
  for (let looks = 0; looks < 2; looks++)
    await expect(chain.transactionsOf(wallet.address, [first], search)).rejects.toThrow(HistoryTooLong);
  expect(await chain.transactionsOf(wallet.address, [first], search)).toMatchObject({ of: [{ makes: [] }] });
});

it('stores nothing that a fork may change', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(2);
  expect(await searched(payment(), progress, 2)).toBe(2);
  expect(progress.stored.size).toBe(0);
  runtime.advance(12);
  expect(await searched(payment(), progress, 6)).toBe(false);
});

it('reads the list of each endpoint by itself', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const of = payment();
  expect(await searched(of, progress, 2)).toBe(2);
  const other = new SolanaChain({ urls: [runtime.url], maxFeeLamports: 1_000_000n });
  expect(await searched(of, progress, 2, other)).toBe(2);
  expect(progress.stored.size).toBe(2);
  expect(await searched(of, progress, 1)).toBe(false);
});

it('goes on when another process has stored, and never behind it', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const of = payment();
  const depth = (): number => {
    const [{ version = 0 } = {}] = progress.stored.values();
    return version;
  };
  for (let rounds = 0, before = 0; rounds < 2; rounds++, before = depth()) {
    await Promise.allSettled([searched(of, progress, 1), searched(of, progress, 1), searched(of, progress, 1)]);
    // The pages of one whole look.
    expect(depth() - before).toBeGreaterThanOrEqual(17);
  }
  expect(await searched(of, progress, 2)).toBe(false);
});

it('reads on when strangers name the transfer in more transactions than one look reads', async () => {
  const of = payment();
  const stranger = await payingWallet('solana');
  runtime.fund(stranger.address, 10n * SOL);
  const call = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the answer of a node
    return ((await (await fetch(runtime.url, { method: 'POST', body })).json()) as any).result;
  };
  const { value: lifetime } = await call('getLatestBlockhash', [{ commitment: 'confirmed' }]);
  for (let amount = 1n; amount <= 450n; amount++) {
    const named = payment({ transferId: of.transferId, source: stranger.address, dest: wallet.address, amount });
    const message = messageOf({
      payment: named,
      tokens: null,
      lifetime,
      budget: { units: 100_000, microLamports: 0n },
    });
    const raw = Buffer.concat([
      Uint8Array.of(1),
      stranger.signTransaction(message as Uint8Array),
      message as Uint8Array,
    ]);
    await call('sendTransaction', [raw.toString('base64'), { encoding: 'base64' }]);
  }
  runtime.advance(12);
  const progress = new Progress();
  // The node lists the transactions that it has deleted.
  proxy.change = (method, result) => (method === 'getTransaction' ? null : result);
  for (let looks = 0; looks < 3; looks++) {
    const before = callsOf('getTransaction');
    expect(await searched(of, progress, 1)).toBe(true);
    expect(callsOf('getTransaction') - before).toBeLessThanOrEqual(200);
  }
  proxy.change = null;
  expect(await searched(of, progress, 2)).toBe(2);
  expect(await searched(of, progress, 2)).toBe(false);
});

it('comes to the end although one of three endpoints never does', async () => {
  const progress = new (class extends Progress {
    private endpoint: string | null = null;
    override store(endpoint: string, stored: StoredSearch['progress'], version: number): Promise<boolean> {
      this.endpoint ??= endpoint;
      return endpoint === this.endpoint ? Promise.resolve(false) : super.store(endpoint, stored, version);
    }
  })();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const other = await ChainProxy.start(runtime.url);
  const three = new SolanaChain({ urls: [proxy.url, other.url, runtime.url], maxFeeLamports: 1_000_000n });
  const ended = await searched(payment(), progress, 6, three).finally(() => other.stop());
  expect(ended).toBe(false);
});

it('reads again what was read more than a day ago, since the list of the node may have had a gap', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  expect(await searched(payment(), progress, 2)).toBe(2);
  for (const [endpoint, stored] of progress.stored) {
    const { spans, ...rest } = stored.progress as unknown as { spans: { readAt: number }[] };
    const aged = spans.map((span) => ({ ...span, readAt: span.readAt - 86_400_000 }));
    progress.stored.set(endpoint, {
      ...stored,
      progress: { ...rest, spans: aged } as unknown as StoredSearch['progress'],
    });
  }
  expect(await searched(payment(), progress, 1)).toBe(1);
  expect(await searched(payment(), progress, 6)).toBe(false);
});

it('takes no entry without a time for the end of a list', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  proxy.change = (method, result) =>
    method === 'getSignaturesForAddress'
      ? (result as object[]).map((entry) => ({ ...entry, blockTime: null }))
      : result;
  expect(await searched(payment(), progress, 6)).toBe(false);
  proxy.change = null;
  runtime.flood(wallet.address, 150);
  runtime.advance(12);
  since = new Date(Date.now() + 3_600_000);
  expect(await searched(payment(), progress, 1)).toBe(false);
});

it('reads once for all transfers that are looked at simultaneously', async () => {
  const progress = new Progress();
  runtime.flood(wallet.address, FLOOD);
  runtime.advance(12);
  const before = callsOf('getSignaturesForAddress');
  await Promise.all(Array.from({ length: 6 }, () => searched(payment(), progress, 1)));
  // One whole look, and the first page of the others.
  expect(callsOf('getSignaturesForAddress') - before).toBeLessThanOrEqual(26);
});
