import type { Page } from './paging.js';
import { SealAltered } from './vault.js';

/** A row as its module reads it: column `user_id` is the field `userId`, and `mac` the MAC that it has. */
type Row = object;

/** A table whose rows grant something, with the fields that say what they grant and to whom. */
export interface MacTable {
  readonly table: string;
  /** `ROWS_MARK` of the first release that had this MAC, with these fields. Of a new table: that of the release before, as it has no rows then. */
  readonly since: number;
  /** The fields of the primary key: `appId` and `id` unless others are named. */
  readonly key: readonly string[];
  readonly fields: readonly string[];
  /** The field with the MAC; `mac` unless another one is named. */
  readonly column?: string;
  /** SQL over a row `t` for fields that are no column. */
  readonly computed?: Readonly<Record<string, string>>;
  /** The field with the app; null where rows belong to no app. */
  readonly app?: string | null;
  /** SQL that is true for rows that grant nothing any more: they have no MAC, and are not checked. */
  readonly ended?: string;
}

const declared: MacTable[] = [];

/**
 * The tables whose rows carry a MAC of the service in their column `mac`, so that a row that is written by SQL grants nothing. Fields that
 * statements change in many rows at once, counters and times of use do not belong to a MAC.
 */
export const MacTables = {
  declare(stated: Omit<MacTable, 'key'> & Partial<Pick<MacTable, 'key'>>): MacTable {
    const table = { key: ['appId', 'id'], ...stated };
    declared.push(table);
    return table;
  },

  get declared(): readonly MacTable[] {
    return declared;
  },
};

/** Stands for the MAC of a row that was read and is not as the service wrote it. Stored again, it stays a wrong one. */
export const ALTERED = Buffer.alloc(0);

/** MACs over rows. A database of an earlier release has none until `seal rows` has made them: until then rows are not checked. */
export abstract class RowMacs {
  /** The MAC of a row that is written. A row that was read as `ALTERED` keeps that, so that no change of it makes it right. */
  abstract of(table: MacTable, row: Row): Buffer;

  /** The row with its MAC, as a statement stores it. */
  withMac<R extends Row>(table: MacTable, row: R): R & { readonly mac: Buffer } {
    return { ...row, mac: this.of(table, row) };
  }

  /** The MAC of a row that was read, or `ALTERED`: then the fault was counted and logged. */
  abstract verified(table: MacTable, row: Row): Buffer | null;

  /** Gives a row that this transaction has just inserted its MAC, where the database decides a field of it. */
  abstract sign(table: MacTable, row: Row): Promise<unknown>;

  /** Throws `SealAltered` for a row that was read and is not as the service wrote it. */
  check(table: MacTable, row: Row): void {
    if (this.verified(table, row) === ALTERED) throw rowAltered();
  }

  /** The row that a statement found, or null. Throws `SealAltered`. */
  one<R extends Row>(table: MacTable, [row]: readonly R[]): R | null {
    if (row) this.check(table, row);
    return row ?? null;
  }

  /** A page of a list without the rows that are not as the service wrote them. */
  page<R extends Row>(table: MacTable, { items, hasMore }: Page<R>): Page<R> {
    return { items: items.filter((row) => this.isUnaltered(table, row)), hasMore };
  }

  /** Whether a row of a list or a search is as the service wrote it. Leave out the others. */
  isUnaltered(table: MacTable, row: Row): boolean {
    return this.verified(table, row) !== ALTERED;
  }
}

/** The fault of a row whose MAC is wrong. */
export const rowAltered = (): SealAltered => new SealAltered('The row is not as the service wrote it.');

/** Throws `SealAltered` for a row whose MAC was `verified` and is wrong. */
export function assertUnaltered({ mac }: { readonly mac?: Uint8Array | null }): void {
  if (mac?.length === 0) throw rowAltered();
}
