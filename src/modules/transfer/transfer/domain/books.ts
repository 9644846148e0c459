import type { Nonces } from '../../../../kernel/chain/chain.js';
import type { FoundTransaction } from '../../../../kernel/chain/payment.js';
import type { TransferId, WalletId } from '../../../../kernel/ids.js';
import type { Attempt, Transfer } from './transfer.js';
import type { Histories } from './sender-queue.js';

export interface OpenTransfer {
  readonly transfer: Transfer;
  readonly attempts: readonly Attempt[];
}

export interface QueueState {
  readonly nextNonce: number | null;
  readonly histories: Omit<Histories, 'ofTransfer'>;
  /** The last start of the server, or when a process last found that the database was brought back to an earlier state without one. */
  readonly serverStartedAt: Date;
  readonly serverStart: string;
  readonly readAt: string;
  /** Null: never, or not known. */
  readonly comparedAt: Date | null;
  /** Summaries of transactions that no transfer explained: a later order may be the one that was lost with the transfer of one of them. */
  readonly unexplained: readonly string[];
  readonly isUncompared: boolean;
  /** See `LockedTransfer.isDoubted`. */
  readonly isDoubted: boolean;
  /** Where the comparison begins: the lowest nonce in doubt, or the height at which it was held; null: not known yet. */
  readonly comparedFrom: number | null;
  /** The run of the database server in which that height was read, by `runOf`; null for a nonce. */
  readonly heldIn: string | null;
}

export interface QueueBooks extends QueueState {
  /** The database may have forgotten transfers that were created since; null: none, or not known since when. */
  readonly lostSince: Date | null;
  /** Unconfirmed and pending transfers, longest confirmed first; fewer than there are when `hasMore`. */
  readonly open: readonly OpenTransfer[];
  readonly hasMore: boolean;
}

export function firstNonceOf({ comparedFrom, nextNonce }: QueueBooks): number {
  return Math.min(comparedFrom ?? Number.MAX_SAFE_INTEGER, nextNonce ?? 0);
}

/** Names the history of the database and the start of its server. A snapshot that is brought back keeps the history. */
export function runOf({ histories, serverStartedAt }: Pick<QueueState, 'histories' | 'serverStartedAt'>): string {
  return `${histories.ofDatabase} ${serverStartedAt.getTime()}`;
}

/** Null if another run held it: that run may have forgotten transactions that were signed later. */
export function heldSince(books: QueueBooks): number | null {
  return books.heldIn === runOf(books) ? books.comparedFrom : null;
}

export interface Comparison {
  /** Transactions that make exactly one open transfer, which nothing else makes: adopted without an operator. */
  readonly adopted: readonly { readonly found: FoundTransaction; readonly id: TransferId }[];
  /** The zero-value transactions of the account to itself: they close gaps between nonces. */
  readonly selfTransfers: readonly FoundTransaction[];
  /** Transactions that make several equal transfers, or transfers that several equal transactions make. */
  readonly ambiguous: readonly FoundTransaction[];
  readonly unknown: readonly FoundTransaction[];
}

/** For this long after a start, nodes may not yet show what a snapshot has forgotten. */
const NODES_LAG_MS = 3_600_000;

export interface LastComparison {
  /** The start of the server under which it was compared; null: never, or not known. */
  readonly comparedStart: Date | null;
  readonly serverStartedAt: Date;
  readonly now: Date;
}

/** Whether the database may have been brought back to a snapshot after this time. */
export function mayBeCopiedSince(at: Date, { serverStartedAt }: Pick<LastComparison, 'serverStartedAt'>): boolean {
  return at.getTime() <= serverStartedAt.getTime();
}

export function isUncompared({ comparedStart, serverStartedAt }: LastComparison): boolean {
  return comparedStart?.getTime() !== serverStartedAt.getTime();
}

