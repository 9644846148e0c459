import type { FieldError } from '../../../kernel/domain-error.js';
import type { UserId } from '../../../kernel/ids.js';
import type { Holding, PortablePart, PortableRow, User } from '../../identity/index.js';

export interface RowOfPart {
  readonly part: PortablePart;
  readonly row: PortableRow;
}

interface WholeCandidate {
  readonly externalId: string | null;
  readonly user: User;
  readonly firstProvedAt: Date | null;
  readonly rows: readonly RowOfPart[];
}

export type Candidate = WholeCandidate | { readonly externalId: string | null; readonly faults: readonly FieldError[] };

export interface FoundRows {
  readonly users: readonly { readonly id: UserId; readonly externalId: string | null }[];
  readonly deleted: ReadonlySet<string>;
  readonly holdings: Map<PortablePart, readonly Holding[]>;
}

interface FreedLabel {
  readonly part: PortablePart;
  readonly key: string;
  readonly userId: UserId;
  readonly id: string;
}

interface Accepted {
  readonly externalId: string | null;
  readonly errors: FieldError[];
  readonly accepted: WholeCandidate;
  /** A label that a later row of the import proves is removed. */
  rows: readonly RowOfPart[];
  readonly frees: readonly FreedLabel[];
}

export type Decision =
  | Accepted
  | {
      readonly externalId: string | null;
      readonly errors: readonly FieldError[];
      readonly outcome: 'skipped' | 'failed';
      readonly userId: UserId | null;
    };

interface Holder {
  readonly isLabel: boolean;
  readonly userId: UserId;
  readonly decision: Accepted | null;
}

/** The names that earlier batches of a dry run would have stored. */
export interface EarlierNames {
  add(name: string, isLabel: boolean): void;
  /** Undefined for another name. */
  isLabel(name: string): boolean | undefined;
}

/** A dry run shows no user. */
const IN_EARLIER_BATCH = '' as UserId;

const LABEL_TAKEN: Pick<FieldError, 'rule' | 'message'> = {
  rule: 'duplicate',
  message: 'is not verified and another user has it, so the user was imported without it',
};

/** Decides in the order of the rows, as if each were stored before the next. */
export class BatchOfUsers {
  private readonly holders = new Map<string, Holder>();

  constructor(
    private readonly found: FoundRows,
    private readonly onConflict: 'skip' | 'fail',
    private readonly earlier?: EarlierNames,
  ) {
    for (const { id: userId, externalId } of found.users)
      this.holders.set(externalId === null ? nameOfId(userId) : nameOfUser(externalId), {
        isLabel: false,
        userId,
        decision: null,
      });
    for (const [part, holdings] of found.holdings)
      for (const { key, id, userId, isLabel } of holdings) {
        if (key !== null) this.holders.set(nameOf(part, key), { isLabel, userId, decision: null });
        else this.holders.set(nameOfId(id), { isLabel: false, userId, decision: null });
      }
  }

  /** Call it for one row after another, in their order. */
  decide(candidate: Candidate): Decision {
    const { externalId } = candidate;
    if ('faults' in candidate) return { externalId, errors: candidate.faults, outcome: 'failed', userId: null };
    const userId = externalId === null ? undefined : this.holderOf(nameOfUser(externalId))?.userId;
    if (userId !== undefined) return { externalId, errors: [], outcome: 'skipped', userId };
    if (externalId !== null && this.found.deleted.has(externalId)) {
      const message = 'belonged to a user who was deleted; `revive` imports the row';
      return {
        externalId,
        errors: [{ field: 'external_id', rule: 'deleted', message }],
        outcome: 'skipped',
        userId: null,
      };
    }
    const conflicts = this.conflictsOf(candidate);
    if (conflicts.length > 0) {
      const outcome = this.onConflict === 'skip' ? 'skipped' : 'failed';
      return { externalId, errors: conflicts, outcome, userId: null };
    }
    return this.accept(candidate);
  }

  /** Ids and keys that the row states twice, or that another user has other than as a label. */
  private conflictsOf({ user, rows }: WholeCandidate): readonly FieldError[] {
    const own = new Set<string>();
    const conflicts: FieldError[] = [];
    if (this.holderOf(nameOfId(user.id)))
      conflicts.push({ field: 'user_id', rule: 'duplicate', message: 'belongs to another user of the app' });
    for (const { part, row } of rows) {
      const names = [nameOfId(row.id), ...(row.key === null ? [] : [nameOf(part, row.key)])];
      if (names.some((name) => own.has(name)))
        conflicts.push({ field: row.place, rule: 'duplicate', message: 'is given more than once' });
      else if (
        this.holderOf(names[0]!) !== undefined ||
        (names[1] !== undefined && row.provedAt !== null && this.isTaken(names[1]))
      )
        conflicts.push({ field: row.place, rule: 'duplicate', message: 'belongs to another user of the app' });
      for (const name of names) own.add(name);
    }
    return conflicts;
  }

  private isTaken(name: string): boolean {
    return this.holderOf(name)?.isLabel === false;
  }

  private holderOf(name: string): Holder | undefined {
    const holder = this.holders.get(name);
    const isLabel = holder?.decision ? undefined : this.earlier?.isLabel(name);
    return isLabel === undefined ? holder : { isLabel, userId: IN_EARLIER_BATCH, decision: null };
  }

  private hold(name: string, holder: Holder): void {
    this.holders.set(name, holder);
    this.earlier?.add(name, holder.isLabel);
  }

  private accept(candidate: WholeCandidate): Accepted {
    const { externalId, user } = candidate;
    const errors: FieldError[] = [];
    const frees: FreedLabel[] = [];
    const rows: RowOfPart[] = [];
    const decision: Accepted = { externalId, errors, accepted: candidate, rows, frees };
    for (const each of candidate.rows) {
      const { part, row } = each;
      if (row.key !== null) {
        const name = nameOf(part, row.key);
        const holder = this.holderOf(name);
        if (holder && row.provedAt === null) {
          errors.push({ field: row.place, ...LABEL_TAKEN });
          continue;
        }
        if (holder?.decision) withoutLabel(holder.decision, each);
        else if (holder) frees.push({ part, key: row.key, userId: holder.userId, id: row.id });
        this.hold(name, { isLabel: row.provedAt === null, userId: user.id, decision });
      }
      rows.push(each);
      this.hold(nameOfId(row.id), { isLabel: false, userId: user.id, decision });
    }
    for (const name of [nameOfId(user.id), ...(externalId === null ? [] : [nameOfUser(externalId)])])
      this.hold(name, { isLabel: false, userId: user.id, decision });
    return decision;
  }
}

function withoutLabel(holder: Accepted, { part, row }: RowOfPart): void {
  const label = holder.rows.find((each) => each.part === part && each.row.key === row.key)!;
  holder.rows = holder.rows.filter((each) => each !== label);
  holder.errors.push({ field: label.row.place, ...LABEL_TAKEN });
}

const nameOf = (part: PortablePart, key: string): string => `${part.field} ${key}`;
const nameOfUser = (externalId: string): string => `external_id ${externalId}`;
/** No external id or key begins with NUL. */
const nameOfId = (id: string): string => `\0${id}`;
