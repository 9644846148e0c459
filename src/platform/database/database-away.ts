import { isNativeError } from 'node:util/types';

/** SQLSTATEs of a server that is starting, stopping, full, stuck or gone: classes 08, 53 and 57P, 57014 and 55P03 (statement and lock timeout). */
const AWAY = /^(08|53|57P0|57014|55P03)/;
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
/** What pg and its pool say in plain errors without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Cannot use a pool after calling end|Client was closed)/;

/** Whether the error means that PostgreSQL is away, so the same call may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  // Not `instanceof`: under Jest, what Node itself throws is of another realm.
  if (!isNativeError(error)) return false;
  const cause = ((error as { driverError?: unknown }).driverError ?? error) as Error & {
    code?: unknown;
    severity?: unknown;
  };
  if (typeof cause.code === 'string') {
    // A socket error of something else (a provider, a chain node) is caught and typed where it happens.
    if (SOCKET.has(cause.code)) return true;
    if ('severity' in cause && AWAY.test(cause.code)) return true;
  }
  return (
    MESSAGES.test(cause.message) ||
    // TypeORM lets go of a query runner whose connection broke, and says so to whoever uses it next.
    error.message.startsWith('Query runner already released')
  );
}
