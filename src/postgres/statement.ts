import { type ClientBase, type Connection, Query, type QueryResult } from 'pg';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** Makes of a value what the protocol wants: null, text or bytes. pg has no types for this part of it, and none for the next. */
const { prepareValue } = require('pg/lib/utils.js') as {
  readonly prepareValue: (value: unknown) => string | Buffer | null;
};
const Result = require('pg/lib/result.js') as new () => Answer;

/** A statement, prepared once on each connection that sends it. Its text must be constant: each one is kept for ever. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export function statement(text: string, values: readonly unknown[] = []): Statement {
  return { name: nameOf(text), text, values };
}

/**
 * Carries statements out in order, in one round trip once each of them was sent on this connection before, and gives
 * their results. The first that fails is the last that is carried out, so nothing can ever be carried out outside the
 * BEGIN before it. What those before it answered is in `results` all the same.
 */
export async function sendTogether(
  client: ClientBase,
  statements: readonly Statement[],
  results: QueryResult[] = [],
): Promise<QueryResult[]> {
  const known = shapesOn(client);
  const shapes = statements.flatMap(({ name }) => known.get(name) ?? []);
  if (shapes.length === statements.length) {
    await exchange(client, statements, shapes, results);
    return results;
  }
  for (const { name, text, values } of statements) {
    // pg would close a statement for a value that cannot be told, and go on as if it were prepared.
    const result = await client.query({ name, text, values: values.map(prepareValue) });
    known.set(name, shapeOf(result as unknown as Answer));
    results.push(result);
  }
  return results;
}

async function exchange(
  client: ClientBase,
  statements: readonly Statement[],
  shapes: readonly Shape[],
  results: QueryResult[],
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      client.query(
        new Exchange(statements, shapes, results, (error) => {
          if (error) reject(error);
          else resolve();
        }),
      );
    });
  } catch (error) {
    // Its trace leads to the socket; from here on it leads to whoever asked.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** A result as pg puts it together. */
interface Answer extends QueryResult {
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
  parseRow(values: readonly (string | null)[]): object;
  addRow(row: object): void;
  addCommandComplete(message: object): void;
}

/** The columns that a statement answers, and how each is read. They are those it was prepared with, as long as the connection lasts. */
type Shape = Pick<Answer, 'fields' | '_parsers' | '_prebuiltEmptyResultObject'>;

function shapeOf({ fields, _parsers, _prebuiltEmptyResultObject }: Answer): Shape {
  return { fields, _parsers, _prebuiltEmptyResultObject };
}

const prepared = new WeakMap<ClientBase, Map<string, Shape>>();

/** Of the statements that are prepared on a connection, by name. */
function shapesOn(client: ClientBase): Map<string, Shape> {
  let known = prepared.get(client);
  if (!known) prepared.set(client, (known = new Map<string, Shape>()));
  return known;
}

type Done = (error?: unknown) => void;

/** The messages of the extended query protocol that pg's types do not tell of. */
interface SendingConnection {
  readonly stream: { cork(): void; uncork(): void };
  bind(message: { statement: string; values: readonly unknown[] }): void;
  execute(message: object): void;
  sync(): void;
}

/**
 * Prepared statements before one Sync, after which the server is silent about whatever follows a failure. What they
 * answer is known, so it need not be described again each time, which took as long as reading it.
 */
class Exchange extends Query {
  /** pg puts another in its place that ends its timer. */
  declare private readonly callback: Done;
  private readonly answers: readonly Answer[];
  private unreadable: { readonly error: unknown; readonly at: number } | undefined;

  constructor(
    readonly statements: readonly Statement[],
    shapes: readonly Shape[],
    private readonly results: QueryResult[],
    done: Done,
  ) {
    super(statements.at(-1)!.text, done);
    this.answers = shapes.map((shape) => Object.assign(new Result(), shape));
    // Before anything is sent: a value that cannot be told to PostgreSQL must not leave half of them under way.
    const messages = statements.map(({ name, values }) => ({ statement: name, values: values.map(prepareValue) }));
    this.submit = (connection: Connection) => {
      const sending = connection as unknown as SendingConnection;
      sending.stream.cork();
      for (const message of messages) {
        sending.bind(message);
        sending.execute({});
      }
      sending.sync();
      sending.stream.uncork();
      return null;
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const answer = this.answers[this.results.length]!;
    try {
      answer.addRow(answer.parseRow(fields));
    } catch (error) {
      this.unreadable ??= { error, at: this.results.length };
    }
  }

  handleCommandComplete(message: object): void {
    const answer = this.answers[this.results.length]!;
    answer.addCommandComplete(message);
    this.results.push(answer);
  }

  handleReadyForQuery(): void {
    this.end();
  }

  handleError(error: Error): void {
    this.end(error);
  }

  private end(error?: Error): void {
    if (this.unreadable) this.results.splice(this.unreadable.at);
    this.callback(error ?? this.unreadable?.error);
  }
}

const names = new Map<string, string>();

/** Statement texts are a small fixed set, so the map stays small; a text built from values would be a leak and an injection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return name;
}
