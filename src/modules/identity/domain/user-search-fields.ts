import type { IdKind } from '../../../kernel/ids.js';
import { Registry } from '../../../kernel/registry.js';

export type SearchValues = { readonly id: IdKind } | { readonly words: readonly string[] } | 'flag' | 'text' | 'match';

export interface SearchFieldOf {
  /** The SQL expression that is compared with the values, on a row `t` of the table, or `u` of users. */
  readonly compared: string;
  readonly values: SearchValues;
  /** Converts a text to the form that is stored. Throws a refusal that names `path`. */
  readonly stored?: (text: string, path: string) => string;
  /** Each value finds a user or two, by an index. A search with such a filter is not limited. */
  readonly isKey?: true;
  readonly isOrdered?: true;
}

export interface SearchedRows {
  /** A table with the columns `app_id` and `user_id`. */
  readonly table?: string;
  readonly where?: string;
  readonly fields: Readonly<Record<string, SearchFieldOf>>;
}

export interface SearchField extends SearchFieldOf, Pick<SearchedRows, 'table' | 'where'> {
  readonly name: string;
}

const own: string[] = [];
const ofModules: string[] = [];
const listed: string[] = [];

/** The declared fields, as the API document lists them: those of identity, then those of other modules by name. */
export const SEARCH_FIELDS: readonly string[] = listed;

/** Every module declares its fields when it is loaded, for the API document, and registers them when it starts. */
export class UserSearchFields {
  private readonly fields = new Registry<SearchField>('The search field');

  static declare(rows: SearchedRows): SearchedRows {
    return UserSearchFields.list(rows, ofModules);
  }

  /** Only identity calls it: its fields keep the order in which they are declared. */
  static declareOwn(rows: SearchedRows): SearchedRows {
    return UserSearchFields.list(rows, own);
  }

  private static list(rows: SearchedRows, names: string[]): SearchedRows {
    for (const name of Object.keys(rows.fields)) {
      if (listed.includes(name)) throw new Error(`The search field ${name} is declared already.`);
      names.push(name);
    }
    // In place, because the request class holds the list before all modules are loaded.
    listed.splice(0, listed.length, ...own, ...ofModules.toSorted());
    return rows;
  }

  register({ table, where, fields }: SearchedRows): void {
    for (const [name, field] of Object.entries(fields)) {
      if (!SEARCH_FIELDS.includes(name)) throw new Error(`The search field ${name} is not declared.`);
      this.fields.add(name, { name, table, where, ...field });
    }
  }

  requireAll(): void {
    const missing = SEARCH_FIELDS.find((name) => !this.fields.has(name));
    if (missing !== undefined) throw new Error(`The search field ${missing} is declared but not registered.`);
  }

  named(name: string): SearchField {
    const field = this.fields.get(name);
    if (!field) throw new Error(`No module has registered the search field ${name}.`);
    return field;
  }
}