export function isDoubted(comparison: LastComparison): boolean {
  const { serverStartedAt, now } = comparison;
  return isUncompared(comparison) || now.getTime() < serverStartedAt.getTime() + NODES_LAG_MS;
}

export interface Explained {
  /** The chain's uses of lower nonces make no open transfer. */
  readonly below: number;
  readonly serverStartedAt: Date;
}

/** Whether uses of a key elsewhere do not explain its nonces. A snapshot has no key that was made here after the server started. */
export function mayHaveLost(
  { isDoubted, serverStartedAt }: Pick<QueueState, 'isDoubted' | 'serverStartedAt'>,
  { isImported, createdAt }: { readonly isImported: boolean; readonly createdAt: Date },
): boolean {
  return isDoubted && (isImported || mayBeCopiedSince(createdAt, { serverStartedAt }));
}

export function areExplained(
  { latest, pending }: Nonces,
  explained: Explained | null,
  { serverStartedAt }: Pick<QueueState, 'serverStartedAt'>,
): boolean {
  return (
    explained !== null &&
    explained.serverStartedAt.getTime() === serverStartedAt.getTime() &&
    Math.max(latest, pending) <= explained.below
  );
}

/** The clocks of the database and of a chain differ by less. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * A nonce that a transfer was signed with names the transfer; else recipient, value and data do, if exactly one of each fits. If the key
 * may be used elsewhere, a transaction older than the transfer is not assigned: it may have made the same order, which the database has
 * forgotten. A waiting transaction is assigned once it is in a block.
 */
export function compare(
  found: readonly FoundTransaction[],
  open: readonly OpenTransfer[],
  mayBeUsedElsewhere = false,
): Comparison {
  const isOlder = ({ at }: FoundTransaction, id: TransferId): boolean =>
    mayBeUsedElsewhere &&
    at !== null &&
    open.some(({ transfer }) => transfer.id === id && at.getTime() < transfer.createdAt.getTime() - CLOCKS_DIFFER_MS);
  const candidatesOf = ({ makes, nonce, isWaiting }: FoundTransaction): TransferId[] => {
    const named = open.filter(({ transfer: { id } }) => makes.includes(id));
    const [own] = named.filter(({ attempts: [first] }) => first && first.nonce === nonce);
    // Only one of the transactions with a nonce is carried out.
    if (own && isWaiting) return [];
    // A transfer that was signed with another nonce is never signed with this one.
    const free = named.filter(({ attempts: [first] }) => !first || first.nonce === null);
    return (own ? [own] : free).map(({ transfer: { id } }) => id);
  };
  const matched = found
    .filter(({ attempt, movesNothing }) => attempt !== null && !movesNothing)
    .map((each) => ({ found: each, ids: candidatesOf(each) }));
  const times = (id: TransferId): number => matched.filter(({ ids }) => ids.includes(id)).length;
  // On a chain without nonces each transaction names its transfer, which may have several.
  const isUnique = ({ found: each, ids }: (typeof matched)[number]): boolean =>
    ids.length === 1 && !each.isWaiting && (each.nonce === null || times(ids[0]!) === 1) && !isOlder(each, ids[0]!);
  const adopted = matched.filter(isUnique).map(({ found: each, ids }) => ({ found: each, id: ids[0]! }));
  const ambiguous = matched.filter((each) => each.ids.length > 0 && !isUnique(each)).map((each) => each.found);
  const selfTransfers = found.filter(
    ({ attempt, movesNothing, isWaiting }) => attempt !== null && movesNothing && !isWaiting,
  );
  const settled = new Set([...adopted.map((each) => each.found), ...ambiguous, ...selfTransfers]);
  return { adopted, selfTransfers, ambiguous, unknown: found.filter((each) => !settled.has(each)) };
}

export interface ListedQueue {
  readonly appId: Transfer['appId'];
  readonly network: string;
  readonly address: string;
  readonly chain: Transfer['chain'];
  readonly source: WalletId;
}
