import type { AppId } from '../../../../kernel/ids.js';
import { type Asset, formatAmount } from '../../../../kernel/chain/asset.js';
import { MOST_WAITING, type Nonces } from '../../../../kernel/chain/chain.js';
import { BelowRentMinimum, InsufficientFunds } from '../../../../kernel/chain/chain.errors.js';
import type { Balances, Payment, PreparedPayment, SignedAttempt } from '../../../../kernel/chain/payment.js';

/** Every node keeps this many of one address. If a reorganisation leaves more, nothing is signed until those before are in a block. */
export const SENDER_QUEUE_CAPACITY = 16;

/** The transactions of one address on one network, in nonce order. */
export interface SenderQueueId {
  readonly appId: AppId;
  readonly network: string;
  readonly address: string;
}

export function keyOf({ appId, network, address }: SenderQueueId): string {
  return `${appId} ${network} ${address}`;
}

/** A sender queue as one transfer sees it while the lock is held: that transfer is not counted. */
export interface SenderQueue {
  /** Null before its first use, and on chains without nonces. */
  readonly nextNonce: number | null;
  /** Signed transfers that are in no block. */
  readonly open: number;
  /** Queued transfers that were confirmed before the one the queue was locked for. */
  readonly queuedBefore: number;
  /** The amounts that other transfers may still take from the balances. */
  readonly reserved: Balances;
}

/**
 * Whether the database may lack transactions: a restored backup or a promoted asynchronous standby forgets commits, and a payment could be
 * made twice. `current`: the transfer was created, or its queue was compared with the chain, in the present history. `unchecked`: in
 * another history. `behind`: the chain shows transactions that the database lacks; nothing is signed.
 */
export type BooksState = 'current' | 'unchecked' | 'behind';

/** The stored history of a sender queue that is held. No database has it. */
export const HELD = '';

/** Names given by the database; null: stored before histories were recorded, or never compared. */
export interface Histories {
  readonly ofDatabase: string;
  readonly ofTransfer: string | null;
  readonly ofQueue: string | null;
}

export function booksStateOf({ ofDatabase, ofTransfer, ofQueue }: Histories): BooksState {
  if (ofQueue === HELD) return 'behind';
  return ofQueue === ofDatabase || ofTransfer === ofDatabase ? 'current' : 'unchecked';
}

export function isAhead({ latest, pending }: Nonces, nextNonce: number | null): boolean {
  return Math.max(latest, pending) > (nextNonce ?? 0);
}

/** The effect of a waiting transaction is not known before it is in a block. */
export function isWaiting({ latest, pending }: Nonces, nextNonce: number | null): boolean {
  return pending > Math.max(latest, nextNonce ?? 0);
}

export function isFull({ open, queuedBefore }: SenderQueue): boolean {
  return open + queuedBefore >= SENDER_QUEUE_CAPACITY;
}

export function queueAfter(
  queue: SenderQueue,
  payment: Payment,
  feeCap: bigint,
  attempt: Pick<SignedAttempt, 'nonce'> | null,
): SenderQueue {
  const nonce = attempt?.nonce ?? null;
  return {
    nextNonce: nonce === null ? queue.nextNonce : Math.max(queue.nextNonce ?? 0, nonce + 1),
    open: queue.open + (attempt ? 1 : 0),
    queuedBefore: queue.queuedBefore + (attempt ? 0 : 1),
    reserved: reservedWith(queue.reserved, payment, feeCap),
  };
}

export const NOTHING_RESERVED: Balances = { coin: 0n, asset: 0n };

export function reservedWith(reserved: Balances, { asset, amount }: Payment, feeCap: bigint): Balances {
  if (asset.token === null) return { coin: reserved.coin + amount + feeCap, asset: 0n };
  return { coin: reserved.coin + feeCap, asset: reserved.asset + amount };
}

/** `reserved`: what the source's other open transfers and self-transfers may still take. */
export function assertCovered(
  { asset, amount }: Payment,
  prepared: Pick<PreparedPayment, 'balances' | 'feeCap' | 'minimumLeft'>,
  reserved: Balances,
  coin: Asset,
): void {
  const { balances, feeCap, minimumLeft } = prepared;
  if (asset.token !== null && balances.asset - reserved.asset < amount)
    throw InsufficientFunds.of(asset, { held: balances.asset, reserved: reserved.asset, needed: amount });
  const needed = feeCap + (asset.token === null ? amount : 0n);
  const left = balances.coin - reserved.coin - needed;
  if (left < 0n) {
    const taker = asset.token === null ? 'the payment with its fees' : 'the fee of the payment';
    throw InsufficientFunds.of(coin, { held: balances.coin, reserved: reserved.coin, needed, taker });
  }
  if (left === 0n && minimumLeft > 0n && reserved.coin > 0n) {
    throw new BelowRentMinimum(
      'The payment would empty the wallet while other transfers are open, which may take less than is reserved for them.',
    );
  }
  if (left > 0n && left < minimumLeft) {
    throw new BelowRentMinimum(
      `The payment would leave ${formatAmount(left, coin)} ${coin.symbol} in the wallet. It must leave nothing, or at least the rent-exempt minimum of ${formatAmount(minimumLeft, coin)} ${coin.symbol}.`,
    );
  }
}

/**
 * While transfers wait for a block only this service assigns nonces; else the queue follows the chain, since the owner may have used some
 * elsewhere. A nonce is never returned twice. Throws `NoncesDoubted` if the chain's nonce must be agreed first: a wrong one would stay.
 */
export function nonceFor({ nextNonce, open }: SenderQueue, chain: Nonces | null): number | null {
  if (chain === null) return null;
  if (nextNonce !== null && open > 0) return nextNonce;
  const own = nextNonce ?? 0;
  const nonce = Math.max(own, chain.latest, chain.pending);
  if (nonce - own > MOST_WAITING && !chain.areAgreed) throw new NoncesDoubted(chain);
  return nonce;
}

/** The chain's nonces say something that one response does not suffice for. */
export class NoncesDoubted extends Error {
  constructor(readonly seen: Nonces) {
    super(`The next nonce of the chain is ${seen.pending}, and that of the sender queue is lower.`);
  }
}
