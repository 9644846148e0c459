import type { FieldError } from '../../../kernel/domain-error.js';
import type { UserId } from '../../../kernel/ids.js';
import type { Holding, PortablePart, PortableRow, User } from '../../identity/index.js';

interface RowOfPart {
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

const LABEL_TAKEN: Pick<FieldError, 'rule' | 'message'> = {
  rule: 'duplicate',
  message: 'is not verified and another user has it, so the user was imported without it',
};

/** Decides in the order of the rows, as if each were stored before the next. */
export class BatchOfUsers {
  private readonly users = new Map<string, UserId>();
  private readonly holders = new Map<string, Holder>();

  constructor(
    private readonly found: FoundRows,
    private readonly onConflict: 'skip' | 'fail',
  ) {
    for (const { id, externalId } of found.users) this.users.set(externalId === null ? nameOfId(id) : externalId, id);
    for (const [part, holdings] of found.holdings)
      for (const { key, id, userId, isLabel } of holdings) {
        if (key !== null) this.holders.set(nameOf(part, key), { isLabel, userId, decision: null });
        else this.holders.set(nameOfId(id), { isLabel: false, userId, decision: null });
      }
  }

  decide(candidates: readonly Candidate[]): readonly Decision[] {
    return candidates.map((candidate) => this.decision(candidate));
  }

  private decision(candidate: Candidate): Decision {
    const { externalId } = candidate;
    if ('faults' in candidate) return { externalId, errors: candidate.faults, outcome: 'failed', userId: null };
    const userId = externalId === null ? undefined : this.users.get(externalId);
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
    if (this.users.has(nameOfId(user.id)) || this.holders.has(nameOfId(user.id)))
      conflicts.push({ field: 'user_id', rule: 'duplicate', message: 'belongs to another user of the app' });
    for (const { part, row } of rows) {
      const names = [nameOfId(row.id), ...(row.key === null ? [] : [nameOf(part, row.key)])];
      if (names.some((name) => own.has(name)))
        conflicts.push({ field: row.place, rule: 'duplicate', message: 'is given more than once' });
      else if (
        this.holders.has(names[0]!) ||
        (names[1] !== undefined && row.provedAt !== null && this.isTaken(names[1]))
      )
        conflicts.push({ field: row.place, rule: 'duplicate', message: 'belongs to another user of the app' });
      for (const name of names) own.add(name);
    }
    return conflicts;
  }

  private isTaken(name: string): boolean {
    return this.holders.get(name)?.isLabel === false;
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
        const holder = this.holders.get(name);
        if (holder && row.provedAt === null) {
          errors.push({ field: row.place, ...LABEL_TAKEN });
          continue;
        }
        if (holder?.decision) withoutLabel(holder.decision, each);
        else if (holder) frees.push({ part, key: row.key, userId: holder.userId, id: row.id });
        this.holders.set(name, { isLabel: row.provedAt === null, userId: user.id, decision });
      }
      rows.push(each);
      this.holders.set(nameOfId(row.id), { isLabel: false, userId: user.id, decision });
    }
    this.users.set(nameOfId(user.id), user.id);
    if (externalId !== null) this.users.set(externalId, user.id);
    return decision;
  }
}

function withoutLabel(holder: Accepted, { part, row }: RowOfPart): void {
  const label = holder.rows.find((each) => each.part === part && each.row.key === row.key)!;
  holder.rows = holder.rows.filter((each) => each !== label);
  holder.errors.push({ field: label.row.place, ...LABEL_TAKEN });
}

const nameOf = (part: PortablePart, key: string): string => `${part.field} ${key}`;
/** No external id or key begins with NUL. */
const nameOfId = (id: string): string => `\0${id}`;
