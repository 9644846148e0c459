import type { Page, PageRequest } from './paging.js';
import { SealAltered } from './vault.js';

/** Column `user_id` is the field `userId`; `mac` is the MAC that the row has. */
type Row = object;

/** Rows that grant something; the fields say what and to whom. */
export interface MacTable {
  readonly table: string;
  /** `ROWS_MARK` of the first release with this MAC and these fields. For a new table: that of the release before. */
  readonly since: number;
  readonly key: readonly string[];
  readonly fields: readonly string[];
  /** The default is `mac`. */
  readonly column?: string;
  /** SQL over a row `t` for fields that are no column. */
  readonly computed?: Readonly<Record<string, string>>;
  /** Null where rows belong to no app. */
  readonly app?: string | null;
  /** SQL for rows that grant nothing any more: they have no MAC, and are not checked. */
  readonly ended?: string;
}

const declared: MacTable[] = [];

/** A row that was written by SQL grants nothing. A MAC covers no counters, times of use, or fields that are changed in bulk. */
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

/** The MAC of a row that is not as the service wrote it. Stored again, it stays a wrong one. */
export const ALTERED = Buffer.alloc(0);

/** A database of an earlier release has none until `seal rows` has made them: until then rows are not checked. */
export abstract class RowMacs {
  /** A row that was read as `ALTERED` keeps that, so that no change of it makes it right. */
  abstract of(table: MacTable, row: Row): Buffer;

  withMac<R extends Row>(table: MacTable, row: R): R & { readonly mac: Buffer } {
    return { ...row, mac: this.of(table, row) };
  }

  /** `ALTERED` for a wrong MAC; the fault is then counted and logged. */
  abstract verified(table: MacTable, row: Row): Buffer | null;

  /** The database decides a field of the row, which this transaction has just inserted. */
  abstract sign(table: MacTable, row: Row): Promise<unknown>;

  /** Throws `SealAltered`. */
  check(table: MacTable, row: Row): void {
    if (this.verified(table, row) === ALTERED) throw rowAltered();
  }

  /** Throws `SealAltered`. */
  one<R extends Row>(table: MacTable, [row]: readonly R[]): R | null {
    if (row) this.check(table, row);
    return row ?? null;
  }

  /** Leaves out rows that are not as the service wrote them. */
  page<R extends Listed>(table: MacTable, asked: PageRequest, read: ReadPage<R>): Promise<Page<R>> {
    return unalteredPage(asked, read, (row) => this.isUnaltered(table, row));
  }

  /** Lists and searches leave out altered rows. */
  isUnaltered(table: MacTable, row: Row): boolean {
    return this.verified(table, row) !== ALTERED;
  }
}

type Listed = { readonly id: string };
type ReadPage<R> = (page: PageRequest<never>) => Promise<Page<R>>;

const MOST_PAGES = 20;
/** A page that follows one of altered rows alone has this many rows at least. */
const LEAST_FOLLOWING = 100;

/** A page without any row would have no cursor for the next one. Throws `SealAltered` if many pages have only altered rows. */
export async function unalteredPage<R extends Listed>(
  asked: PageRequest,
  read: ReadPage<R>,
  isUnaltered: (row: R) => boolean,
): Promise<Page<R>> {
  let { startingAfter, limit } = asked;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { items, hasMore } = await read({ ...asked, limit, startingAfter: startingAfter as never });
    const unaltered = items.filter(isUnaltered);
    if (unaltered.length > 0 || !hasMore)
      return { items: unaltered.slice(0, asked.limit), hasMore: hasMore || unaltered.length > asked.limit };
    startingAfter = items.at(-1)!.id;
    limit = Math.max(limit, LEAST_FOLLOWING);
  }
  throw rowAltered();
}

export const rowAltered = (): SealAltered => new SealAltered('The row is not as the service wrote it.');

/** Throws `SealAltered` for a row whose MAC was `verified` and is wrong. */
export function assertUnaltered({ mac }: { readonly mac?: Uint8Array | null }): void {
  if (mac?.length === 0) throw rowAltered();
}
