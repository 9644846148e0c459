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
import { Registry } from 'prom-client';
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
import type { NetworkBlock } from '../../../src/kernel/chain/chain.js';
import {
  BelowRentMinimum,
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  PaymentRefusedByChain,
} from '../../../src/kernel/chain/chain.errors.js';
import { assertCovered } from '../../../src/modules/transfer/transfer/domain/sender-queue.js';
import { configuredChains } from '../../../src/modules/chain/infrastructure/configured-chains.js';
import { EndpointMetrics } from '../../../src/modules/chain/infrastructure/endpoint-comparison.js';
import { NetworksInMemory } from '../../../src/modules/chain/infrastructure/typeorm-known-networks.js';
import { SolanaChain } from '../../../src/modules/chain/infrastructure/solana/solana-chain.js';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../src/modules/chain/infrastructure/solana/token-2022.js';
import { HostNames } from '../../../src/services/outbound/host-names.js';
import type { HttpMetrics } from '../../../src/services/observability/metrics.js';
import type { Log } from '../../../src/kernel/log.js';
import { ChainProxy, type Fault, FAULTS } from '../../support/chain-proxy.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import { type MintExtension, Token2022 } from '../../support/token-2022.js';
import { payingWallet } from './paying-wallet.js';

const SOL = 1_000_000_000n;
/** Of a coin payment and of a token payment: for the signature, and for compute units at the least price. */
const FEE = 5_500n;
const TOKEN_FEE = 6_500n;
/** With room for a price that is doubled three times. */
const QUOTE = 9_000n;
const TOKEN_QUOTE = 17_000n;
const CEILING = 1_000_000n;
/** What an account without data must hold, and one that holds a token. */
const RENT_OF_WALLET = 890_880n;
const RENT_OF_TOKEN_ACCOUNT = 2_039_280n;
const FINALIZED_AFTER = 31;
/** Blocks in which a blockhash may be used. */
const LIFE = 150;

// A proof reads about 150 blocks, and a busy machine takes its time for that.

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
  chain = new SolanaChain({ urls: [proxy.url], maxFeeLamports: CEILING, timeoutMs: 5_000 });
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
/** How attempts stand, after as many looks as a proof takes. */
async function status(...attempts: SignedAttempt[]): Promise<PaymentStatus> {
  let progress: ProofProgress | null = null;
  for (;;) {
    const { progress: next, ...status } = (await chain.status(wallet.address, attempts, progress)) as PaymentStatus & {
      progress?: ProofProgress | null;
    };
    if (!next || status.is === 'dead') return status as PaymentStatus;
    progress = next;
  }
}

