import type { Address, ReadonlyUint8Array } from '@solana/kit';
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
import { portionsOf } from '../../../../kernel/collections.js';
import type { Asset } from '../../../../kernel/chain/asset.js';
import type { Balances, Payment, PreparedPayment, SignedAttempt } from '../../../../kernel/chain/payment.js';
import { boundedFee, budgetFor, type ComputeBudget, LAMPORTS_PER_SIGNATURE, quotedFee } from './solana-fees.js';
import type { Account, Lifetime } from './solana-answers.js';
import type { SolanaNode } from './solana-node.js';
import { associatedAccountOf, priceIn, type TokenAccounts } from './solana-message.js';
import { messageOf, signMessage } from './solana-transaction.js';
import { extensionsOf, TOKEN_2022_PROGRAM_ADDRESS } from './token-2022.js';

interface Ends {
  readonly balances: Balances;
  readonly balancesAt: number;
  readonly tokens: TokenAccounts | null;
  /** The source pays the rent of new accounts besides the fee. */
  readonly rent: bigint;
  readonly minimumLeft: bigint;
}

/** The fee is in lamports. */
interface Bounds {
  /** The operator's ceiling, without rent. */
  readonly ceiling: bigint;
  /** The quote, with rent; absent: a quote is wanted. */
  readonly feeCap: bigint | undefined;
  readonly earlier: readonly SignedAttempt[];
}

/** All are responses of one node, for payments of one source in one asset. */
export interface Market {
  readonly node: SolanaNode;
  readonly network: string;
  readonly lifetime: Lifetime;
  readonly recent: readonly bigint[];
  readonly minimum: bigint;
  readonly rentOfToken: bigint;
  readonly slot: bigint;
  readonly accounts: ReadonlyMap<string, Account | null>;
  readonly holders: ReadonlyMap<string, Address>;
  /** The chain's fee is the same for all payments with this budget. */
  readonly feeOf: (budget: ComputeBudget, message: ReadonlyUint8Array) => Promise<bigint>;
}

const MOST_ACCOUNTS = 100;

export async function marketFor(node: SolanaNode, payments: readonly Payment[]): Promise<Market> {
  const [{ source, asset }] = payments as [Payment];
  const owners = [...new Set([source, ...payments.map(({ dest }) => dest)])];
  const { token } = asset;
  const holders = new Map(
    token === null
      ? []
      : await Promise.all(owners.map(async (owner) => [owner, await associatedAccountOf(owner, token)] as const)),
  );
  const addresses = (token === null ? owners : [source, token, ...holders.values()]) as Address[];
  const [network, lifetime, recent, minimum, rentOfToken, read] = await Promise.all([
    node.network(),
    node.latestBlockhash(),
    node.recentUnitPrices(owners as Address[]),
    node.rentExemptMinimum(0),
    token === null ? 0n : node.rentExemptMinimum(getTokenSize()),
    Promise.all(portionsOf(addresses, MOST_ACCOUNTS).map((portion) => node.accounts(portion))),
  ]);
  const accounts = new Map(read.flatMap(({ of }) => of).map((account, index) => [addresses[index] as string, account]));
  // The first portion has the source.
  const { slot } = read[0]!;
  const fees = new Map<bigint, Promise<bigint>>();
  const feeOf: Market['feeOf'] = ({ microLamports }, message) => {
    const asked = fees.get(microLamports) ?? askFee(node, message);
    fees.set(microLamports, asked);
    return asked;
  };
  return { node, network, lifetime, recent, minimum, rentOfToken, slot, accounts, holders, feeOf };
}

/** The node refuses the fee of an unknown blockhash. In this order, one call finds that the URL was moved for a moment. */
async function askFee(node: SolanaNode, message: ReadonlyUint8Array): Promise<bigint> {
  await node.assertNotMoved();
  return node.fee(message);
}

