import { createRequire } from 'node:module';
import { type Client, type ClientBase, type Connection, type Pool, Query, type QueryResult } from 'pg';
import { requireVersion } from './written-for.js';

requireVersion('pg', '8.23');
requireVersion('pg-pool', '3.14');

const require = createRequire(import.meta.url);
/** Null, text or bytes. Throws for a value that has no such form. */
export const { prepareValue } = require('pg/lib/utils.js') as {
  readonly prepareValue: (value: unknown) => string | Buffer | null;
};

export interface PreparedStatement {
  readonly name: string;
  readonly values: readonly unknown[];
}

interface PrivateClient {
  readonly _activeQuery: object | null;
  readonly processID: number | null;
  readonly connection: {
    readonly stream: { cork(): void; uncork(): void; destroy(error: Error): void };
    readonly parsedStatements: Readonly<Record<string, string>>;
  };
}

interface PrivateConnection {
  readonly stream: { cork(): void; uncork(): void };
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
}

export function clientsOf(pool: Pool): readonly Client[] {
  return (pool as unknown as { readonly _clients: readonly Client[] })._clients;
}

/** It is the same object until the query ends. */
export function activeQueryOf(client: Client): object | null {
  return (client as unknown as PrivateClient)._activeQuery;
}

/** The login names it. A pooler may name a number of its own. */
export function processIdOf(client: ClientBase): number | null {
  return (client as unknown as PrivateClient).processID;
}

export function isPrepared(client: ClientBase, name: string): boolean {
  return name in (client as unknown as PrivateClient).connection.parsedStatements;
}

export function destroyConnection(client: Client, error: Error): void {
  (client as unknown as PrivateClient).connection.stream.destroy(error);
}

/** Bytes of this event loop turn leave in one packet. */
export function corkThisTurn(client: Client): void {
  const { stream } = (client as unknown as PrivateClient).connection;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Statements are sent without waiting for the results of those before; its type option lacks `pipeline`. */
export const PIPELINED: object = { pipeline: true };

/** The first statement that fails is the last that is carried out; `results` receives the results of those before it. */
export async function exchange(
  client: ClientBase,
  statements: readonly PreparedStatement[],
  results: QueryResult[],
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      client.query(new Exchange(statements, results, (error) => (error ? reject(error) : resolve())));
    });
  } catch (error) {
    // The trace of a server error leads to the socket; this one leads to the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

interface PrivateQuery {
  readonly _result: QueryResult;
  readonly _canceledDueToError: unknown;
}

type Handler = (this: Query, ...message: unknown[]) => void;
const { handleCommandComplete } = Query.prototype as unknown as { readonly handleCommandComplete: Handler };

/** Several statements before one Sync: after a failure the server skips everything up to the Sync. */
class Exchange extends Query {
  constructor(
    /** The tests that count round trips read it. */
    readonly statements: readonly PreparedStatement[],
    private readonly results: QueryResult[],
    done: (error?: Error) => void,
  ) {
    super('', done);
    // Converted before anything is sent: a value that cannot be converted must not leave half of the statements sent.
    const messages = statements.map(({ name, values }) => ({ statement: name, values: values.map(prepareValue) }));
    this.submit = (connection: Connection) => {
      const { stream } = connection;
      const sending = connection as unknown as PrivateConnection;
      stream.cork();
      for (const message of messages) {
        sending.bind(message);
        sending.describe({ type: 'P', name: '' });
        sending.execute({});
      }
      sending.sync();
      stream.uncork();
      return null;
    };
  }

  handleCommandComplete(...message: unknown[]): void {
    handleCommandComplete.call(this, ...message);
    const { _result, _canceledDueToError } = this as unknown as PrivateQuery;
    if (!_canceledDueToError) this.results.push(_result);
  }
}
