import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
  type Token,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { FeeTooHigh } from '../../../kernel/fee-too-high.js';
import type { Asset } from '../../../kernel/chain/asset.js';
import type { Balances, Payment, PreparedPayment, SignedAttempt } from '../../../kernel/chain/payment.js';
import {
  BelowRentMinimum,
  FeesAboveQuote,
  InsufficientFunds,
  PaymentRefusedByChain,
} from '../../../kernel/chain/chain.errors.js';
import { boundedFee, budgetFor, LAMPORTS_PER_SIGNATURE, quotedFee } from './solana-fees.js';
import type { Account, SolanaNode } from './solana-node.js';
import { messageOf, priceIn, signMessage, type TokenAccounts } from './solana-transaction.js';

/** What the chain says of the two ends of a payment. */
interface Ends {
  readonly balances: Balances;
  readonly balancesAt: number;
  readonly tokens: TokenAccounts | null;
  /** What making accounts takes from the source besides the fee. */
  readonly rent: bigint;
  readonly minimumLeft: bigint;
}

/** The bounds of a payment's fee in lamports, and what was signed for it before. */
interface Bounds {
  /** The operator's, for everything but rent. */
  readonly ceiling: bigint;
  /** The quote, rent included; absent: it is asked for. */
  readonly feeCap: bigint | undefined;
  readonly earlier: readonly SignedAttempt[];
}

/** All that one node says to a payment. Throws as `Chain.prepare` does. */
export async function preparePayment(node: SolanaNode, payment: Payment, bounds: Bounds): Promise<PreparedPayment> {
  const { ceiling, feeCap, earlier } = bounds;
  const [network, lifetime, ends, recent] = await Promise.all([
    node.network(),
    node.latestBlockhash(),
    payment.asset.token === null ? endsOfCoin(node, payment) : endsOfToken(node, payment, payment.asset.token),
    node.recentUnitPrices([payment.source as Address, payment.dest as Address]),
  ]);
  const { balances, balancesAt, tokens, rent, minimumLeft } = ends;
  const allowed = feeCap === undefined ? ceiling : feeCap - rent;
  const forPriority = (allowed < ceiling ? allowed : ceiling) - LAMPORTS_PER_SIGNATURE;
  if (forPriority < 0n) throw new FeesAboveQuote();
  // The chain leaves an account its rent or nothing: where nothing is left, the fee takes all of the quote.
  const left = balances.coin - (feeCap ?? 0n) - (tokens ? 0n : payment.amount);
  const market = { movesToken: tokens !== null, recent, earlier: earlier.map(({ raw }) => priceIn(raw)) };
  const usesQuoteUp = feeCap !== undefined && left === 0n;
  const intent = { payment, tokens, lifetime, budget: budgetFor(market, forPriority, usesQuoteUp) };
  const message = messageOf(intent);
  const fee = boundedFee(await node.fee(message), intent.budget, ceiling);
  const maxFee = fee + rent;
  if (feeCap !== undefined && maxFee > feeCap) throw new FeesAboveQuote();
  // The ceiling is lower than it was at the quote: what remained would be less than the rent, and the chain would refuse.
  if (usesQuoteUp && maxFee < feeCap) throw FeeTooHigh.above('SOLANA_MAX_FEE');
  return {
    feeCap: feeCap ?? quotedFee(fee, intent.budget, ceiling) + rent,
    balances,
    balancesAt,
    minimumLeft,
    sign: (signer) => signMessage(message, intent, { network, maxFee }, signer),
  };
}

async function endsOfCoin(node: SolanaNode, { source, dest, amount }: Payment): Promise<Ends> {
  const [{ slot, of: ends }, minimum] = await Promise.all([
    node.accounts([source as Address, dest as Address]),
    node.rentExemptMinimum(0),
  ]);
  const [from, to] = ends;
  const coin = from?.lamports ?? 0n;
  if (coin < amount) throw new InsufficientFunds();
  if (to && (to.executable || to.owner !== SYSTEM_PROGRAM_ADDRESS)) {
    throw new PaymentRefusedByChain('The destination is not a wallet: it belongs to a program.');
  }
  if ((to?.lamports ?? 0n) + amount < minimum) {
    throw new BelowRentMinimum(`A new account must receive at least the rent-exempt minimum of ${minimum} lamports.`);
  }
  return {
    balances: { coin, asset: coin },
    balancesAt: Number(slot),
    tokens: null,
    rent: 0n,
    minimumLeft: minimum,
  };
}

async function endsOfToken(node: SolanaNode, { source, dest, asset, amount }: Payment, mint: string): Promise<Ends> {
  const [sourceAccount, destAccount] = await Promise.all([tokenAccountOf(source, mint), tokenAccountOf(dest, mint)]);
  const [{ slot, of: accounts }, minimum, rentOfAccount] = await Promise.all([
    node.accounts([source, mint, sourceAccount, destAccount] as Address[]),
    node.rentExemptMinimum(0),
    node.rentExemptMinimum(getTokenSize()),
  ]);
  const [payer, minted, from, to] = accounts;
  assertIsMint(minted ?? null, asset);
  const held = tokenOf(from ?? null);
  const balances = { coin: payer?.lamports ?? 0n, asset: held?.amount ?? 0n };
  if (balances.asset < amount) throw new InsufficientFunds();
  if (held?.state === AccountState.Frozen)
    throw new PaymentRefusedByChain('The token account of the source is frozen.');
  // Coins may have been sent there before there was an account: the account is created anyway.
  const createsDest = !to || (to.owner === SYSTEM_PROGRAM_ADDRESS && to.data.length === 0);
  const receiver = createsDest ? null : tokenOf(to);
  // The owner of a token account can give it to another owner, who would then receive the tokens.
  if (
    !createsDest &&
    (receiver?.owner !== dest || receiver.mint !== mint || receiver.state !== AccountState.Initialized)
  ) {
    throw new PaymentRefusedByChain('The token account of the destination is frozen or has another owner.');
  }
  return {
    balances,
    balancesAt: Number(slot),
    tokens: { source: sourceAccount, dest: destAccount, createsDest },
    rent: createsDest ? rentOfAccount : 0n,
    minimumLeft: minimum,
  };
}

export async function tokenAccountOf(owner: string, mint: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: owner as Address,
    mint: mint as Address,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return account;
}

export function tokenOf(account: Account | null): Token | null {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getTokenSize()) return null;
  return getTokenDecoder().decode(account.data);
}

/** Wrong decimals would pay a thousand times too much, or too little. */
function assertIsMint(account: Account | null, { symbol, decimals }: Asset): void {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getMintSize()) {
    throw new PaymentRefusedByChain(`${symbol} is not a mint of the token program.`);
  }
  const mint = getMintDecoder().decode(account.data);
  if (mint.decimals !== decimals) {
    throw new PaymentRefusedByChain(`${symbol} has ${mint.decimals} decimals on the chain, not ${decimals}.`);
  }
}
