import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../../src/dev/embedded-postgres.js';
import { type EventId, firstIdAt, newId } from '../../../src/kernel/ids.js';
import type { AppsFacade } from '../../../src/modules/apps/index.js';
import { type FeedRequest, ReadFeed } from '../../../src/modules/events/application/read-feed.js';
import { InvalidCursor } from '../../../src/modules/events/domain/events.errors.js';
import { PostgresEventFeed } from '../../../src/modules/events/infrastructure/postgres-event-feed.js';
import { startApp, type TestApp } from '../../support/app.js';
import { untilScheduleDid } from '../../support/background.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { eventOf, namesOf, newApp, startWriter, type Writer } from './sequencers.js';

const USER = newId('user');

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  undo.push(() => client.end());
  return client;
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  undo.push(() => database.drop());
  return database;
}

async function writerOn(url: string): Promise<Writer> {
  const writer = await startWriter(url);
  undo.push(() => writer.stop());
  return writer;
}

async function appOn(settings: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(settings);
  undo.push(() => app.stop());
  return app;
}

/** Moves everything that was sequenced so far into partitions of days in the past. */
async function age(client: pg.Client, days: number): Promise<void> {
  // Two at midnight.
  const { rows } = await client.query<{ name: string; low: string; high: string }>(
    `select distinct 'event_log_' || to_char(day, 'YYYYMMDD') as name, (day at time zone 'UTC')::text as low,
            ((day + interval '1 day') at time zone 'UTC')::text as high
       from event_log
      cross join lateral (select date_trunc('day', (sequenced_at - make_interval(days => $1)) at time zone 'UTC') as day) d
      where sequenced_at > now() - interval '1 day'`,
    [days],
  );
  for (const { name, low, high } of rows)
    await client.query(`create table ${name} partition of event_log for values from ('${low}') to ('${high}')`);
  await client.query(
    `update event_log set sequenced_at = ((sequenced_at at time zone 'UTC') - make_interval(days => $1)) at time zone 'UTC'
    where sequenced_at > now() - interval '1 day'`,
    [days],
  );
}

async function feed(app: TestApp, key: string, query: Record<string, string> = {}) {
  return app.call('GET', '/v1/events', { key, query });
}

