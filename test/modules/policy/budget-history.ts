import { grouped } from '../../../src/kernel/collections.js';
import type { Facts } from '../../../src/modules/policy/rules/domain/facts.js';
import { rulesOf, type StoredRule } from '../../../src/modules/policy/rules/domain/stored-rules.js';
import type { RuleOfPolicy, Usage, Verdict } from '../../../src/modules/policy/rules/domain/verdict.js';
import { type JudgedPolicy, judge } from './reference-evaluator.js';

// The history of an app's budgets as the database has committed it, and a check that reads nothing else. It computes each window again
// with the evaluator that was written from the contract, so a fault of the statements that count, lock or give back is found.

/** A moment in microseconds since 1970, by the clock of the database. */
type Micros = number;

type Version = JudgedPolicy;

/** A change of the versions that are in force. Its transaction began at this time and ended later. */
export interface Change {
  readonly policyId: string;
  readonly at: Micros;
  readonly isActivation: boolean;
}

export interface SpendEvent {
  readonly policyName: string;
  readonly ruleId: string;
  readonly operationId: string;
  readonly part: number;
  readonly destination: string | null;
  readonly amount: bigint;
  /** Its place in the stored sums: the time at which it was counted, or later that of its settlement. */
  readonly at: Micros;
  /** When it was counted; for a moved event the time of the signing. */
  readonly countedAt: Micros;
  readonly settledAt: Micros | null;
  readonly isHeld: boolean;
  readonly releasedAt: Micros | null;
  /** Whether the stored sums hold it: not once it was given back and taken off them. */
  readonly isSummed: boolean;
}

/** The sum of a rule's events after a time, which the windows of this length start from. Destination '' stands for all. */
export interface StoredSum {
  readonly policyName: string;
  readonly ruleId: string;
  readonly destination: string;
  readonly seconds: number;
  readonly since: Micros;
  readonly amount: bigint;
  readonly count: bigint;
}

export interface StoredDecision {
  readonly id: string;
  readonly at: Micros;
  readonly outcome: Verdict['outcome'];
  readonly policyId: string | null;
  readonly ruleId: string | null;
  readonly reason: string | null;
  readonly operationId: string;
  readonly walletId: string;
  readonly userId: string;
  readonly keyId: string;
  readonly facts: Facts;
}

export interface StoredTransfer {
  readonly id: string;
  readonly chain: string;
  readonly status: string;
  readonly retrySafe: boolean | null;
  readonly decisionId: string | null;
  readonly amount: bigint;
  /** The number of payments that were signed for it, without cancellations. */
  readonly signed: number;
  readonly signedAt: Micros | null;
  /** When the transaction began that ended it. */
  readonly endedAt: Micros | null;
}

export interface BudgetHistory {
  readonly appId: string;
  readonly versions: readonly Version[];
  readonly changes: readonly Change[];
  readonly spends: readonly SpendEvent[];
  readonly sums: readonly StoredSum[];
  readonly decisions: readonly StoredDecision[];
  readonly transfers: readonly StoredTransfer[];
}

/**
 * The longest time from the beginning of a transaction to its end, and from a decision to the moment at which it is stored. What the clock
 * of a transaction says is as old as that when its effects are seen. Longer where processes are stopped.
 */
const TRANSACTION_SECONDS = 10;

