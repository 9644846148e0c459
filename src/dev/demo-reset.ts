import type { INestApplicationContext } from '@nestjs/common';
import { exampleId } from '../kernel/examples.js';
import type { AppId } from '../kernel/ids.js';
import type { Requester } from '../kernel/requester.js';
import { Transactions } from '../kernel/transactions.js';
import { ManageApps } from '../modules/apps/index.js';
import { Database } from '../postgres/database.js';
import { addDemoObjects } from './demo-objects.js';

const APP = exampleId('app');

/** Keys that a reader has, nonces of the chain, and append-only tables. */
const KEPT = ['api_keys', 'signing_keys', 'sender_queues', 'unsequenced_events', 'counted_events'];
const KEPT_PREFIX = /^(audit|event|refusal)/;
const EXAMPLES_IN_KEPT = [
  ['api_keys', exampleId('key')],
  ['unsequenced_events', exampleId('event')],
  ['event_log', exampleId('event')],
] as const;

export class ResetRefused extends Error {}

/** It also refuses while a payment of the demo app is pending. */
export function resetDemo(nest: INestApplicationContext, by: Requester): Promise<AppId> {
  const database = nest.get(Database, { strict: false });
  return nest.get(Transactions, { strict: false }).run(async () => {
    const [app] = await database.write('select id from apps where id = $1 for update', [APP]);
    if (!app)
      throw new ResetRefused('The database has no demo app. A start in development makes one in an empty database.');
    const [pending] = await database.read<{ id: string }>(
      `select id from transfers where app_id = $1 and status = 'pending' limit 1`,
      [APP],
    );
    if (pending) throw new ResetRefused(`The transfer ${pending.id} is pending. Repeat the reset when it has ended.`);
    // The sequencer waits for this lock: it would number the earlier demo event beside the new one, which has the same id.
    await database.write('select app_id from event_positions where app_id = $1 for update', [APP]);
    for (const table of await tablesOfApps(database))
      await database.write(`delete from ${table} where app_id = $1`, [APP]);
    for (const [table, id] of EXAMPLES_IN_KEPT)
      await database.write(`delete from ${table} where app_id = $1 and id = $2`, [APP, id]);
    await nest.get(ManageApps, { strict: false }).renewDemo(by, APP);
    await addDemoObjects(nest, APP);
    return APP;
  });
}

/** In this order each table precedes the one that its foreign key names, as `emails` before `users`. */
async function tablesOfApps(database: Database): Promise<string[]> {
  const rows = await database.read<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id'
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname collate "C"`,
  );
  return rows.map(({ name }) => name).filter((name) => !KEPT.includes(name) && !KEPT_PREFIX.test(name));
}
