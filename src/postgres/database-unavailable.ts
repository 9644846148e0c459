import { isNativeError } from 'node:util/types';
import { ID_ALPHABET } from '../kernel/ids.js';

/** Server starting, stopping or full (08, 53, 57P); timeouts (57014, 55P03, 25P03); read-only (25006); deadlocks (40P01, 40001). */
const UNAVAILABLE = /^(08|53|57P0|57014|55P03|25P03|25006|40P01|40001)/;
const ENDS_CONNECTION = new Set(['FATAL', 'PANIC']);
const SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Failures of pg and its pool that have no code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end|Client was closed|The server does not support SSL|There was an error establishing an SSL)/;

export function isDatabaseUnavailable(error: unknown): boolean {
  // `instanceof` fails under Jest, where errors that Node itself throws are of another realm.
  if (!isNativeError(error)) return false;
  const cause = causeOf(error);
  // Socket errors of providers and chain nodes are caught and typed where they happen.
  if (typeof cause.code === 'string' && (SOCKET.has(cause.code) || cause.syscall === 'connect')) return true;
  if (typeof cause.severity === 'string')
    return ENDS_CONNECTION.has(cause.severity) || UNAVAILABLE.test(cause.code ?? '');
  return (
    MESSAGES.test(cause.message) ||
    // TypeORM releases a query runner whose connection broke; its next user gets this.
    error.message.startsWith('Query runner already released')
  );
}

/** Other than at start, the operator is changing the log-in, and the server is unavailable. */
export function isLoginRefused(error: Error): boolean {
  return /^(28|3D)/.test(causeOf(error).code ?? '');
}

type DriverError = Error & {
  readonly code?: string;
  readonly severity?: string;
  readonly syscall?: string;
  readonly constraint?: string;
};

/** TypeORM wraps the error of pg in its own. */
export function causeOf(error: unknown): DriverError {
  return (error as { driverError?: DriverError }).driverError ?? (error as DriverError);
}

/** Two characters are enough: where a language sorts otherwise, it has letters of two characters (`aa`, `ch`) or moves one. */
const DATABASE = `
  select current_setting('server_encoding') as encoding,
         array_agg(pair order by pair) = array_agg(pair order by pair collate "C") as "sortsIds"
    from (select a || b as pair from regexp_split_to_table('${ID_ALPHABET}', '') a, regexp_split_to_table('${ID_ALPHABET}', '') b) pairs`;

/** The form was chosen when the database was created. One sentence for each fault. */
export async function databaseFaults(query: <R extends object>(sql: string) => Promise<R[]>): Promise<string[]> {
  const [row] = await query<{ encoding: string; sortsIds: boolean }>(DATABASE);
  const { encoding, sortsIds } = row!;
  const faults: string[] = [];
  if (encoding !== 'UTF8')
    faults.push(`The database has the encoding ${encoding}, which changes or refuses texts of clients.`);
  if (!sortsIds)
    faults.push(
      'The database sorts by a language whose order of letters differs from that of ids: lists and ranges of time miss entries.',
    );
  return faults;
}