export async function preparePayment(market: Market, payment: Payment, bounds: Bounds): Promise<PreparedPayment> {
  return refusing(market.node, () => prepareOn(market, payment, bounds));
}

/** Accounts of another cluster, to which the URL was moved for a moment, refuse nothing on this one. */
export async function refusing<T>(node: SolanaNode, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isRefusal(error)) await node.assertNotMoved();
    throw error;
  }
}

async function prepareOn(market: Market, payment: Payment, bounds: Bounds): Promise<PreparedPayment> {
  const { ceiling, feeCap, earlier } = bounds;
  const { network, lifetime, recent } = market;
  const { token } = payment.asset;
  const ends = token === null ? endsOfCoin(market, payment) : endsOfToken(market, payment, token);
  const { balances, balancesAt, tokens, rent, minimumLeft } = ends;
  const allowed = feeCap === undefined ? ceiling : feeCap - rent;
  const forPriority = (allowed < ceiling ? allowed : ceiling) - LAMPORTS_PER_SIGNATURE;
  if (forPriority < 0n) throw new FeesAboveQuote();
  // An account must keep its rent or nothing: when nothing is left, the fee must take the whole quote.
  const left = balances.coin - (feeCap ?? 0n) - (tokens ? 0n : payment.amount);
  const prices = { movesToken: tokens !== null, recent, earlier: earlier.map(({ raw }) => priceIn(raw)) };
  const takesWholeQuote = feeCap !== undefined && left === 0n;
  const intent = { payment, tokens, lifetime, budget: budgetFor(prices, forPriority, takesWholeQuote) };
  const message = messageOf(intent);
  const fee = boundedFee(await market.feeOf(intent.budget, message), intent.budget, ceiling);
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

function endsOfCoin({ accounts, minimum, slot }: Market, { asset, source, dest, amount }: Payment): Ends {
  const [from, to] = [accounts.get(source), accounts.get(dest)];
  const coin = from?.lamports ?? 0n;
  if (coin < amount) throw InsufficientFunds.of(asset, { held: coin, needed: amount });
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

function endsOfToken(market: Market, { source, dest, asset, amount }: Payment, mint: string): Ends {
  const { accounts, holders, minimum, rentOfToken, slot } = market;
  const [sourceAccount, destAccount] = [holders.get(source)!, holders.get(dest)!];
  const [payer, from, to] = [accounts.get(source), accounts.get(sourceAccount), accounts.get(destAccount)];
  assertIsMint(accounts.get(mint) ?? null, asset);
  const held = tokenOf(from ?? null);
  const balances = { coin: payer?.lamports ?? 0n, asset: held?.amount ?? 0n };
  if (balances.asset < amount) throw InsufficientFunds.of(asset, { held: balances.asset, needed: amount });
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
    rent: createsDest ? rentOfToken : 0n,
    minimumLeft: minimum,
  };
}

export function tokenOf(account: Account | null): Token | null {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getTokenSize()) return null;
  return getTokenDecoder().decode(account.data);
}

/** With wrong decimals the payment could be a thousand times too high or too low. */
export function assertIsMint(account: Account | null, { symbol, decimals }: Asset): void {
  const extensions = account?.owner === TOKEN_2022_PROGRAM_ADDRESS ? extensionsOf(account.data) : null;
  if (extensions) {
    const having = extensions.length > 0 ? ` that has the extensions ${extensions.join(', ')}` : '';
    throw new PaymentRefusedByChain(
      `${symbol} is a mint of Token-2022${having}. List a mint of the token program instead.`,
    );
  }
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS || account.data.length !== getMintSize()) {
    throw new PaymentRefusedByChain(`${symbol} is not a mint of the token program.`);
  }
  const mint = getMintDecoder().decode(account.data);
  if (mint.decimals !== decimals) {
    throw new PaymentRefusedByChain(`${symbol} has ${mint.decimals} decimals on the chain, not ${decimals}.`);
  }
}
