import { type ClientBase, type Connection, Query, type QueryResult } from 'pg';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';

/** Makes of a value what the protocol wants: null, text or bytes. The package has no types for this part of it. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  readonly prepareValue: (value: unknown) => string | Buffer | null;
};

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
 * Carries statements out in order, in one round trip once all of them are prepared, and gives their results. The
 * first that fails is the last that is carried out, so nothing can ever be carried out outside the BEGIN before it.
 */
export async function sendTogether(client: ClientBase, statements: readonly Statement[]): Promise<QueryResult[]> {
  const { parsedStatements } = (client as unknown as { connection: PreparingConnection }).connection;
  if (statements.length > 1 && statements.every(({ name, text }) => parsedStatements[name] === text)) {
    return new Promise((resolve, reject) => {
      client.query(
        new Together(statements, (error, results) => (error ? reject(error) : resolve(results as QueryResult[]))),
      );
    });
  }
  const results: QueryResult[] = [];
  for (const { name, text, values } of statements)
    results.push(await client.query({ name, text, values: [...values] }));
  return results;
}

/** What pg keeps of a connection: the texts of the statements prepared on it, by name. */
interface PreparingConnection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
}

/** The messages of the extended query protocol that pg's types do not tell of. */
interface SendingConnection {
  readonly stream: { cork(): void; uncork(): void };
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P' }): void;
  execute(message: object): void;
  sync(): void;
}

/** Several prepared statements before one Sync, after which the server is silent about whatever follows a failure. */
class Together extends Query {
  constructor(
    readonly statements: readonly Statement[],
    done: (error: Error | undefined, results: unknown) => void,
  ) {
    super(statements.at(-1)!.text, done);
    // Before anything is sent: a value that cannot be told to PostgreSQL must not leave half of them under way.
    const messages = statements.map(({ name, values }) => ({ statement: name, values: values.map(prepareValue) }));
    this.submit = (connection: Connection) => {
      const { stream } = connection;
      stream.cork();
      const sending = connection as unknown as SendingConnection;
      for (const message of messages) {
        sending.bind(message);
        sending.describe({ type: 'P' });
        sending.execute({});
      }
      sending.sync();
      stream.uncork();
      return null;
    };
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
