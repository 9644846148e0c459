import type { Entry } from '../books.js';
import type { Chains } from '../chains.js';
import type { CarefulClient } from './careful-client.js';
import type { Operator } from './operator.js';

/** Counted on the chains. */
export interface RestoresReport {
  readonly orders: number;
  readonly paidOnce: number;
  readonly paidTwice: number;
  /** Completed according to the service, but not on the chain. */
  readonly neverPaid: number;
  /** Not ended. */
  readonly jammed: number;
  /** On the chain, but known to the service as a transfer that was not paid. */
  readonly paidAgainstTheBooks: number;
  /** The database has forgotten their transfers completely. Their clients do not order them again. */
  readonly lost: number;
  readonly lostAndPaid: number;
  /** Lost, paid, and not listed by `transfers reconcile`. */
  readonly lostAndNotNamed: number;
  /** The orders as the database knew them right after it came to an earlier state. */
  readonly states: readonly string[];
  /** Ordered again because the service said that this is safe. */
  readonly repeated: number;
  readonly releases: number;
  readonly doctor: string;
  readonly bad: readonly unknown[];
  readonly seconds: number;
}

interface Counted {
  readonly client: CarefulClient;
  readonly chains: Chains;
  readonly operator: Operator;
  readonly books: ReadonlyMap<string, Entry>;
  /** Ids of wallets whose keys may be used elsewhere. */
  readonly usedElsewhere: ReadonlySet<string>;
}

/** Counts the payments on the chains, and compares them with the service's books. */
export async function reportOn({
  client,
  chains,
  operator,
  books,
  usedElsewhere,
}: Counted): Promise<Omit<RestoresReport, 'states' | 'repeated' | 'seconds'>> {
  const listed = [...operator.listed].join('\n');
  const verdicts = await Promise.all(
    client.orders.map(async (order) => {
      const entries = order.transfers.map((id) => books.get(id));
      const has = (...statuses: string[]): boolean => entries.some((entry) => entry && statuses.includes(entry.status));
      return {
        order,
        has,
        isLost: client.lost.has(order),
        isNamed: listed.includes(order.dest) || order.transfers.some((id) => listed.includes(id)),
        times: (await chains.paymentsOf(order, entries)) + BigInt((await chains.astray(order)).length),
      };
    }),
  );
  type Verdict = (typeof verdicts)[number];
  const count = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;
  const isPaidOnce = ({ isLost, times, has }: Verdict): boolean => !isLost && times === 1n && has('completed');
  const isNotNamed = ({ isLost, times, isNamed }: Verdict): boolean => isLost && times > 0n && !isNamed;
  // A transaction of such a key that makes no open transfer is taken for its owner's: the queue goes on, and does not list it any more.
  const isLostAsItMay = (verdict: Verdict): boolean =>
    verdict.isLost && verdict.times <= 1n && (usedElsewhere.has(verdict.order.wallet.id) || !isNotNamed(verdict));
  return {
    orders: verdicts.length,
    paidOnce: count(isPaidOnce),
    paidTwice: count(({ times }) => times > 1n),
    neverPaid: count(({ times, has }) => times === 0n && has('completed')),
    jammed: count(({ isLost, has }) => !isLost && has('pending', 'unconfirmed')),
    paidAgainstTheBooks: count(({ isLost, times, has }) => !isLost && times > 0n && !has('completed', 'pending')),
    lost: count(({ isLost }) => isLost),
    lostAndPaid: count(({ isLost, times }) => isLost && times > 0n),
    lostAndNotNamed: count(isNotNamed),
    releases: operator.releases,
    doctor: await operator.doctor(),
    bad: verdicts
      .filter((verdict) => !isPaidOnce(verdict) && !isLostAsItMay(verdict))
      .map(({ order: { network, dest, transfers }, isLost, isNamed, times }) => {
        return { network, dest, isLost, isNamed, times, known: transfers.map((id) => books.get(id) ?? id) };
      }),
  };
}
