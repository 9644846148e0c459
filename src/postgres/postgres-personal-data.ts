import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../kernel/ids.js';
import {
  type Person,
  PersonalData,
  PersonalDataStore,
  type PersonalRows,
  type RowCursor,
} from '../kernel/personal-data.js';
import { Database } from './database.js';

/** A statement over so few rows ends well within the statement timeout. */
const FOUND_AT_ONCE = 500;
const SEARCHED_AT_ONCE = 10_000;

const mostOf = ({ isSearched }: PersonalRows): number => (isSearched ? SEARCHED_AT_ONCE : FOUND_AT_ONCE);
const aboutOf = ({ about = 't.user_id = $2' }: PersonalRows): string =>
  `(${about} and $2::text <> '' and $3::text[] is not null)`;

function keyOf({ key = ['id'] }: PersonalRows) {
  return key.map((each) => {
    const [column, type = 'text'] = each.split('::') as [string, string?];
    return { column, type };
  });
}

const listOf = (of: PersonalRows, each = (column: string): string => `t.${column}`): string =>
  keyOf(of)
    .map(({ column }) => each(column))
    .join(', ');

/** It precedes every row, in each type that keys have. */
const beginning = (of: PersonalRows): string[] => keyOf(of).map(({ type }) => (type === 'bigint' ? '-1' : ''));

/** Where no index finds the rows about the person, all rows of the app after the key `$4` are read. */
function scanned(of: PersonalRows): string {
  const { table, isSearched = false } = of;
  const after = keyOf(of).map(({ type }, index) => `($4::text[])[${index + 1}]::${type}`);
  return `
    select t.*, ${isSearched ? aboutOf(of) : 'true'} as is_about_person, array[${listOf(of, (column) => `t.${column}::text`)}] as key_of_row
      from (select t.* from ${table} t
             where t.app_id = $1 and (${listOf(of)}) > (${after.join(', ')}) ${isSearched ? '' : `and ${aboutOf(of)}`}
             order by ${listOf(of)} limit ${mostOf(of)}) t`;
}

const last = (of: PersonalRows): string =>
  `(select key_of_row from scanned t order by ${listOf(of, (column) => `t.${column} desc`)} limit 1)`;

/** The last row of the portion is included, also one about another person, so that the next portion follows it. */
const page = (of: PersonalRows): string => `
  with scanned as materialized (${scanned(of)})
  select ${of.shows!}, is_about_person, key_of_row, (select count(*)::int from scanned) as rows_scanned
    from scanned t
   where is_about_person or key_of_row = ${last(of)}
   order by ${listOf(of)}`;

function erasing(of: PersonalRows): string {
  const { table, removes, clears = {} } = of;
  const assignments = Object.entries(clears).map(([column, value]) => `${column} = ${value}`);
  const isOne = `t.app_id = $1 and (${listOf(of)}) in (select ${listOf(of)} from scanned t where is_about_person) and ${aboutOf(of)}`;
  let change = 'select from scanned where is_about_person';
  if (removes) change = `delete from ${table} t where ${isOne} returning 1`;
  else if (assignments.length > 0)
    change = `update ${table} t set ${assignments.join(', ')} where ${isOne} returning 1`;
  return `
    with scanned as materialized (${scanned(of)}), changed as (${change})
    select (select count(*)::int from changed) as rows, (select count(*)::int from scanned) as scanned, ${last(of)} as last`;
}

const counting = (all: readonly PersonalRows[]): string =>
  all
    .map(
      (of) =>
        `select '${of.name}' as name, count(*)::int as rows from ${of.table} t where t.app_id = $1 and ${aboutOf(of)}`,
    )
    .join(' union all ');

interface Read extends Record<string, unknown> {
  readonly is_about_person: boolean;
  readonly key_of_row: readonly string[];
  readonly rows_scanned: number;
}

@Injectable()
export class PostgresPersonalData extends PersonalDataStore {
  constructor(private readonly database: Database) {
    super();
  }

  async person(appId: AppId, userId: UserId, which: 'proven' | 'all'): Promise<Person> {
    const names = new Set<string>([userId]);
    const nameless: Person = { appId, userId, names: [] };
    for (const { names: shows, isUnproven, ...of } of PersonalData.rows) {
      if (!shows) continue;
      const about = isUnproven && which === 'proven' ? `t.user_id = $2 and not (${isUnproven})` : undefined;
      for await (const rows of this.pages(nameless, { ...of, shows, ...(about !== undefined && { about }) }))
        for (const row of rows) for (const name of Object.values(row)) names.add(name as string);
    }
    return { appId, userId, names: [...names] };
  }

  async *pages(person: Person, of: PersonalRows): AsyncGenerator<readonly object[]> {
    if (!of.shows) return;
    for (let after: readonly string[] = beginning(of); ;) {
      const read = await this.database.list<Read>(page(of), parametersOf(person, after));
      if (read.length === 0) return;
      const { rows_scanned, key_of_row } = read.at(-1)!;
      yield read.filter((row) => row.is_about_person).map(shown);
      if (rows_scanned < mostOf(of)) return;
      after = key_of_row;
    }
  }

  async count({ appId, userId, names }: Person, of: readonly PersonalRows[]): Promise<Record<string, number>> {
    const counted = await this.database.list<{ name: string; rows: number }>(counting(of), [appId, userId, names]);
    return Object.fromEntries(counted.map(({ name, rows }) => [name, rows]));
  }

  async erase(person: Person, of: PersonalRows, after: RowCursor): Promise<{ rows: number; next: RowCursor }> {
    const parameters = parametersOf(person, after ?? beginning(of));
    const [done] = await this.database.write<{ rows: number; scanned: number; last: readonly string[] | null }>(
      erasing(of),
      parameters,
    );
    const { rows, scanned: read, last: key } = done!;
    return { rows, next: read < mostOf(of) ? null : key };
  }
}

const parametersOf = ({ appId, userId, names }: Person, after: readonly string[]): unknown[] => [
  appId,
  userId,
  names,
  after,
];

function shown({ is_about_person: _, key_of_row: __, rows_scanned: ___, ...row }: Read): object {
  const values = Object.entries(row).map(([name, value]): [string, unknown] => [
    name,
    value instanceof Date ? Math.floor(value.getTime() / 1000) : value,
  ]);
  return Object.fromEntries(values);
}
