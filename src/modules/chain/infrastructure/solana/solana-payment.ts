import type { Address } from '@solana/kit';
import { isRefusal } from '../node-faults.js';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  AccountState,
  getMintDecoder,
  getMintSize,
  getTokenDecoder,
  getTokenSize,
  type Token,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import {
  FeeTooHigh,
  BelowRentMinimum,
  FeesAboveQuote,
  InsufficientFunds,
  PaymentRefusedByChain,
} from '../../../../kernel/chain/chain.errors.js';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { Balances, Payment, PreparedPayment, SignedAttempt } from '../../../../kernel/chain/payment.js';
import { boundedFee, budgetFor, LAMPORTS_PER_SIGNATURE, quotedFee } from './solana-fees.js';
import type { Account } from './solana-answers.js';
import type { SolanaNode } from './solana-node.js';
import { associatedAccountOf, priceIn, type TokenAccounts } from './solana-message.js';
import { messageOf, signMessage } from './solana-transaction.js';

/** The accounts at both ends of a payment. */
interface Ends {
  readonly balances: Balances;
  readonly balancesAt: number;
  readonly tokens: TokenAccounts | null;
  /** The rent of new accounts, which the source pays besides the fee. */
  readonly rent: bigint;
  readonly minimumLeft: bigint;
}

/** The bounds of a payment's fee in lamports, and its earlier attempts. */
interface Bounds {
  /** The operator's ceiling, without rent. */
  readonly ceiling: bigint;
  /** The quote, with rent; absent: a quote is wanted. */
  readonly feeCap: bigint | undefined;
  readonly earlier: readonly SignedAttempt[];
}

/** Prepares a payment from the responses of one node. Throws as `Chain.prepare` does. */
export async function preparePayment(node: SolanaNode, payment: Payment, bounds: Bounds): Promise<PreparedPayment> {
  try {
    return await prepareOn(node, payment, bounds);
  } catch (error) {
    // A lack in the accounts of another cluster refuses nothing on this one.
    if (isRefusal(error)) await node.assertNotMoved();
    throw error;
  }
}

async function prepareOn(node: SolanaNode, payment: Payment, bounds: Bounds): Promise<PreparedPayment> {
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
  // An account must keep its rent or nothing: when nothing is left, the fee must take the whole quote.
  const left = balances.coin - (feeCap ?? 0n) - (tokens ? 0n : payment.amount);
  const market = { movesToken: tokens !== null, recent, earlier: earlier.map(({ raw }) => priceIn(raw)) };
  const takesWholeQuote = feeCap !== undefined && left === 0n;
  const intent = { payment, tokens, lifetime, budget: budgetFor(market, forPriority, takesWholeQuote) };
  const message = messageOf(intent);
  // The node refuses the fee of a blockhash that it does not know. In this order, one of both finds that the blockhash is of another cluster,
  // to which the URL was moved for a moment.
  await node.assertNotMoved();
  const chainFee = await node.fee(message);
  const fee = boundedFee(chainFee, intent.budget, ceiling);
  const maxFee = fee + rent;
  if (feeCap !== undefined && maxFee > feeCap) throw new FeesAboveQuote();
  // With a ceiling below the one at the quote, less than the rent would remain, and the chain would refuse.
  if (takesWholeQuote && maxFee < feeCap) throw FeeTooHigh.above('SOLANA_MAX_FEE');
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
  const [sourceAccount, destAccount] = await Promise.all([
    associatedAccountOf(source, mint),
    associatedAccountOf(dest, mint),
  ]);
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
  // The address may have received coins before the account exists: the account is created anyway.
  const createsDest = !to || (to.owner === SYSTEM_PROGRAM_ADDRESS && to.data.length === 0);
  const receiver = createsDest ? null : tokenOf(to);
  // A token account can be transferred to another owner, who would then receive the tokens.
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

export function tokenOf(account: Account | null): Token | null {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getTokenSize()) return null;
  return getTokenDecoder().decode(account.data);
}

/** With wrong decimals the payment could be a thousand times too high or too low. */
function assertIsMint(account: Account | null, { symbol, decimals }: Asset): void {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getMintSize()) {
    throw new PaymentRefusedByChain(`${symbol} is not a mint of the token program.`);
  }
  const mint = getMintDecoder().decode(account.data);
  if (mint.decimals !== decimals) {
    throw new PaymentRefusedByChain(`${symbol} has ${mint.decimals} decimals on the chain, not ${decimals}.`);
  }
}
