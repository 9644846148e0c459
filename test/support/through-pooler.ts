import pg from 'pg';
import { currentTransaction } from '../../src/postgres/current-transaction.js';
import { isPooled } from '../../src/postgres/session-settings.js';

/** Jest's setup of a test file whose services reach the database through a pooler in transaction mode. See `startApp`. */
Object.assign(globalThis, { isPooled: true });

// As many such transactions as the pooler has server connections would all wait, and none would end.
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...sent: unknown[]) {
  const transaction = currentTransaction() as { readonly client?: unknown } | undefined;
  if (transaction && transaction.client !== this && isPooled(this))
    throw new Error('A transaction holds a server connection and waits for another one.');
  return (query as (...args: unknown[]) => unknown).apply(this, sent);
} as typeof query;
