import {
  address,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  isOffCurveAddress,
} from '@solana/kit';
import { AccountState } from '@solana-program/token';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '../../../src/kernel/ids.js';
import { type Asset, NATIVE_ASSETS } from '../../../src/modules/transfer/domain/asset.js';
import {
  assertCovered,
  type Payment,
  type SignedAttempt,
  type Standing,
  type TransactionSigner,
} from '../../../src/modules/transfer/domain/chain.js';
import {
  BelowRentMinimum,
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  PaymentRefusedByChain,
} from '../../../src/modules/transfer/domain/chain.errors.js';
import { SolanaChain } from '../../../src/modules/transfer/infrastructure/solana-chain.js';
import { ChainProxy, type Fault, FAULTS } from '../../support/chain-proxy.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { payingWallet } from './paying-wallet.js';

const SOL = 1_000_000_000n;
const FEE = 5_000n;
/** What an account without data must hold, and one that holds a token. */
const RENT_OF_WALLET = 890_880n;
const RENT_OF_TOKEN_ACCOUNT = 2_039_280n;
const FINALIZED_AFTER = 31;
/** Blocks in which a blockhash may be used. */
const LIFE = 150;

let runtime: SolanaRuntime;
let proxy: ChainProxy;
let chain: SolanaChain;
let wallet: TransactionSigner;
let dest: string;

beforeAll(async () => {
  runtime = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
  proxy = await ChainProxy.start(runtime.url, 20);
});
afterAll(async () => {
  await proxy.stop();
  await runtime.stop();
});
beforeEach(async () => {
  proxy.fault = () => null;
  proxy.answer = () => undefined;
  runtime.fate = () => 'land';
  runtime.statusLag = 0;
  chain = new SolanaChain({ url: proxy.url, timeoutMs: 5_000 });
  wallet = await payingWallet('solana');
  dest = (await payingWallet('solana')).address;
  runtime.fund(wallet.address, 10n * SOL);
});

const payment = (changes: Partial<Payment> = {}): Payment => ({
  transferId: newId('transfer'),
  asset: NATIVE_ASSETS.solana,
  source: wallet.address,
  dest,
  amount: SOL,
  ...changes,
});
const token = async (held = 1_000n, decimals = 6): Promise<Asset> => {
  const mint = runtime.createMint(6);
  await runtime.fundToken(mint, wallet.address, held);
  return { chain: 'solana', name: 'coupon', symbol: 'CPN', decimals, token: mint };
};
const signed = async (of: Payment): Promise<SignedAttempt> => (await chain.prepare(of)).sign(wallet, null);
const status = (...attempts: SignedAttempt[]): Promise<Standing> => chain.status(wallet.address, attempts);

describe('a solana address', () => {
  it('is base58 of a public key', () => {
    expect(chain.address(wallet.address)).toBe(wallet.address);
  });

  it('is never off the curve, where no key is; a mint may be', () => {
    let programs = getAddressDecoder().decode(randomBytes(32));
    while (!isOffCurveAddress(programs)) programs = getAddressDecoder().decode(randomBytes(32));
    expect(() => chain.address(programs)).toThrow(InvalidAddress);
    expect(chain.tokenAddress(programs)).toBe(programs);
  });

  it.each([
    '',
    '1',
    'not an address',
    '1FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
    'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9n',
    'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS960',
    ' FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z',
    'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z\n',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    getBase58Decoder().decode(new Uint8Array(33).fill(7)),
  ])('is not %j', (text) => {
    expect(() => chain.address(text)).toThrow(InvalidAddress);
    expect(() => chain.tokenAddress(text)).toThrow(InvalidAddress);
  });
});

