import { createHash } from 'node:crypto';
import type { ClientBase, QueryResult } from 'pg';
import { remembered } from '../kernel/collections.js';
import { snakeCase } from '../kernel/snake-case.js';
import { currentTracing, type SpanText, type Tracing } from '../kernel/tracing.js';
import { exchange, isPrepared, prepareValue } from './pg-internals.js';
import { noteFailedPreparation } from './pool.js';

/** The text must be constant: it is prepared once on each connection, and each text is kept. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Texts are constant, so results are few. A text built from values would be a leak and an injection. */
const nameOf = remembered((text: string) => createHash('sha1').update(text).digest('base64url').slice(0, 20));

export function statement(text: string, values: readonly unknown[] = []): Statement {
  return { name: nameOf(text), text, values };
}

/** States the isolation level: under a higher default a lock would not show the rows that its holder wrote. */
export const BEGIN = statement('begin isolation level read committed');
export const COMMIT = statement('commit');

/** The first failure is the last statement that is carried out, so nothing runs outside the BEGIN before it; `results` has those before. */
export function sendTogether(
  client: ClientBase,
  statements: readonly Statement[],
  results: QueryResult[] = [],
): Promise<QueryResult[]> {
  const tracing = currentTracing();
  return tracing === undefined ? send(client, statements, results) : sendTraced(tracing, client, statements, results);
}

async function sendTraced(
  tracing: Tracing,
  client: ClientBase,
  statements: readonly Statement[],
  results: QueryResult[],
): Promise<QueryResult[]> {
  const end = tracing.begin(() => statements.map(({ text }) => spanTextOf(text)));
  try {
    await send(client, statements, results);
    end();
    return results;
  } catch (error) {
    end({ error, index: results.length });
    throw error;
  }
}

/** Named by its first word and its first table. The text is constant, so it has no values. */
const spanTextOf = remembered((text: string): SpanText => {
  const [verb = ''] = /[a-z]+/i.exec(text) ?? [];
  const table = /\b(?:from|into|update)\s+([a-z_]+)/i.exec(text)?.[1];
  const name = table === undefined ? verb : `${verb} ${table}`;
  return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.trim() } };
});

async function send(
  client: ClientBase,
  statements: readonly Statement[],
  results: QueryResult[],
): Promise<QueryResult[]> {
  const known = preparedOn(client);
  if (statements.every(({ name }) => known.has(name))) {
    await exchange(client, statements, results);
    return results;
  }
  for (const { name, text, values } of statements) {
    // pg closes a statement whose value it cannot convert, and then uses it as if it were prepared.
    const converted = values.map(prepareValue);
    try {
      results.push(await client.query({ name, text, values: converted }));
    } catch (error) {
      if (!isPrepared(client, name)) noteFailedPreparation(error as object);
      throw error;
    }
    known.add(name);
  }
  return results;
}

const prepared = new WeakMap<ClientBase, Set<string>>();

function preparedOn(client: ClientBase): Set<string> {
  let known = prepared.get(client);
  if (!known) prepared.set(client, (known = new Set()));
  return known;
}

type Named<P> = (parameters: P) => [sql: string, values: unknown[]];

/** `$userId` stands for `$3` in `database.write(...ADD(user))`. Throws if a parameter is undefined, which pg would send as null. */
export function named<P extends object>(sql: string): Named<P> {
  const names: string[] = [];
  const text = sql.replaceAll(/\$([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return (parameters) => [text, names.map((name) => valueOf(parameters as Record<string, unknown>, name))];
}

function valueOf(parameters: Record<string, unknown>, name: string): unknown {
  const value = parameters[name];
  if (value === undefined) throw new Error(`The statement needs a value for $${name}. Pass null for SQL null.`);
  return value;
}

interface Columns {
  /** `app_id, first_name` */
  readonly names: string;
  /** `$appId, $firstName` */
  readonly values: string;
  /** `first_name = $firstName` */
  readonly assignments: string;
  /** `u.first_name as "firstName"` */
  of(alias: string): string;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The compiler checks by T that each field exists.
export function columnsOf<T>(fields: readonly (keyof T & string)[]): Columns {
  const columns = fields.map((field) => ({
    field,
    name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }));
  return {
    names: columns.map(({ name }) => name).join(', '),
    values: columns.map(({ field }) => `$${field}`).join(', '),
    assignments: columns.map(({ field, name }) => `${name} = $${field}`).join(', '),
    of: (alias) => columns.map(({ field, name }) => `${alias}.${name} as "${field}"`).join(', '),
  };
}

interface Records<T> {
  readonly names: string;
  /** `app_id text, first_name text`, for `jsonb_to_recordset`. */
  readonly definitions: string;
  json(row: T): string;
}

export function recordsOf<T extends object>(types: Readonly<Record<keyof T & string, string>>): Records<T> {
  const columns = Object.entries<string>(types).map(([field, type]) => ({ field, name: snakeCase(field), type }));
  return {
    names: columns.map(({ name }) => name).join(', '),
    definitions: columns.map(({ name, type }) => `${name} ${type}`).join(', '),
    json: (row) => {
      const record: Record<string, unknown> = {};
      for (const { field, name } of columns) record[name] = inJson(valueOf(row as Record<string, unknown>, field));
      return JSON.stringify(record);
    },
  };
}

/** The parameter of `jsonb_to_recordset`. */
export const listOf = (records: readonly string[]): string => `[${records.join(',')}]`;

/** PostgreSQL reads bytes in JSON as it reads them in text. */
function inJson(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}