const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint`;
const listOf = (rows: string): string => `(select coalesce(json_agg(r), '[]') from (${rows}) r)`;

// An event that was moved has forgotten when it was counted: in the transaction of the last signing, or of a decision where none followed.
const COUNTED_AT = `case when at >= settled_at then least(at, coalesce(
    (select max(a.created_at) from transfer_attempts a where a.app_id = $1 and a.transfer_id = operation_id and a.kind = 'payment'),
    (select max(d.at) from policy_decisions d where d.app_id = $1 and d.operation_id = spend_events.operation_id and d.outcome <> 'deny')))
  else at end`;

// One statement, so that all rows are of one moment.
const READ = `
  select ${listOf(`select id, name, version, json_build_object('kind', scope_kind, 'id', scope_id) as scope, rules from policies where app_id = $1`)} as versions,
         ${listOf(`select data->>'policy_id' as "policyId", ${micros('created_at')} as at, type = 'policy.activated' as "isActivation"
                     from stored_events where app_id = $1 and type in ('policy.activated', 'policy.retired')
                    order by position nulls last, seq`)} as changes,
         ${listOf(`select policy_name as "policyName", rule_id as "ruleId", operation_id as "operationId", part, destination,
                          amount::text, ${micros('at')} as at, ${micros(COUNTED_AT)} as "countedAt", ${micros('settled_at')} as "settledAt",
                          is_held as "isHeld", ${micros('released_at')} as "releasedAt", is_summed as "isSummed"
                     from spend_events where app_id = $1`)} as spends,
         ${listOf(`select policy_name as "policyName", rule_id as "ruleId", destination, seconds, ${micros('since')} as since, amount::text, count::text
                     from spend_sums where app_id = $1`)} as sums,
         ${listOf(`select d.id, ${micros('d.at')} as at, d.outcome, d.policy_id as "policyId", d.rule_id as "ruleId", d.reason,
                          d.operation_id as "operationId", d.wallet_id as "walletId", d.actor as "keyId", d.facts,
                          coalesce(t.user_id, w.user_id) as "userId"
                     from policy_decisions d left join wallets w on w.app_id = $1 and w.id = d.wallet_id
                     left join transfers t on t.app_id = $1 and t.id = d.operation_id
                    where d.app_id = $1 order by d.at, d.id`)} as decisions,
         ${listOf(`select t.id, t.chain, t.status, t.retry_safe as "retrySafe", t.decision_id as "decisionId", t.amount::text,
                          a.signed, ${micros('a.signed_at')} as "signedAt", ${micros('e.ended_at')} as "endedAt"
                     from transfers t
                     left join lateral (select count(*) filter (where kind = 'payment') as signed, min(created_at) as signed_at
                       from transfer_attempts where app_id = $1 and transfer_id = t.id) a on true
                     left join (select data->>'transfer_id' as id, min(created_at) as ended_at from stored_events
                       where app_id = $1 and type in ('transfer.completed', 'transfer.failed', 'transfer.rejected', 'transfer.expired', 'transfer.cancelled')
                       group by 1) e on e.id = t.id
                    where t.app_id = $1`)} as transfers`;

type InJson<T> = { readonly [K in keyof T]: T[K] extends bigint ? string : T[K] };

interface HistoryRow {
  readonly versions: readonly (Omit<Version, 'rules'> & { readonly rules: readonly StoredRule[] })[];
  readonly changes: readonly Change[];
  readonly spends: readonly InJson<SpendEvent>[];
  readonly sums: readonly InJson<StoredSum>[];
  readonly decisions: readonly StoredDecision[];
  readonly transfers: readonly InJson<StoredTransfer>[];
}

type Query = (sql: string, parameters: unknown[]) => Promise<object[]>;

/** Reads the history of an app by one statement. */
export async function historyOf(query: Query, appId: string): Promise<BudgetHistory> {
  const [row] = (await query(READ, [appId])) as [HistoryRow];
  return {
    appId,
    changes: row.changes,
    versions: row.versions.map((version) => ({ ...version, rules: rulesOf(version.rules) })),
    spends: row.spends.map((spend) => ({ ...spend, amount: BigInt(spend.amount) })),
    sums: row.sums.map((sum) => ({ ...sum, amount: BigInt(sum.amount), count: BigInt(sum.count) })),
    decisions: row.decisions.map((decision) => ({ ...decision, facts: factsIn(decision.facts) })),
    transfers: row.transfers.map((transfer) => ({ ...transfer, amount: BigInt(transfer.amount) })),
  };
}

function factsIn(stored: Facts): Facts {
  if (typeof stored.moves === 'string') return stored;
  const moves = stored.moves.map((move) => {
    const isNumber = /^\d+$/.test(move.amount as string);
    return { ...move, amount: isNumber ? BigInt(move.amount) : move.amount };
  });
  return { ...stored, moves };
}

/** Throws the faults with the whole history if there are any. */
export function assertBudgetsKept(history: BudgetHistory, transactionSeconds?: number): void {
  const faults = faultsOf(history, transactionSeconds);
  if (faults.length > 0)
    throw new Error(`The budgets of ${history.appId} are wrong:\n${faults.join('\n')}\n\n${textOf(history)}`);
}

/** Checks the budgets of all apps with policies. Returns their histories. */
export async function checkBudgets(query: Query): Promise<BudgetHistory[]> {
  const histories = await historiesOf(query);
  histories.forEach((history) => assertBudgetsKept(history));
  return histories;
}

/** The histories of all apps with policies. */
export async function historiesOf(query: Query): Promise<BudgetHistory[]> {
  const apps = (await query('select distinct app_id as id from policies', [])) as { readonly id: string }[];
  const histories: BudgetHistory[] = [];
  for (const { id } of apps) histories.push(await historyOf(query, id));
  return histories;
}

/** Returns the faults of a history: none if every budget was kept, to the unit. */
export function faultsOf(history: BudgetHistory, transactionSeconds = TRANSACTION_SECONDS): string[] {
  const check = new Check(history, transactionSeconds * 1_000_000);
  return [...check.windows(), ...check.sums(), ...check.payments(), ...check.returns(), ...check.denials()];
}

class Check {
  private readonly decisionsOf: ReadonlyMap<string, readonly StoredDecision[]>;
  private readonly spendsOf: ReadonlyMap<string, readonly SpendEvent[]>;
  private readonly spendsOfRule: ReadonlyMap<string, readonly SpendEvent[]>;
  private readonly transfers: ReadonlyMap<string, StoredTransfer>;
  private readonly states: readonly { readonly since: Micros; readonly active: readonly Version[] }[];

  constructor(
    private readonly history: BudgetHistory,
    private readonly transaction: Micros,
  ) {
    this.decisionsOf = grouped(history.decisions, ({ operationId }) => operationId);
    this.spendsOf = grouped(history.spends, ({ operationId }) => operationId);
    this.spendsOfRule = grouped(history.spends, ({ policyName, ruleId }) => `${policyName}/${ruleId}`);
    this.transfers = new Map(history.transfers.map((transfer) => [transfer.id, transfer]));
    this.states = statesOf(history);
  }

  /** At no instant at which something was counted is a window of a rule that counted it above its limit. */
  *windows(): Iterable<string> {
    for (const spend of this.history.spends) {
      const { policyName, ruleId, operationId, countedAt: at, destination } = spend;
      const versions = this.versionsOf(spend);
      if (versions.length === 0)
        yield `${operationId} is counted by ${policyName}/${ruleId}, which no version in force has.`;
      const excesses = versions.map((version) => {
        const rule = version.rules.find(({ id }) => id === ruleId)!;
        for (const window of rule.windows) {
          const { amount, count } = this.surely(at, null)(
            { policy: version, rule },
            window,
            window.per === 'policy' ? null : destination,
          );
          if (amount > (window.maxAmount ?? amount)) return `${amount} of ${window.maxAmount}`;
          if (count > (window.maxCount ?? count)) return `${count} of ${window.maxCount} requests`;
        }
        return null;
      });
      if (excesses.length > 0 && !excesses.includes(null))
        yield `${policyName}/${ruleId} has counted ${excesses[0]} when ${operationId} was counted at ${at}.`;
    }
  }

  /** A stored sum is that of the events after its time that were not given back and taken off, of all destinations or of one. */
  *sums(): Iterable<string> {
    for (const { policyName, ruleId, destination, seconds, since, amount, count } of this.history.sums) {
      const events = (this.spendsOfRule.get(`${policyName}/${ruleId}`) ?? []).filter(
        (spend) => spend.isSummed && spend.at > since && (destination === '' || spend.destination === destination),
      );
      const expected = events.reduce((sum, spend) => sum + spend.amount, 0n);
      const number = BigInt(events.filter(({ part }) => part === 0 || destination !== '').length);
      if (amount !== expected || count !== number)
        yield `The sum of ${policyName}/${ruleId} to ${destination || 'all'} over ${seconds} s is ${amount} of ${count}, and its events after ${since} are ${expected} of ${number}.`;
    }
  }

  /** Every payment that was made or may be made is counted by a rule of each scope, with its amount, and holds while it is open. */
  *payments(): Iterable<string> {
    const decisions = new Map(this.history.decisions.map((decision) => [decision.id, decision]));
    for (const transfer of this.history.transfers) {
      const { id, status, decisionId } = transfer;
      const spends = this.spendsOf.get(id) ?? [];
      const isOpen = status === 'pending' || status === 'awaiting_approval';
      if (!isOpen && spends.some(({ isHeld }) => isHeld)) yield `${id} is ${status} and holds its amount still.`;
      if (status === 'unconfirmed' && spends.length > 0) yield `${id} is counted and was never confirmed.`;
      if (isOpen && spends.some(({ isHeld }) => !isHeld)) yield `${id} is ${status} and holds its amount no longer.`;
      if (!mayHavePaid(transfer)) continue;
      const decision = decisionId === null ? undefined : decisions.get(decisionId);
      if (decisionId !== null && !decision) yield `The decision ${decisionId} of ${id} is not stored.`;
      if (decision && decision.outcome === 'deny') yield `${id} was denied by ${decision.id} and is ${status}.`;
      if (decision && !this.statesAt(decision).some((active) => this.isCounted(decision, active, spends)))
        yield `${id} is ${status} and not counted by every scope, with its amount.`;
      if (decisionId === null && transfer.signedAt !== null) {
        const certain = this.states.findLast(({ since }) => since + this.transaction < transfer.signedAt!);
        if (
          certain?.active.some(({ scope }) => scope.kind === 'app') &&
          certain === this.states.findLast(({ since }) => since <= transfer.signedAt!)
        )
          yield `${id} was signed without a decision while a policy of the app was in force.`;
      }
    }
    for (const [operationId, spends] of this.spendsOf) {
      const decided = this.decisionsOf.get(operationId)?.some(({ outcome }) => outcome !== 'deny');
      if (!decided) yield `${operationId} is counted and no decision has let it pass.`;
      if (!this.transfers.has(operationId) && spends.some(({ isHeld }) => isHeld))
        yield `${operationId} is no transfer and holds an amount.`;
    }
  }

  /** An amount is given back only with the proof that nothing was paid, and then it is given back. */
  *returns(): Iterable<string> {
    for (const [operationId, spends] of this.spendsOf) {
      const transfer = this.transfers.get(operationId);
      const isGivenBack = spends.some(({ releasedAt }) => releasedAt !== null);
      if (isGivenBack && (!transfer || mayHavePaid(transfer)))
        yield `The amount of ${operationId} was given back, and it is ${transfer?.status ?? 'a signature'}.`;
      else if (
        isGivenBack &&
        transfer!.chain === 'ethereum' &&
        transfer!.signed > 0 &&
        ['rejected', 'expired'].includes(transfer!.status)
      )
        yield `The amount of ${operationId} was given back as ${transfer!.status}, and a payment was signed.`;
      if (transfer && !mayHavePaid(transfer) && spends.some(({ releasedAt }) => releasedAt === null))
        yield `The amount of ${operationId} was not given back, and it is ${transfer.status}.`;
    }
  }

  /** No request was refused that had room: by the most that may have been counted then, a rule must be full. */
  *denials(): Iterable<string> {
    for (const decision of this.history.decisions) {
      const { outcome, reason, at, operationId, policyId, ruleId } = decision;
      if (outcome !== 'deny' || !reason?.startsWith('window_')) continue;
      const isCaused = this.statesAt(decision).some((active) => {
        const verdict = judge(active, decision.facts, this.possibly(at, operationId), new Set());
        return (
          verdict.outcome === 'deny' &&
          verdict.reason === reason &&
          verdict.by?.policy.id === policyId &&
          verdict.by.rule.id === ruleId
        );
      });
      if (!isCaused)
        yield `${operationId} was refused at ${at} with ${reason} by ${policyId}/${ruleId}, which had room.`;
    }
  }

  /** Whether some rule of each scope has counted the request with its amount, or none had to. */
  private isCounted(decision: StoredDecision, active: readonly Version[], spends: readonly SpendEvent[]): boolean {
    const byScope = grouped(active, ({ scope }) => `${scope.kind} ${scope.id}`);
    return [...byScope.values()].every((policies) =>
      policies.some((policy) =>
        policy.rules.some((rule) => {
          if (rule.effect === 'deny') return false;
          // Alone and with nothing used, the rule shows what it would count.
          const alone = { ...policy, rules: [{ ...rule, effect: 'allow' as const, approvals: null }] };
          const verdict = judge([alone], decision.facts, () => ({ amount: 0n, count: 0 }), new Set());
          if (verdict.outcome !== 'allow') return false;
          const counted = spends.filter(
            (spend) => spend.policyName === policy.name && spend.ruleId === rule.id && spend.releasedAt === null,
          );
          const expected = verdict.spends.flatMap(({ parts }) => parts);
          return (
            expected.length === counted.length &&
            expected.every(({ destination, amount }) =>
              counted.some((spend) => spend.destination === destination && spend.amount === amount),
            )
          );
        }),
      ),
    );
  }

  /** The least that a window had counted at a moment: of `spends` whose effect every transaction saw. */
  private surely(at: Micros, own: string | null): Usage {
    return this.usage(own, (spend, since) => {
      if (spend.releasedAt !== null && spend.releasedAt <= at) return false;
      if (spend.countedAt <= at) return lastOf(spend) > since(at) || this.heldUntil(spend) > at;
      // It was counted before by the same rule, and was counted anew when it was signed later.
      const [first, again] = this.passedBy(spend);
      return again !== undefined && again.at <= at && this.isBy(first!, spend);
    });
  }

  /** The most that a window may have counted at a moment. A transaction may have ended long after it began. */
  private possibly(at: Micros, own: string): Usage {
    return this.usage(own, (spend, since) => {
      if (spend.releasedAt !== null && spend.releasedAt <= at - this.transaction) return false;
      const decided = this.passedBy(spend);
      const first = decided.length > 1 ? Math.min(spend.countedAt, decided[0]!.at) : spend.countedAt;
      return (
        first <= at && (lastOf(spend) > since(at) - this.transaction || this.heldUntil(spend) > at - this.transaction)
      );
    });
  }

  private usage(own: string | null, isCounted: (spend: SpendEvent, since: (at: Micros) => Micros) => boolean): Usage {
    return ({ policy, rule }: RuleOfPolicy, { seconds }, destination) => {
      const since = (at: Micros): Micros => at - seconds * 1_000_000;
      const counted = (this.spendsOfRule.get(`${policy.name}/${rule.id}`) ?? []).filter(
        (spend) =>
          spend.operationId !== own &&
          (destination === null || spend.destination === destination) &&
          isCounted(spend, since),
      );
      return {
        amount: counted.reduce((sum, { amount }) => sum + amount, 0n),
        count: new Set(counted.map(({ operationId }) => operationId)).size,
      };
    };
  }

  private isBy({ policyId, ruleId }: StoredDecision, spend: SpendEvent): boolean {
    const policy = this.history.versions.find(({ id }) => id === policyId);
    return policy?.name === spend.policyName && ruleId === spend.ruleId;
  }

  private heldUntil({ isHeld, operationId }: SpendEvent): Micros {
    return isHeld ? Infinity : (this.transfers.get(operationId)?.endedAt ?? -Infinity);
  }

  /** The decisions that let the operation pass, or put it to approvers. */
  private passedBy({ operationId }: SpendEvent): readonly StoredDecision[] {
    return (this.decisionsOf.get(operationId) ?? []).filter(({ outcome }) => outcome !== 'deny');
  }

  /** The versions by which a spend may have been judged: that of the decision, or those that may have been in force. */
  private versionsOf({ policyName, ruleId, operationId, countedAt: at }: SpendEvent): readonly Version[] {
    const named = this.history.versions.filter(
      ({ id, name }) =>
        name === policyName &&
        (this.decisionsOf.get(operationId) ?? []).some(
          (decision) => decision.policyId === id && decision.outcome !== 'deny',
        ),
    );
    const inForce = this.statesBetween(at - this.transaction, at)
      .flat()
      .filter(({ name }) => name === policyName);
    return (named.length > 0 ? named : inForce).filter(({ rules }) => rules.some(({ id }) => id === ruleId));
  }

  /** The policies that may have judged a decision: those in force in whose scope the request lies, sorted by name. */
  private statesAt({ at, policyId, walletId, userId, keyId }: StoredDecision): readonly Version[][] {
    const { appId } = this.history;
    const ids = { app: appId, wallet: walletId, user: userId, key: keyId, client: '', grant: '' };
    return this.statesBetween(at - this.transaction, at)
      .filter((active) => policyId === null || active.some(({ id }) => id === policyId))
      .map((active) =>
        active.filter(({ scope }) => scope.id === ids[scope.kind]).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      );
  }

  private statesBetween(from: Micros, to: Micros): readonly (readonly Version[])[] {
    const first = this.states.findLastIndex(({ since }) => since <= from);
    return this.states
      .slice(first)
      .filter(({ since }) => since <= to)
      .map(({ active }) => active);
  }
}

/** The versions in force after each change. */
function statesOf({ versions, changes }: BudgetHistory) {
  const states: { since: Micros; active: readonly Version[] }[] = [{ since: -Infinity, active: [] }];
  for (const { policyId, at, isActivation } of changes) {
    const without = states.at(-1)!.active.filter(({ id }) => id !== policyId);
    const version = versions.find(({ id }) => id === policyId)!;
    states.push({ since: at, active: isActivation ? [...without, version] : without });
  }
  return states;
}

/** The moment from which an event leaves windows, once it is not held. */
function lastOf({ at, settledAt }: SpendEvent): Micros {
  return Math.max(at, settledAt ?? at);
}

/** Whether a payment was made, or may be made still, as far as it is proven. */
function mayHavePaid({ status, retrySafe }: StoredTransfer): boolean {
  if (status === 'failed') return retrySafe !== true;
  return status === 'pending' || status === 'awaiting_approval' || status === 'completed';
}

/** A history in lines, in the order of time. */
export function textOf({ versions, changes, spends, decisions, transfers }: BudgetHistory): string {
  const names = new Map<string, string>(versions.map(({ id, name, version }) => [id, `${name} v${version}`]));
  const lines: [Micros, string][] = [
    ...changes.map(({ at, policyId, isActivation }): [Micros, string] => [
      at,
      `${isActivation ? 'activated' : 'retired'} ${names.get(policyId)} (${policyId})`,
    ]),
    ...decisions.map(({ at, outcome, policyId, ruleId, reason, operationId }): [Micros, string] => [
      at,
      `${operationId} ${outcome} ${reason ?? ''} by ${names.get(policyId ?? '') ?? 'none'}/${ruleId}`,
    ]),
    ...spends.map(
      ({
        countedAt,
        policyName,
        ruleId,
        operationId,
        part,
        destination,
        amount,
        isHeld,
        releasedAt,
        settledAt,
      }): [Micros, string] => [
        countedAt,
        `${operationId} counts ${amount} in ${policyName}/${ruleId} (part ${part} to ${destination})${isHeld ? ', held' : ''}${releasedAt === null ? '' : `, given back ${releasedAt}`}${settledAt === null ? '' : `, settled ${settledAt}`}`,
      ],
    ),
    ...transfers.flatMap(({ id, status, retrySafe, signed, signedAt, endedAt }): [Micros, string][] =>
      endedAt === null && signedAt === null
        ? []
        : [[endedAt ?? signedAt!, `${id} is ${status}, retry safe ${retrySafe}, ${signed} payments signed`]],
    ),
  ];
  const rules = versions.map(({ id, scope, rules: all }) =>
    all
      .map(
        (rule) => `${names.get(id)}/${rule.id} ${rule.effect} for ${scope.kind} ${scope.id}: ${inText(rule.windows)}`,
      )
      .join('\n'),
  );
  return [...rules, ...lines.toSorted(([a], [b]) => a - b).map(([at, line]) => `${at} ${line}`)].join('\n');
}

const inText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
