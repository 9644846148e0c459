import type { AppId, UserId } from './ids.js';

/** What an export shows of a table's rows about a person, and what becomes of them at an erasure. */
export interface PersonalRows {
  readonly table: string;
  /** The list in an export and the line in a receipt have this name. */
  readonly name: string;
  /** SQL for rows `t` of app `$1` about the person with the user id `$2` and the `names` `$3`; by default by `user_id`. */
  readonly about?: string;
  /** No index finds the rows: all rows of the app are read, in portions. */
  readonly isSearched?: boolean;
  /** The rows cannot be found by the person. A receipt names them without a number. */
  readonly isUnlinked?: boolean;
  /** Orders and identifies the rows, by default `id`; with a type unless it is text: `token_hash::bytea`. */
  readonly key?: readonly string[];
  /** Columns by whose values other tables name the person, such as an address or the id of a wallet. */
  readonly names?: string;
  /** SQL for rows `t` that name the person without a proof, such as an unproved address. An export does not search by them. */
  readonly isUnproven?: string;
  /** A select list for exports, such as `id, text as email`. Secrets stay out. */
  readonly shows?: string;
  readonly hidden?: string;
  /** Columns about a person, whose rows are removed. */
  readonly removes?: readonly string[];
  /** Columns that lose what they say about the person, with the new value in SQL. */
  readonly clears?: Readonly<Record<string, string>>;
  /** Columns about a person that stay, with the reason. */
  readonly keeps?: Readonly<Record<string, string>>;
}

/** They look as if they were about users and are not, each with the reason. */
export interface ImpersonalColumns {
  readonly table: string;
  readonly columns: Readonly<Record<string, string>>;
}

const rows: PersonalRows[] = [];
const impersonal: ImpersonalColumns[] = [];

/** Each module declares its tables while it is loaded; a test compares them with the columns that exist. */
export const PersonalData = {
  declare(...declared: readonly PersonalRows[]): void {
    for (const each of declared) {
      if (rows.some(({ name }) => name === each.name)) throw new Error(`${each.name} are declared already.`);
      rows.push(each);
    }
  },

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

/** `names` are values by which tables without the user's id name the person. */
export interface Person {
  readonly appId: AppId;
  readonly userId: UserId;
  readonly names: readonly string[];
}

export type RowCursor = readonly string[] | null;

export abstract class PersonalDataStore {
  abstract person(appId: AppId, userId: UserId, names: 'proven' | 'all'): Promise<Person>;

  abstract pages(person: Person, of: PersonalRows): AsyncIterable<readonly object[]>;

  /** An index must find the rows. */
  abstract count(person: Person, of: readonly PersonalRows[]): Promise<Readonly<Record<string, number>>>;

  abstract erase(
    person: Person,
    of: PersonalRows,
    after: RowCursor,
  ): Promise<{ readonly rows: number; readonly next: RowCursor }>;
}