describe('the event log', () => {
  it('keeps positions dense after all partitions are dropped, and refuses cursors of what was dropped', async () => {
    const app = await appOn({ env: { EVENT_RETENTION_DAYS: '30' } });
    const client = await connected(app.databaseUrl);
    const shop = await app.given.app();
    const all = async () => {
      await eventually(async () => expect((await client.query('select from unsequenced_events')).rowCount).toBe(0));
      return (await feed(app, shop.secretKey)).body.events as { id: string; position: number }[];
    };
    await app.given.user(shop);
    const before = await all();
    expect(before.map(({ position }) => position)).toEqual([1, 2, 3]);
    await age(client, 40);
    expect(await all()).toEqual(before);
    await untilScheduleDid(app, 'events.partitions', async () => expect(await all()).toEqual([]));
    const expired = await feed(app, shop.secretKey, { after: '2' });
    expect([expired.status, expired.body.error_type]).toEqual([400, 'cursor_expired']);
    expect(expired.body.error_message).toContain('oldest position is 4');
    expect((await feed(app, shop.secretKey, { after: '3' })).body).toMatchObject({ events: [], has_more: false });
    await app.given.user(shop);
    expect((await all()).map(({ position }) => position)).toEqual([4, 5]);
    // Of an id of that time it is not known whether it was one of this app.
    const old = await feed(app, shop.secretKey, { after: `evt_00${newId('event').slice(6)}` });
    expect([old.status, old.body.error_type]).toEqual([400, 'cursor_expired']);
    // Also after the retention was made longer than the time since.
    const longer = await appOn({ databaseUrl: app.databaseUrl, env: { EVENT_RETENTION_DAYS: '90', ROLE: 'api' } });
    const dropped = firstIdAt('event', new Date(Date.now() - 40 * 86_400_000));
    const then = await feed(longer, shop.secretKey, { after: dropped });
    expect([then.status, then.body.error_type]).toEqual([400, 'cursor_expired']);
    const unknown = await feed(longer, shop.secretKey, { after: newId('event') });
    expect([unknown.status, unknown.body.error_type]).toEqual([400, 'invalid_cursor']);
  });

  it('does not wait for a reader that keeps a partition from being dropped', async () => {
    const { url } = await newDatabase();
    const writer = await writerOn(url);
    const [client, reader] = [await connected(url), await connected(url)];
    await writer.happen(eventOf(newApp(), 'one'));
    await writer.drain();
    await age(client, 100);
    await reader.query('begin');
    await reader.query('select count(*) from event_log');
    await expect(writer.sequence.renewPartitions(90)).rejects.toThrow(/lock timeout/);
    await reader.query('commit');
    await writer.sequence.renewPartitions(90);
    expect((await client.query('select from event_log')).rowCount).toBe(0);
  });

  it.each<[string, Partial<FeedRequest>]>([
    ['all events', {}],
    ['a type', { types: ['user.created'] }],
    ['a user', { userId: USER }],
  ])('refuses a cursor of %s whose next events are dropped before its page is read', async (_, filter) => {
    const { url } = await newDatabase();
    const writer = await writerOn(url);
    const app = newApp();
    const add = async (name: string): Promise<void> => {
      await writer.happen({ ...eventOf(app, name, { user_id: USER }), type: 'user.created' });
      await writer.drain();
    };
    for (const name of ['one', 'two', 'three']) await add(name);
    await age(await connected(url), 100);
    await add('four');
    class DropsBeforePage extends PostgresEventFeed {
      override async page(...request: Parameters<PostgresEventFeed['page']>) {
        await writer.sequence.renewPartitions(90);
        return super.page(...request);
      }
    }
    const reader = new ReadFeed(new DropsBeforePage(writer.database), undefined!);
    await expect(reader.execute(app, { ...filter, after: '1', limit: 10 })).rejects.toThrow('oldest position is 4');
    const { events } = await reader.execute(app, { ...filter, after: '3', limit: 10 });
    expect(events.map(({ position }) => position)).toEqual([4]);
    expect((await reader.execute(app, { ...filter, limit: 10 })).events).toEqual(events);
  });

  it('has nothing before an event of a user that was removed by its age, and refuses one that never was', async () => {
    const { url } = await newDatabase();
    const writer = await writerOn(url);
    const app = newApp();
    await writer.happen(eventOf(app, 'one', { user_id: USER }));
    await writer.drain();
    await age(await connected(url), 100);
    await writer.happen(eventOf(app, 'two', { user_id: USER }));
    await writer.drain();
    await writer.sequence.renewPartitions(90);
    const known = { requireLive: async () => undefined } as unknown as AppsFacade;
    const reader = new ReadFeed(new PostgresEventFeed(writer.database), known);
    const removed = firstIdAt('event', new Date(Date.now() - 40 * 86_400_000));
    const read = (startingAfter: EventId) => reader.ofUser(app, USER, { limit: 10, startingAfter });
    expect(await read(removed)).toEqual({ items: [], hasMore: false });
    await expect(read(newId('event'))).rejects.toThrow(InvalidCursor);
  });

  it('creates a missing partition when it needs one', async () => {
    const { url } = await newDatabase();
    const writer = await writerOn(url);
    const client = await connected(url);
    const { rows } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_log'::regclass`,
    );
    for (const { name } of rows) await client.query(`drop table ${name}`);
    const app = newApp();
    await writer.happen(eventOf(app, 'one'));
    await writer.drain();
    expect(await namesOf(writer, app)).toEqual(['one']);
  });

  it('creates each partition once when several processes create them', async () => {
    const { url } = await newDatabase();
    const client = await connected(url);
    const { rows } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_log'::regclass`,
    );
    expect(rows).toHaveLength(8);
    for (const { name } of rows) await client.query(`drop table ${name}`);
    const writers = await Promise.all([1, 2, 3].map(() => writerOn(url)));
    await Promise.all(writers.map(({ sequence }) => sequence.renewPartitions(90)));
    const { rows: created } = await client.query(`select from pg_inherits where inhparent = 'event_log'::regclass`);
    expect(created).toHaveLength(8);
  });

  it('goes on after a restore of the database into another server', async () => {
    const source = await newDatabase();
    const before = await startApp({ databaseUrl: source.url });
    undo.push(() => before.stop().catch(() => undefined));
    const shop = await before.given.app();
    await before.given.user(shop);
    const read = (app: TestApp, query?: Record<string, string>) => feed(app, shop.secretKey, query);
    await eventually(async () => expect((await read(before)).body.events).toHaveLength(3));
    const events = (await read(before)).body.events as { id: string }[];
    await before.stop();
    const client = await connected(source.url);
    // Committed, and not sequenced when the dump is made.
    await client.query(
      `insert into unsequenced_events (app_id, id, type, data) values ($1, $2, 'user.updated', json_build_object('user_id', $3::text))`,
      [shop.id, newId('event'), newId('user')],
    );
    const dataDir = await mkdtemp(join(tmpdir(), 'restored-postgres-'));
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const server = await EmbeddedPostgres.start({ dataDir, settings: { fsync: 'off' } });
    undo.push(() => server.stop());
    const target = await createDatabase(server.url);
    await copyData(client, await connected(target.url));
    const after = await appOn({ databaseUrl: target.url });
    await eventually(async () => expect((await read(after)).body.events).toHaveLength(4));
    const restored = (await read(after)).body.events;
    expect(restored.slice(0, 3)).toEqual(events);
    expect(restored[3]).toMatchObject({ position: 4, type: 'user.updated' });
    for (const cursor of [events[1]!.id, '2'])
      expect((await read(after, { after: cursor })).body.events).toEqual(restored.slice(2));
    await after.given.user(shop);
    await eventually(async () => expect((await read(after, { after: '4' })).body.events).toHaveLength(2));
    expect((await read(after, { after: '4' })).body.events[0]).toMatchObject({ position: 5, type: 'user.created' });
  });
});

/** What pg_dump and pg_restore do, which are not among the embedded binaries: the rows of all tables, and the sequences. */
async function copyData(from: pg.Client, to: pg.Client): Promise<void> {
  const { rows: tables } = await from.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname not in ('migrations', 'sql_objects')`,
  );
  await to.query(`set session_replication_role = replica`);
  for (const { name } of tables) {
    const { rows } = await from.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    await to.query(`delete from ${name}`);
    for (const { row } of rows)
      await to.query(
        `insert into ${name} overriding system value select * from jsonb_populate_record(null::${name}, $1::jsonb)`,
        [row],
      );
  }
  const { rows: sequences } = await from.query<{ name: string; last: string | null }>(
    `select sequencename as name, last_value as last from pg_sequences where schemaname = 'public'`,
  );
  for (const { name, last } of sequences) if (last !== null) await to.query('select setval($1, $2)', [name, last]);
}