describe('preparing a payment on Solana', () => {
  it('quotes exactly what the chain will take', async () => {
    const prepared = await chain.prepare(payment());
    expect(prepared).toMatchObject({ feeCap: FEE, balances: { coin: 10n * SOL, asset: 10n * SOL } });
    expect(prepared.minimumLeft).toBe(RENT_OF_WALLET);
    await expect(chain.prepare(payment(), FEE - 1n)).rejects.toThrow(FeesAboveQuote);
  });

  it('signs what the payment says, for as long as the blockhash lives', async () => {
    const of = payment();
    const attempt = await signed(of);
    const { messageBytes, signatures } = getTransactionDecoder().decode(attempt.raw);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    expect(Object.keys(signatures)).toEqual([wallet.address]);
    expect(message.staticAccounts.slice(0, 2)).toEqual([wallet.address, dest]);
    expect(attempt).toMatchObject({ nonce: null, maxFee: FEE, network: await chain.network() });
    expect(attempt.hash).toBe(getBase58Decoder().decode(attempt.raw.subarray(1, 65)));
    expect(attempt.lastValidBlockHeight! - LIFE).toBeLessThan(attempt.validFromSlot!);
  });

  it('gives nothing to another wallet’s signer, and lets no wrong signature out', async () => {
    const prepared = await chain.prepare(payment());
    const other = await payingWallet('solana');
    expect(() => prepared.sign(other, null)).toThrow('not the source');
    const short = { address: wallet.address, signTransaction: () => new Uint8Array(63) };
    expect(() => prepared.sign(short, null)).toThrow();
  });

  it('refuses more than the source holds', async () => {
    await expect(chain.prepare(payment({ amount: 10n * SOL + 1n }))).rejects.toThrow(InsufficientFunds);
    await expect(chain.prepare(payment({ asset: await token(), amount: 1_001n }))).rejects.toThrow(InsufficientFunds);
    const asset = { ...(await token()), token: runtime.createMint(6) };
    await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow(InsufficientFunds);
  });

  it('refuses a new account less than the rent-exempt minimum; one that has it may get less', async () => {
    await expect(chain.prepare(payment({ amount: RENT_OF_WALLET - 1n }))).rejects.toThrow(BelowRentMinimum);
    await expect(chain.prepare(payment({ amount: RENT_OF_WALLET }))).resolves.toBeDefined();
    runtime.fund(dest, RENT_OF_WALLET);
    await expect(chain.prepare(payment({ amount: 1n }))).resolves.toBeDefined();
  });

  it('leaves the source the rent-exempt minimum, or nothing', async () => {
    const covered = async (amount: bigint) => {
      const of = payment({ amount });
      assertCovered(of, await chain.prepare(of), { coin: 0n, asset: 0n });
    };
    await expect(covered(10n * SOL - FEE - RENT_OF_WALLET)).resolves.toBeUndefined();
    await expect(covered(10n * SOL - FEE - RENT_OF_WALLET + 1n)).rejects.toThrow(BelowRentMinimum);
    await expect(covered(10n * SOL - FEE - 1n)).rejects.toThrow(BelowRentMinimum);
    await expect(covered(10n * SOL - FEE)).resolves.toBeUndefined();
    await expect(covered(10n * SOL - FEE + 1n)).rejects.toThrow(InsufficientFunds);
  });

  it('refuses a destination that belongs to a program', async () => {
    runtime.own(address(dest), new Uint8Array(10));
    await expect(chain.prepare(payment())).rejects.toThrow(PaymentRefusedByChain);
  });

  it('refuses a token of other decimals than listed, and what is no mint', async () => {
    await expect(chain.prepare(payment({ asset: await token(1_000n, 9), amount: 1n }))).rejects.toThrow(
      'has 6 decimals',
    );
    const asset = { ...(await token()), token: dest };
    await expect(chain.prepare(payment({ asset, amount: 1n }))).rejects.toThrow('is not a mint');
  });

  it('refuses token accounts that are frozen, or that their owner has handed over', async () => {
    const asset = await token();
    const of = payment({ asset, amount: 1n });
    await runtime.fundToken(asset.token!, dest, 0n, { state: AccountState.Frozen });
    await expect(chain.prepare(of)).rejects.toThrow(PaymentRefusedByChain);
    await runtime.fundToken(asset.token!, dest, 0n, { owner: wallet.address });
    await expect(chain.prepare(of)).rejects.toThrow(PaymentRefusedByChain);
    await runtime.fundToken(asset.token!, dest, 0n);
    await expect(chain.prepare(of)).resolves.toBeDefined();
    await runtime.fundToken(asset.token!, wallet.address, 9n, { state: AccountState.Frozen });
    await expect(chain.prepare(of)).rejects.toThrow(PaymentRefusedByChain);
  });

  it('is refused without a node', async () => {
    const nowhere = new SolanaChain({ url: 'http://127.0.0.1:1' });
    await expect(nowhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    await expect(nowhere.balance(dest, NATIVE_ASSETS.solana)).rejects.toThrow(ChainUnavailable);
  });
});

describe('a payment on Solana', () => {
  it('is not seen, submitted, mined and final', async () => {
    const of = payment();
    const attempt = await signed(of);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    expect(await chain.send(attempt)).toEqual({ accepted: true, detail: attempt.hash });
    expect(await status(attempt)).toEqual({ is: 'submitted', hash: attempt.hash });
    runtime.advance();
    expect(await status(attempt)).toMatchObject({ is: 'mined', hash: attempt.hash, block: { hash: null } });
    runtime.advance(FINALIZED_AFTER - 2);
    expect(await status(attempt)).toMatchObject({ is: 'mined' });
    runtime.advance();
    expect(await status(attempt)).toMatchObject({ is: 'final', hash: attempt.hash, outcome: 'success', fee: FEE });
    expect(await chain.balance(wallet.address, of.asset)).toBe(9n * SOL - FEE);
    expect(await chain.balance(dest, of.asset)).toBe(SOL);
  });

  it('has no nonce, nothing dearer replaces it and nothing calls it back', async () => {
    expect(await chain.nonces()).toBeNull();
    expect(await chain.prepareBump()).toBeNull();
    expect(await chain.prepareCancellation()).toBeNull();
  });

  it('sent again, however often, is paid once', async () => {
    const attempt = await signed(payment());
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    runtime.advance(FINALIZED_AFTER);
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('equal to another in one blockhash is paid like the other, for the memo tells them apart', async () => {
    const [one, other] = await Promise.all([signed(payment()), signed(payment())]);
    expect(one.blockhash).toBe(other.blockhash);
    expect(one.hash).not.toBe(other.hash);
    await Promise.all([chain.send(one), chain.send(other)]);
    runtime.advance(FINALIZED_AFTER);
    expect(runtime.balance(dest)).toBe(2n * SOL);
    expect(await status(one)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await status(other)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('on a fork that was left is not mined any more, and is carried out on the other one', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.advance(5);
    expect(await status(attempt)).toMatchObject({ is: 'mined' });
    runtime.fork(10);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    expect(runtime.balance(dest)).toBe(0n);
    await chain.send(attempt);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('that fails on the chain is reverted, and its fee is known', async () => {
    runtime.fate = () => 'hold';
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.fund(wallet.address, SOL / 2n - 10n * SOL);
    runtime.release();
    expect(await status(attempt)).toMatchObject({ is: 'submitted' });
    runtime.advance(FINALIZED_AFTER);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'reverted', fee: FEE });
    expect(runtime.balance(dest)).toBe(0n);
  });

  it('in a token makes the destination’s account if there is none, and counts its rent to the fees', async () => {
    const asset = await token();
    const of = payment({ asset, amount: 300n });
    const prepared = await chain.prepare(of);
    expect(prepared).toMatchObject({
      feeCap: FEE + RENT_OF_TOKEN_ACCOUNT,
      balances: { coin: 10n * SOL, asset: 1_000n },
    });
    const first = prepared.sign(wallet, null);
    await chain.send(first);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(first)).toMatchObject({ is: 'final', outcome: 'success', fee: FEE + RENT_OF_TOKEN_ACCOUNT });

    const second = (await chain.prepare({ ...of, transferId: newId('transfer') }, prepared.feeCap)).sign(wallet, null);
    await chain.send(second);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(second)).toMatchObject({ is: 'final', outcome: 'success', fee: FEE });
    expect(await chain.balance(dest, asset)).toBe(600n);
    expect(await chain.balance(wallet.address, asset)).toBe(400n);
  });
});

describe('proof that a payment on Solana is dead', () => {
  it('is a final block past the last one that may hold it, to the block', async () => {
    runtime.fate = () => 'forget';
    const attempt = await signed(payment());
    expect(await chain.send(attempt)).toMatchObject({ accepted: true });
    // The blockhash was asked one slot behind the newest; the final block is `FINALIZED_AFTER` behind.
    runtime.advance(LIFE - 1 + FINALIZED_AFTER);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    runtime.advance();
    expect(await status(attempt)).toEqual({ is: 'dead' });
  });

  it('is not given to a payment that was carried out at the last moment', async () => {
    runtime.fate = () => 'hold';
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.advance(LIFE - 1);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    runtime.release();
    runtime.expireBlockhashes();
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('once given stays true: the bytes are never carried out after it', async () => {
    runtime.fate = () => 'hold';
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.expireBlockhashes();
    expect(await status(attempt)).toEqual({ is: 'dead' });
    runtime.release();
    await chain.send(attempt);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(attempt)).toEqual({ is: 'dead' });
    expect(runtime.balance(dest)).toBe(0n);
  });

  it('wants every signature ever made: an earlier one that was carried out is found', async () => {
    runtime.fate = () => 'hold';
    const of = payment();
    const early = await signed(of);
    await chain.send(early);
    runtime.release();
    runtime.fate = () => 'forget';
    runtime.advance();
    const late = await signed(of);
    runtime.expireBlockhashes();
    expect(await status(late)).toEqual({ is: 'dead' });
    expect(await status(early, late)).toMatchObject({ is: 'final', hash: early.hash, outcome: 'success' });
  });

  it('is not given while a later signature may still be carried out', async () => {
    runtime.fate = () => 'forget';
    const of = payment();
    const early = await signed(of);
    runtime.expireBlockhashes();
    const late = await signed(of);
    expect(await status(early, late)).toEqual({ is: 'not_seen' });
    runtime.expireBlockhashes();
    expect(await status(early, late)).toEqual({ is: 'dead' });
  });

  it('of the others is wanted before a failed signature decides', async () => {
    const of = payment();
    runtime.fate = () => 'hold';
    const failing = await signed(of);
    await chain.send(failing);
    runtime.fund(wallet.address, SOL / 2n - 10n * SOL);
    runtime.release();
    runtime.advance(FINALIZED_AFTER);
    runtime.fund(wallet.address, 10n * SOL);
    const other = await signed(of);
    expect(await status(failing, other)).toEqual({ is: 'not_seen' });
    runtime.expireBlockhashes();
    expect(await status(failing, other)).toMatchObject({ is: 'final', hash: failing.hash, outcome: 'reverted' });
  });

  it('is not given to a payment of long ago, which a node finds only in its history', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.advance(5_000);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('is not taken from statuses older than the final block, nor from a node without the history', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.expireBlockhashes();
    runtime.statusLag = LIFE + 3 * FINALIZED_AFTER;
    expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    runtime.statusLag = 0;
    runtime.forgetHistory();
    expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    runtime.forgetHistory(0);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('is not put together from what one machine has no status of and another keeps the blocks of', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.expireBlockhashes();
    const started = { context: { slot: 1_000_000_000 }, value: [null] };
    proxy.answer = (method) => (method === 'getSignatureStatuses' ? started : undefined);
    expect(await status(attempt)).toMatchObject({ is: 'unknown' });
    proxy.answer = () => undefined;
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('is given for more signatures than a node looks up at once, as one of which each is found', async () => {
    const of = payment();
    const attempt = await signed(of);
    const others = Array.from({ length: 299 }, () => ({
      ...attempt,
      hash: getBase58Decoder().decode(randomBytes(64)),
    }));
    runtime.expireBlockhashes();
    expect(await status(...others, attempt)).toEqual({ is: 'dead' });
    const paid = await signed(of);
    await chain.send(paid);
    runtime.expireBlockhashes();
    expect(await status(...others, paid)).toMatchObject({ is: 'final', hash: paid.hash });
    expect(await status(paid, ...others)).toMatchObject({ is: 'final', hash: paid.hash });
  });

  it('is never taken from another cluster, nor given to no attempts at all', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    elsewhere.advance(10_000);
    expect(await new SolanaChain({ url: elsewhere.url }).status(wallet.address, [attempt])).toMatchObject({
      is: 'unknown',
    });
    await elsewhere.stop();
    expect(await status()).toMatchObject({ is: 'unknown' });
  });
});

describe('a Solana node behind a password', () => {
  it('is told the one of its URL', async () => {
    const told: unknown[] = [];
    const guard = createServer((request, response) => {
      told.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(guard, 'listening');
    const url = `http://me:se%3Acret@127.0.0.1:${(guard.address() as AddressInfo).port}/`;
    await expect(new SolanaChain({ url }).network()).rejects.toThrow(ChainUnavailable);
    expect(told).toEqual([`Basic ${Buffer.from('me:se:cret').toString('base64')}`]);
    guard.close();
  });
});

describe('faults of a Solana node', () => {
  const harmless: readonly Fault[] = ['late', 'twice'];
  const harmful = FAULTS.filter((fault) => !harmless.includes(fault));

  /** Every status there is, and the attempts that have it. */
  async function standings(): Promise<Record<string, SignedAttempt[]>> {
    runtime.fate = () => 'forget';
    const dead = await signed(payment());
    runtime.expireBlockhashes();
    runtime.fate = () => 'land';
    const final = await signed(payment());
    await chain.send(final);
    runtime.advance(FINALIZED_AFTER);
    const mined = await signed(payment());
    await chain.send(mined);
    runtime.advance();
    const submitted = await signed(payment());
    await chain.send(submitted);
    return {
      dead: [dead],
      final: [final],
      mined: [mined],
      submitted: [submitted],
      not_seen: [await signed(payment())],
    };
  }

  it('at any call of a status leave it unknown; a late or repeated answer changes nothing', async () => {
    const wrong: string[] = [];
    for (const [name, attempts] of Object.entries(await standings())) {
      proxy.fault = () => null;
      const before = new Map(proxy.calls);
      expect(await status(...attempts)).toMatchObject({ is: name });
      const methods = [...proxy.calls]
        .filter(([method, count]) => count !== before.get(method))
        .map(([method]) => method);
      expect(methods.length).toBeGreaterThanOrEqual(2);
      for (const method of methods) {
        for (const fault of FAULTS) {
          proxy.fault = (called) => (called === method ? fault : null);
          const { is } = await status(...attempts);
          if (is !== (harmful.includes(fault) ? 'unknown' : name)) wrong.push(`${name}, ${method} ${fault}: ${is}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('never make a payment be taken for dead or carried out twice, whatever else they do', async () => {
    const attempt = await signed(payment());
    for (const fault of FAULTS) {
      proxy.fault = () => fault;
      // Those that get through after the first are repetitions, which the node refuses.
      expect(await chain.send(attempt)).toMatchObject({ accepted: false });
      expect((await status(attempt)).is).not.toBe('dead');
    }
    proxy.fault = () => null;
    runtime.advance(FINALIZED_AFTER);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('while preparing are told as the node being away', async () => {
    for (const method of [
      'getGenesisHash',
      'getLatestBlockhash',
      'getMultipleAccounts',
      'getMinimumBalanceForRentExemption',
      'getFeeForMessage',
    ]) {
      for (const fault of harmful) {
        const fresh = new SolanaChain({ url: proxy.url });
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(fresh.prepare(payment())).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it('of silence end at the time limit', async () => {
    const attempt = await signed(payment());
    const slow = await ChainProxy.start(runtime.url, 800);
    slow.fault = () => 'late';
    const impatient = new SolanaChain({ url: slow.url, timeoutMs: 100 });
    const since = performance.now();
    expect(await impatient.status(wallet.address, [attempt])).toMatchObject({ is: 'unknown' });
    expect(await impatient.send(attempt)).toMatchObject({ accepted: false });
    expect(performance.now() - since).toBeLessThan(700);
    await slow.stop();
  });
});
