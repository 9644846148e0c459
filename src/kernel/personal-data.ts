import type { AppId, UserId } from './ids.js';

/** Rows about a person in one table: what an export shows of them, and what becomes of them when the person is erased. */
export interface PersonalRows {
  readonly table: string;
  /** The list in an export and the line in a receipt have this name, such as `sessions`. */
  readonly name: string;
  /**
   * SQL for the rows `t` of app `$1` about the person, whose user id is `$2` and whose `names` are `$3`. By default those with the
   * `user_id`.
   */
  readonly about?: string;
  /** True where no index finds the rows: then all rows of the app are read, in portions. */
  readonly isSearched?: boolean;
  /** True for rows that cannot be found by the person. A receipt names them without a number. */
  readonly isUnlinked?: boolean;
  /** The columns that order the rows and identify each, by default `id`, with a type unless it is text: `token_hash::bytea`. */
  readonly key?: readonly string[];
  /** Columns by whose values other tables name the person too, such as an address or the id of a wallet. */
  readonly names?: string;
  /** SQL for rows `t` by which the person is not known for sure, such as an address that was not proved. An export does not search by them. */
  readonly isUnproven?: string;
  /** An export shows these columns, a select list such as `id, text as email`. Secrets stay out. */
  readonly shows?: string;
  /** Why an export shows nothing of the rows. */
  readonly hidden?: string;
  /** The columns about a person, whose rows are removed. */
  readonly removes?: readonly string[];
  /** The columns that lose what they say about the person, each with its new value in SQL. */
  readonly clears?: Readonly<Record<string, string>>;
  /** The columns about a person that stay, each with the reason. */
  readonly keeps?: Readonly<Record<string, string>>;
}

/** Columns that look as if they were about users and are not, each with the reason. */
export interface ImpersonalColumns {
  readonly table: string;
  readonly columns: Readonly<Record<string, string>>;
}

const rows: PersonalRows[] = [];
const impersonal: ImpersonalColumns[] = [];

/**
 * The registry of what the service keeps about persons. Each module declares its own tables while it is loaded; a test compares them with
 * the columns that exist.
 */
export const PersonalData = {
  declare(...declared: readonly PersonalRows[]): void {
    for (const each of declared) {
      if (rows.some(({ name }) => name === each.name)) throw new Error(`${each.name} are declared already.`);
      rows.push(each);
    }
  },

  /** Declares what columns of a table hold that is not about a user. */
  none(table: string, columns: ImpersonalColumns['columns']): void {
    impersonal.push({ table, columns });
  },

  get rows(): readonly PersonalRows[] {
    return rows;
  },

  get impersonal(): readonly ImpersonalColumns[] {
    return impersonal;
  },
};

/** A user, and by which values tables without the user's id name the person: addresses, and ids of what the user has. */
export interface Person {
  readonly appId: AppId;
  readonly userId: UserId;
  readonly names: readonly string[];
}

/** The key of the last row that was read; null once there are no more. */
export type RowCursor = readonly string[] | null;

/** Reads and erases the declared rows in portions. */
export abstract class PersonalDataStore {
  /** The names by which the tables know the person now: those that are proved, or all. */
  abstract person(appId: AppId, userId: UserId, names: 'proven' | 'all'): Promise<Person>;

  /** The rows about the person as an export shows them, in pages. */
  abstract pages(person: Person, of: PersonalRows): AsyncIterable<readonly object[]>;

  /** The number of rows about the person, which an index finds, by the names of what they are. */
  abstract count(person: Person, of: readonly PersonalRows[]): Promise<Readonly<Record<string, number>>>;

  /** Removes, clears or counts the next rows about the person, in the current transaction. */
  abstract erase(
    person: Person,
    of: PersonalRows,
    after: RowCursor,
  ): Promise<{ readonly rows: number; readonly next: RowCursor }>;
}