describe('a solana address', () => {
  it('a Solana address is a public key in base58', () => {
    expect(chain.address(wallet.address)).toBe(wallet.address);
  });

  it('a Solana address off the curve is refused, because it has no key; a mint may be off the curve', () => {
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
  it('quotes what the chain will take, and room for higher fees', async () => {
    const prepared = await chain.prepare(payment());
    expect(prepared).toMatchObject({ feeCap: QUOTE, balances: { coin: 10n * SOL, asset: 10n * SOL } });
    expect(prepared.minimumLeft).toBe(RENT_OF_WALLET);
    await expect(chain.prepare(payment(), 4_999n)).rejects.toThrow(FeesAboveQuote);
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

  it('refuses to sign a payment with another wallet’s signer, and refuses a wrong signature', async () => {
    const prepared = await chain.prepare(payment());
    const other = await payingWallet('solana');
    expect(() => prepared.sign(other, null)).toThrow('not the source');
    const short = { address: wallet.address, signTransaction: () => new Uint8Array(63) };
    expect(() => prepared.sign(short, null)).toThrow();
  });

  it('refuses a payment of more than the source holds', async () => {
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
      assertCovered(of, await chain.prepare(of), { coin: 0n, asset: 0n }, chain.native);
    };
    await expect(covered(10n * SOL - QUOTE - RENT_OF_WALLET)).resolves.toBeUndefined();
    await expect(covered(10n * SOL - QUOTE - RENT_OF_WALLET + 1n)).rejects.toThrow(BelowRentMinimum);
    await expect(covered(10n * SOL - QUOTE - 1n)).rejects.toThrow(BelowRentMinimum);
    await expect(covered(10n * SOL - QUOTE)).resolves.toBeUndefined();
    await expect(covered(10n * SOL - QUOTE + 1n)).rejects.toThrow(InsufficientFunds);
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

  describe('of a mint of Token-2022', () => {
    const refusals = async (mint: string): Promise<unknown[]> => {
      const asset = { ...(await token()), token: mint };
      return Promise.all(
        [chain.prepare(payment({ asset, amount: 1n })), chain.balance(wallet.address, asset)].map((each) =>
          each.then(
            () => 'not refused',
            (error: unknown) => error,
          ),
        ),
      );
    };
    const refusedBy = (message: string) => [new PaymentRefusedByChain(message), new PaymentRefusedByChain(message)];

    it.each<{ extensions: MintExtension[] }>([
      { extensions: ['TransferFeeConfig'] },
      { extensions: ['TransferHook', 'DefaultAccountState', 'Pausable'] },
      { extensions: ['NonTransferable', 'PermanentDelegate', 'MintCloseAuthority', 'InterestBearingConfig'] },
      { extensions: ['ConfidentialTransferMint', 'ScaledUiAmountConfig', 'MetadataPointer'] },
      { extensions: ['GroupPointer', 'GroupMemberPointer'] },
    ])('names its extensions, for a payment and for a balance: $extensions', async ({ extensions }) => {
      const mint = await (await Token2022.on(runtime)).mint(...extensions);
      const having = `CPN is a mint of Token-2022 that has the extensions ${extensions.join(', ')}.`;
      expect(await refusals(mint)).toEqual(refusedBy(`${having} List a mint of the token program instead.`));
    });

    it('refuses one without extensions too, because its tokens are in accounts of another program', async () => {
      const mint = await (await Token2022.on(runtime)).mint();
      const message = 'CPN is a mint of Token-2022. List a mint of the token program instead.';
      expect(await refusals(mint)).toEqual(refusedBy(message));
    });

    it('names an extension that it does not know by its number, and does not read the unused rest', async () => {
      const mint = ownedMint([9, 0, 0, 0, 77, 1, 2, 0, 5, 5, 0, 0, 9]);
      const having = 'CPN is a mint of Token-2022 that has the extensions NonTransferable, type 333.';
      expect(await refusals(mint)).toEqual(refusedBy(`${having} List a mint of the token program instead.`));
    });

    it.each([
      ['a value longer than the account', [1, 0, 255, 255, 0]],
      ['a head that is cut off', [14, 0, 0]],
      ['a value that is cut off after a whole one', [9, 0, 0, 0, 14, 0, 64, 0, 1, 2]],
      ['more extensions than there are types', Array.from({ length: 65 }, (_, index) => [index + 1, 0, 0, 0]).flat()],
    ])('refuses bytes that cannot be read without naming extensions: %s', async (_, extensions) => {
      expect(await refusals(ownedMint(extensions))).toEqual(refusedBy('CPN is not a mint of the token program.'));
    });

    it.each([0, 1, 81, 83, 165, 166])('refuses %i bytes without naming extensions', async (size) => {
      const mint = runtime.createMint(6);
      runtime.own(address(mint), new Uint8Array(size), size, TOKEN_2022_PROGRAM_ADDRESS);
      expect(await refusals(mint)).toEqual(refusedBy('CPN is not a mint of the token program.'));
    });

    /** A mint with these bytes in the place of its extensions. */
    function ownedMint(extensions: readonly number[]): string {
      const mint = runtime.createMint(6);
      const bytes = Uint8Array.from([...Array<number>(165).fill(0), 1, ...extensions]);
      runtime.own(address(mint), bytes, bytes.length, TOKEN_2022_PROGRAM_ADDRESS);
      return mint;
    }
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

  it('refuses to prepare a payment without a node', async () => {
    const nowhere = new SolanaChain({ urls: ['http://127.0.0.1:1'], maxFeeLamports: CEILING });
    await expect(nowhere.prepare(payment())).rejects.toThrow(ChainUnavailable);
    await expect(nowhere.balance(dest, NATIVE_ASSETS.solana)).rejects.toThrow(ChainUnavailable);
  });
});

describe('the price that a payment on Solana offers for a compute unit', () => {
  /** Carries a payment out and returns what the chain took for it. */
  async function feeTaken(attempt: SignedAttempt): Promise<bigint> {
    await chain.send(attempt);
    runtime.advance(FINALIZED_AFTER);
    const observed = await status(attempt);
    return observed.is === 'final' && observed.outcome === 'success' ? observed.fee : -1n;
  }

  afterEach(() => {
    runtime.prioritizationFee = 0n;
  });

  it('the priority fee is encoded for the compute budget program, before all other instructions', async () => {
    const { messageBytes } = getTransactionDecoder().decode((await signed(payment())).raw);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (!('instructions' in message)) throw new Error('The message is of another version.');
    const offers = message.instructions
      .slice(0, 2)
      .map(({ programAddressIndex, data }) => [
        message.staticAccounts[programAddressIndex],
        Buffer.from(data as Uint8Array).toString('hex'),
      ]);
    // SetComputeUnitLimit: 2 and a u32; SetComputeUnitPrice: 3 and a u64, little-endian: 50,000 units at 10,000.
    expect(offers).toEqual([
      ['ComputeBudget111111111111111111111111111111', '0250c30000'],
      ['ComputeBudget111111111111111111111111111111', '031027000000000000'],
    ]);
  });

  it('the priority fee follows recent blocks, and the chain charges it', async () => {
    runtime.prioritizationFee = 1_000_000n;
    const prepared = await chain.prepare(payment());
    expect(prepared.feeCap).toBe(5_000n + 8n * 50_000n);
    expect(await feeTaken(prepared.sign(wallet, null))).toBe(55_000n);
  });

  it('the priority fee stays within the ceiling when the node asks for more', async () => {
    runtime.prioritizationFee = 2n ** 63n;
    const prepared = await chain.prepare(payment());
    expect(prepared.feeCap).toBe(CEILING);
    expect(await feeTaken(prepared.sign(wallet, null))).toBe(CEILING);
    const asset = await token();
    const inToken = await chain.prepare(payment({ asset, amount: 1n }));
    expect(inToken.feeCap).toBe(CEILING + RENT_OF_TOKEN_ACCOUNT);
    const least = new SolanaChain({ urls: [proxy.url], maxFeeLamports: 5_000n });
    expect(await feeTaken((await least.prepare(payment())).sign(wallet, null))).toBe(5_000n);
  });

  it('the priority fee doubles at each attempt, up to the quote', async () => {
    const of = payment();
    const earlier: SignedAttempt[] = [];
    for (let i = 0; i < 5; i++) {
      earlier.push((await chain.prepare(of, QUOTE, earlier)).sign(wallet, null));
      runtime.advance();
    }
    expect(earlier.map(({ maxFee }) => maxFee)).toEqual([5_500n, 6_000n, 7_000n, 9_000n, 9_000n]);
    // However high prices rise meanwhile.
    runtime.prioritizationFee = 10n ** 9n;
    expect((await chain.prepare(of, QUOTE, earlier)).sign(wallet, null).maxFee).toBe(QUOTE);
  });

  it('the priority fee is zero if the quote has no room for it', async () => {
    const attempt = (await chain.prepare(payment(), 5_000n)).sign(wallet, null);
    expect(attempt.maxFee).toBe(5_000n);
    expect(await feeTaken(attempt)).toBe(5_000n);
  });

  it('the priority fee uses up the quote if the payment empties the wallet, because an account must keep its rent or nothing', async () => {
    const { feeCap } = await chain.prepare(payment());
    const attempt = (await chain.prepare(payment({ amount: 10n * SOL - feeCap }), feeCap)).sign(wallet, null);
    expect(await feeTaken(attempt)).toBe(feeCap);
    expect(runtime.balance(wallet.address)).toBe(0n);
  });

  it('refuses a payment that empties the wallet if the ceiling is now below the fee that it must use up', async () => {
    const { feeCap } = await chain.prepare(payment());
    const of = payment({ amount: 10n * SOL - feeCap });
    const lowered = new SolanaChain({ urls: [proxy.url], maxFeeLamports: feeCap - 1n });
    // The chain carries out nothing that leaves an account less than its rent.
    await expect(lowered.prepare(of, feeCap)).rejects.toThrow('SOLANA_MAX_FEE');
    expect((await lowered.prepare(payment(), feeCap)).feeCap).toBe(feeCap);
  });

  it('does not let a payment empty a wallet of which another one may take less than is reserved', async () => {
    const of = payment({ amount: 5n * SOL - QUOTE });
    const prepared = await chain.prepare(of, QUOTE);
    expect(() => assertCovered(of, prepared, { coin: 5n * SOL, asset: 5n * SOL }, chain.native)).toThrow(
      BelowRentMinimum,
    );
    expect(() => assertCovered(of, prepared, { coin: 4n * SOL, asset: 4n * SOL }, chain.native)).not.toThrow();
  });

  it('counts in full when the node understates the fee, and is refused when the node says more than the ceiling', async () => {
    const said = (value: number) => {
      proxy.answer = (method) => (method === 'getFeeForMessage' ? { context: { slot: 1 }, value } : undefined);
    };
    said(0);
    expect((await signed(payment())).maxFee).toBe(FEE);
    said(Number(CEILING) + 1);
    await expect(chain.prepare(payment())).rejects.toThrow('SOLANA_MAX_FEE');
    said(9_001);
    await expect(chain.prepare(payment(), QUOTE)).rejects.toThrow(FeesAboveQuote);
  });
});

describe('a payment on Solana', () => {
  it('a payment passes through not seen, submitted, mined and final', async () => {
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

  it('a payment on Solana has no nonce, and can be neither replaced with a higher fee nor cancelled', async () => {
    expect(await chain.nonces()).toBeNull();
    expect(await chain.prepareReplacement()).toBeNull();
    expect(await chain.prepareCancellation()).toBeNull();
  });

  it('a payment that is sent several times is paid once', async () => {
    const attempt = await signed(payment());
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    runtime.advance(FINALIZED_AFTER);
    await Promise.all(Array.from({ length: 20 }, () => chain.send(attempt)));
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('two equal payments with one blockhash are both paid, because their memos differ', async () => {
    const [one, other] = await Promise.all([signed(payment()), signed(payment())]);
    expect(one.blockhash).toBe(other.blockhash);
    expect(one.hash).not.toBe(other.hash);
    await Promise.all([chain.send(one), chain.send(other)]);
    runtime.advance(FINALIZED_AFTER);
    expect(runtime.balance(dest)).toBe(2n * SOL);
    expect(await status(one)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(await status(other)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('a payment on an abandoned fork is no longer mined, and is carried out on the other fork', async () => {
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

  it('a payment that fails on the chain is reverted, and its fee is known', async () => {
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

  it('a token payment creates the destination’s token account if there is none, and counts its rent as a fee', async () => {
    const asset = await token();
    const of = payment({ asset, amount: 300n });
    const prepared = await chain.prepare(of);
    expect(prepared).toMatchObject({
      feeCap: TOKEN_QUOTE + RENT_OF_TOKEN_ACCOUNT,
      balances: { coin: 10n * SOL, asset: 1_000n },
    });
    const first = prepared.sign(wallet, null);
    await chain.send(first);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(first)).toMatchObject({
      is: 'final',
      outcome: 'success',
      fee: TOKEN_FEE + RENT_OF_TOKEN_ACCOUNT,
    });

    const second = (await chain.prepare({ ...of, transferId: newId('transfer') }, prepared.feeCap)).sign(wallet, null);
    await chain.send(second);
    runtime.advance(FINALIZED_AFTER);
    expect(await status(second)).toMatchObject({ is: 'final', outcome: 'success', fee: TOKEN_FEE });
    expect(await chain.balance(dest, asset)).toBe(600n);
    expect(await chain.balance(wallet.address, asset)).toBe(400n);
  });
});

describe('a token payment on Solana whose destination account changes after it was signed', () => {
  it.each([
    [
      'was handed over to another owner',
      (mint: string) => runtime.fundToken(mint, dest, 0n, { owner: wallet.address }),
    ],
    ['was closed', (mint: string) => runtime.closeToken(mint, dest)],
  ])('is refused by simulation, moves nothing on the chain and pays no rent if the account %s', async (_, change) => {
    const asset = await token();
    await runtime.fundToken(asset.token!, dest, 0n);
    runtime.fate = () => 'hold';
    const [held, later] = [
      await signed(payment({ asset, amount: 300n })),
      await signed(payment({ asset, amount: 300n })),
    ];
    expect(await chain.send(held)).toMatchObject({ accepted: true });
    await change(asset.token!);
    expect(await chain.send(later)).toMatchObject({ accepted: false });
    runtime.release();
    runtime.advance(FINALIZED_AFTER);
    expect(await status(held)).toMatchObject({ is: 'final', outcome: 'reverted', fee: TOKEN_FEE });
    expect(await chain.balance(wallet.address, asset)).toBe(1_000n);
    expect(runtime.balance(wallet.address)).toBe(10n * SOL - TOKEN_FEE);
  });
});

describe('proof that a payment on Solana is dead', () => {
  it('a payment is dead exactly when a block after the last one that may hold it is final', async () => {
    runtime.fate = () => 'forget';
    const attempt = await signed(payment());
    expect(await chain.send(attempt)).toMatchObject({ accepted: true });
    // The blockhash was asked one slot behind the newest; the final block is `FINALIZED_AFTER` behind.
    runtime.advance(LIFE - 1 + FINALIZED_AFTER);
    expect(await status(attempt)).toEqual({ is: 'not_seen' });
    runtime.advance();
    expect(await status(attempt)).toEqual({ is: 'dead' });
  });

  it('a payment that was carried out at the last moment is not dead', async () => {
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

  it('the bytes of a dead payment are never carried out afterwards', async () => {
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

  it('the proof that a payment is dead checks every signature, and finds an earlier one that was carried out', async () => {
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

  it('a payment is not dead while a later signature may still be carried out', async () => {
    runtime.fate = () => 'forget';
    const of = payment();
    const early = await signed(of);
    runtime.expireBlockhashes();
    const late = await signed(of);
    expect(await status(early, late)).toEqual({ is: 'not_seen' });
    runtime.expireBlockhashes();
    expect(await status(early, late)).toEqual({ is: 'dead' });
  });

  it('a failed signature decides only after all other signatures are proven dead', async () => {
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

  it('a payment that a node finds only in its history is not dead', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.advance(5_000);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
  });

  it('no payment is proven dead by statuses older than the final block, or by a node without the history', async () => {
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

  it('a node that was restarted from a snapshot and lacks the block of the payment does not prove it dead', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    runtime.advance(5);
    runtime.restartFromSnapshot(10);
    runtime.expireBlockhashes();
    expect((await status(attempt)).is).not.toBe('dead');
    runtime.fillHoles();
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

  it('a payment without attempts is never dead, and another cluster proves no payment dead', async () => {
    const attempt = await signed(payment());
    await chain.send(attempt);
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    elsewhere.advance(10_000);
    expect(
      await new SolanaChain({ urls: [elsewhere.url], maxFeeLamports: CEILING }).status(wallet.address, [attempt]),
    ).toMatchObject({
      is: 'unknown',
    });
    await elsewhere.stop();
    expect(await status()).toMatchObject({ is: 'unknown' });
  });
});

describe('a Solana node behind a password', () => {
  it('a Solana node behind a password receives the password of its URL', async () => {
    const received: unknown[] = [];
    const guard = createServer((request, response) => {
      received.push(request.headers.authorization);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(guard, 'listening');
    const url = `http://me:se%3Acret@127.0.0.1:${(guard.address() as AddressInfo).port}/`;
    await expect(new SolanaChain({ urls: [url], maxFeeLamports: CEILING }).network()).rejects.toThrow(ChainUnavailable);
    expect(received).toEqual([`Basic ${Buffer.from('me:se:cret').toString('base64')}`]);
    guard.close();
  });
});

describe('faults of a Solana node', () => {
  const harmless: readonly Fault[] = ['late', 'twice'];
  const harmful = FAULTS.filter((fault) => !harmless.includes(fault));

  /** Every status there is, and the attempts that have it. */
  async function attemptsByStatus(): Promise<Record<string, SignedAttempt[]>> {
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

  /** The progress with which the next look is the last. */
  async function progressBefore(attempts: readonly SignedAttempt[]): Promise<ProofProgress | null> {
    for (let progress: ProofProgress | null = null; ;) {
      const status = await chain.status(wallet.address, attempts, progress);
      if (status.is !== 'not_seen' || !status.progress) return progress;
      progress = status.progress;
    }
  }

  it.each(['dead', 'final', 'mined', 'submitted', 'not_seen'])(
    'at any call of a status leave what is %s unknown; a late or repeated answer changes nothing',
    async (name) => {
      const attempts = (await attemptsByStatus())[name]!;
      const progress = await progressBefore(attempts);
      const look = () => chain.status(wallet.address, attempts, progress);
      const before = new Map(proxy.calls);
      expect(await look()).toMatchObject({ is: name });
      const methods = [...proxy.calls]
        .filter(([method, count]) => count !== before.get(method))
        .map(([method]) => method);
      expect(methods.length).toBeGreaterThanOrEqual(2);
      const wrong: string[] = [];
      for (const method of methods) {
        for (const fault of FAULTS) {
          proxy.fault = (called) => (called === method ? fault : null);
          const { is } = await look();
          if (is !== (harmful.includes(fault) ? 'unknown' : name)) wrong.push(`${method} ${fault}: ${is}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('no fault of the node makes a payment dead or pays it twice', async () => {
    const attempt = await signed(payment());
    for (const fault of FAULTS) {
      proxy.fault = () => fault;
      // A send that passes the fault after the first one is a repetition, which the node refuses.
      expect(await chain.send(attempt)).toMatchObject({ accepted: false });
      expect((await status(attempt)).is).not.toBe('dead');
    }
    proxy.fault = () => null;
    runtime.advance(FINALIZED_AFTER);
    expect(await status(attempt)).toMatchObject({ is: 'final', outcome: 'success' });
    expect(runtime.balance(dest)).toBe(SOL);
  });

  it('a fault of the node during preparation is reported as an unavailable node', async () => {
    for (const method of [
      'getGenesisHash',
      'getLatestBlockhash',
      'getMultipleAccounts',
      'getMinimumBalanceForRentExemption',
      'getFeeForMessage',
      'getRecentPrioritizationFees',
    ]) {
      for (const fault of harmful) {
        const fresh = new SolanaChain({ urls: [proxy.url], maxFeeLamports: CEILING });
        proxy.fault = (called) => (called === method ? fault : null);
        await expect(fresh.prepare(payment())).rejects.toThrow(ChainUnavailable);
      }
    }
  });

  it('refuses absurd numbers in the answers of a node', async () => {
    const { blockhash, lastValidBlockHeight } = await signed(payment());
    const value = { blockhash, lastValidBlockHeight };
    const account = { lamports: 10_000_000_000, owner: dest, data: ['', 'base64'], executable: false };
    const absurd: [string, unknown][] = [
      ['getLatestBlockhash', { context: { slot: -1 }, value }],
      ['getLatestBlockhash', { context: { slot: 1e21 }, value }],
      ['getLatestBlockhash', { context: { slot: 1 }, value: { ...value, lastValidBlockHeight: 2 ** 60 } }],
      ['getLatestBlockhash', { context: { slot: 1 }, value: { ...value, blockhash: null } }],
      ['getLatestBlockhash', { context: { slot: 1 }, value: null }],
      ['getMultipleAccounts', { context: { slot: 2 ** 60 }, value: [account, null] }],
      ['getFeeForMessage', { context: { slot: 1 }, value: null }],
    ];
    const sensible = { context: { slot: runtime.slot }, value };
    proxy.answer = (called) => (called === 'getLatestBlockhash' ? sensible : undefined);
    await chain.prepare(payment());
    for (const [method, answer] of absurd) {
      proxy.answer = (called) => (called === method ? answer : undefined);
      await expect(chain.prepare(payment())).rejects.toThrow(ChainUnavailable);
    }
  });

  it('a call to a silent node ends at the time limit', async () => {
    const attempt = await signed(payment());
    // Longer than the time limit of the test.
    const slow = await ChainProxy.start(runtime.url, 600_000);
    slow.fault = () => 'late';
    const impatient = new SolanaChain({ urls: [slow.url], maxFeeLamports: CEILING, timeoutMs: 100 });
    expect(await impatient.status(wallet.address, [attempt])).toMatchObject({ is: 'unknown' });
    expect(await impatient.send(attempt)).toMatchObject({ accepted: false });
    await slow.stop();
  });
});

describe('a URL that is moved to another cluster while the service runs', () => {
  it('answers nothing a minute later, until it is moved back', async () => {
    const now = performance.now.bind(performance);
    let minutes = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 61_000);
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    try {
      const balance = () => chain.balance(wallet.address, NATIVE_ASSETS.solana);
      expect(await balance()).toBe(10n * SOL);
      const { since } = await chain.expiry(null);
      elsewhere.advance(1_000);
      proxy.target = elsewhere.url;
      // A height of another cluster would end a hold at once.
      await expect(chain.expiry(since)).rejects.toThrow(ChainUnavailable);
      minutes = 1;
      for (const _ of [1, 2]) await expect(balance()).rejects.toThrow(ChainUnavailable);
      proxy.target = runtime.url;
      expect(await balance()).toBe(10n * SOL);
      expect(proxy.calls.get('getGenesisHash')).toBeGreaterThan(0);
      const asked = proxy.calls.get('getGenesisHash');
      expect(await balance()).toBe(10n * SOL);
      expect(proxy.calls.get('getGenesisHash')).toBe(asked);
    } finally {
      clock.mockRestore();
      proxy.target = runtime.url;
      await elsewhere.stop();
    }
  });

  it('answers nothing if the network was known by another first block', async () => {
    const stored = new Map<string, NetworkBlock>();
    const networks = {
      find: (name: string) => Promise.resolve(stored.get(name) ?? null),
      remember: (name: string, seen: NetworkBlock) => Promise.resolve(stored.set(name, seen).get(name)!),
    };
    const known = () =>
      new SolanaChain({ urls: [proxy.url], maxFeeLamports: CEILING }, undefined, undefined, networks).network();
    const network = await known();
    const { number, hash } = stored.get('solana')!;
    expect([number, `solana:${hash.slice(0, 32)}`]).toEqual([0, network]);
    expect(await known()).toBe(network);
    stored.set('solana', { number, hash: `${hash.slice(0, 32)}1` });
    await expect(known()).rejects.toThrow(ChainUnavailable);
  });

  it('each network of the configuration is known by a first block of its own', async () => {
    const networks = new NetworksInMemory();
    const named = (name: string) =>
      new SolanaChain({ name, urls: [proxy.url], maxFeeLamports: CEILING }, undefined, undefined, networks);
    const main = await named('solana').network();
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    const here = proxy.target;
    try {
      proxy.target = elsewhere.url;
      const test = named('solana-test');
      expect(test.id).toBeNull();
      const cluster = await test.network();
      expect([cluster === main, test.id]).toEqual([false, cluster]);
      await expect(named('solana').network()).rejects.toThrow(ChainUnavailable);
    } finally {
      proxy.target = here;
      await elsewhere.stop();
    }
  });

  it('one cluster under two names is used by the first one of the configuration alone', async () => {
    const networks = new NetworksInMemory();
    const logged: string[] = [];
    const log = { info: () => undefined, warn: (fields: unknown) => void logged.push(JSON.stringify(fields)) };
    const of = { kind: 'solana', id: null, rpc: [proxy.url], symbol: 'SOL', decimals: 9, explorer: null } as const;
    const config = { networks: ['solana', 'second'].map((name) => ({ ...of, name })), solanaMaxFeeLamports: CEILING };
    const metrics = new EndpointMetrics({ registry: new Registry() } as HttpMetrics);
    const chains = configuredChains(config, log as unknown as Log, new HostNames(), networks, metrics);
    const [first, second] = ['solana', 'second'].map((name) => chains.named(name));
    // Nothing shows that both are one until each has responded.
    const cluster = await second!.network();
    expect(await first!.network()).toBe(cluster);
    await chains.checkEndpoints();
    expect([first!.health, second!.health]).toEqual(['ok', 'unavailable']);
    await expect(second!.balances(wallet.address, NATIVE_ASSETS.solana)).rejects.toThrow(ChainUnavailable);
    expect(logged.join()).toContain('The node is on the cluster of the network solana.');
  });

  it('a chain that is configured for a cluster uses no other, not even for its first use', async () => {
    const id = await chain.network();
    const settings = { urls: [proxy.url], maxFeeLamports: CEILING };
    await expect(new SolanaChain({ ...settings, id }).network()).resolves.toBe(id);
    const other = new SolanaChain({ ...settings, id: `solana:${'1'.repeat(32)}` });
    await expect(other.network()).rejects.toThrow(ChainUnavailable);
    await expect(other.prepare(payment())).rejects.toThrow(ChainUnavailable);
  });

  it('a process that starts while a URL is moved uses neither cluster until it is moved back', async () => {
    const networks = new NetworksInMemory();
    const started = () =>
      new SolanaChain({ urls: [proxy.url], maxFeeLamports: CEILING }, undefined, undefined, networks);
    const network = await started().network();
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    try {
      proxy.target = elsewhere.url;
      const restarted = started();
      await expect(restarted.network()).rejects.toThrow(ChainUnavailable);
      proxy.target = runtime.url;
      expect(await restarted.network()).toBe(network);
    } finally {
      proxy.target = runtime.url;
      await elsewhere.stop();
    }
  });

  it('prepares no payment with the blockhash of another cluster, to which the URL was moved for a moment', async () => {
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    try {
      elsewhere.fund(wallet.address, 10n * SOL);
      const asset = NATIVE_ASSETS.solana;
      const payment = { transferId: newId('transfer'), asset, source: wallet.address, dest, amount: SOL };
      await chain.network();
      proxy.target = elsewhere.url;
      // It is moved back when it is asked for its cluster again. Up to its response, the other cluster knows the blockhash.
      let isBack = false;
      proxy.change = (method, result) => {
        isBack ||= method === 'getGenesisHash';
        return result;
      };
      proxy.answer = (method) => {
        if (method === 'getGenesisHash') proxy.target = runtime.url;
        return method === 'getFeeForMessage' && !isBack ? { context: { slot: 1 }, value: 5_000 } : undefined;
      };
      await expect(chain.prepare(payment)).rejects.toThrow(ChainUnavailable);
      expect(isBack).toBe(true);
    } finally {
      proxy.answer = () => undefined;
      proxy.change = null;
      proxy.target = runtime.url;
      await elsewhere.stop();
    }
  });

  it('a URL that was moved prepares no payment, and no payment that was made there is final', async () => {
    const network = await chain.network();
    const elsewhere = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    try {
      elsewhere.fund(wallet.address, 10n * SOL);
      const there = new SolanaChain({ urls: [elsewhere.url], maxFeeLamports: CEILING });
      const payment = {
        transferId: newId('transfer'),
        asset: NATIVE_ASSETS.solana,
        source: wallet.address,
        dest,
        amount: SOL,
      };
      const made = (await there.prepare(payment)).sign(wallet, null);
      await there.send(made);
      elsewhere.advance(FINALIZED_AFTER + 2);
      expect(await there.status(wallet.address, [made])).toMatchObject({ is: 'final' });
      proxy.target = elsewhere.url;
      await expect(chain.prepare(payment)).rejects.toThrow(ChainUnavailable);
      // A refusal of another cluster would end a queued transfer.
      await expect(chain.prepare({ ...payment, amount: 100n * SOL })).rejects.toThrow(ChainUnavailable);
      expect(await chain.status(wallet.address, [{ ...made, network }])).toMatchObject({ is: 'unknown' });
    } finally {
      proxy.target = runtime.url;
      await elsewhere.stop();
    }
  });
});
