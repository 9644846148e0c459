import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { FirstTables } from '../../migrations/first-tables.js';
import * as migrations from '../../migrations/index.js';
import { CHANGES, LATER_CHANGES } from '../../migrations/release-candidate.js';
import { DatabaseIsNewer, runMigrations } from '../../src/postgres/migrate.js';
import { sqlObjects } from '../../src/postgres/sql-objects.js';
import { startApp } from '../support/app.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { schemaOf } from '../support/schema-sql.js';

/** Made by revision b1c2b34. Its comment names a key of its app and the token of a session. */
const DUMP = readFileSync(join(__dirname, 'release-candidate.sql'), 'utf8');
const [, SECRET_KEY, SESSION_TOKEN] = /secret key (\S+), session token (\S+)/.exec(DUMP)!;

const RENAMED = new Map([
  ['audit_refusals', 'refusals'],
  ['chain_lanes', 'sender_queues'],
]);

describe('a database of a release candidate', () => {
  let database: TestDatabase;
  let client: Client;
  beforeEach(async () => {
    database = await createEmptyDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await client.query(sql)).rows;

  async function migrate(
    list: (new () => MigrationInterface)[] = Object.values(migrations),
    objects = sqlObjects(),
    lines: string[] = [],
  ): Promise<string[]> {
    const dataSource = new DataSource({ type: 'postgres', url: database.url, migrations: list });
    await dataSource.initialize();
    try {
      await runMigrations(dataSource, objects, (line) => lines.push(line));
    } finally {
      await dataSource.destroy();
    }
    return lines;
  }

  /** Lines in one order: the columns of a release candidate are in the order of their migrations. Its rows may break later constraints. */
  const comparable = (schema: string): string[] =>
    schema
      .split('\n')
      .map((line) => line.replace(/,$/, '').replace(' NOT VALID', ''))
      .toSorted();

  it.each([0, 8, CHANGES.length])(
    'has the schema of the first release after it, with %d later changes',
    async (count) => {
      await client.query(DUMP);
      for (const [name, sql] of CHANGES.slice(0, count)) {
        await client.query(sql);
        await client.query('insert into migrations (timestamp, name) values ($1, $2)', [name.slice(-13), name]);
      }
      // A module that has joined since then has a migration of its own.
      const lines = await migrate();
      expect(lines.filter((line) => !line.startsWith('Migration '))).toEqual([
        'The database of a release candidate was brought to the first release.',
        expect.stringContaining('1 migrations applied in '),
        expect.stringContaining('Functions and views applied: '),
      ]);
      const released = readFileSync(join(__dirname, '../../migrations/schema.sql'), 'utf8').replace(/^--.*\n\n/, '');
      expect(comparable(await schemaOf(client))).toEqual(comparable(released));
      expect(await migrate()).toEqual([]);
    },
  );

  it('keeps its rows, knows what they prove, and serves its clients', async () => {
    await client.query(DUMP);
    const countsOf = async (): Promise<Map<string, number>> => {
      const tables = await rows(`select relname as name from pg_class where relnamespace = 'public'::regnamespace
                                   and relkind in ('r', 'p') and not relispartition and relname not in ('migrations', 'sql_objects')`);
      const counts = new Map<string, number>();
      for (const { name } of tables as { name: string }[])
        counts.set(RENAMED.get(name) ?? name, Number((await rows(`select count(*) as n from ${name}`))[0]!['n']));
      return counts;
    };
    const before = await countsOf();
    expect([...before].filter(([, count]) => count === 0)).toEqual([]);
    await migrate();
    const after = await countsOf();
    const kept = [...before].filter(([name]) => name !== 'reported_refusals');
    expect(kept.filter(([name, count]) => after.get(name) !== count)).toEqual([]);
    expect(await rows('select distinct claim from users')).toEqual([{ claim: 'closed' }]);
    expect(await rows('select text from emails where unverified_until is not null')).toEqual([
      { text: 'ann@other.example' },
    ]);
    expect(await rows('select from phone_numbers where unverified_until is not null')).toEqual([]);
    expect(await rows('select user_id from wallets where key_left_at is not null')).toEqual(
      await rows(`select id as user_id from users where first_name = 'Ann'`),
    );
    expect(await rows('select next_nonce, history from sender_queues')).toEqual([{ next_nonce: '7', history: null }]);

    const app = await startApp({ databaseUrl: database.url, env: { UNKEYED_HASHES_UNTIL: '2100-01-01' } });
    try {
      const call = (method: string, path: string, body?: object) => app.call(method, path, { key: SECRET_KEY!, body });
      const { body } = await call('POST', '/v1/auth/sessions/verify', { session_token: SESSION_TOKEN });
      const userId = body.session.user_id as string;
      const { body: list } = await call('GET', `/v1/wallets/list?user_id=${userId}`);
      const signed = await call('POST', `/v1/wallets/${list.wallets[0].id}/sign_message`, { message: 'x' });
      expect(signed.status).toBe(200);
    } finally {
      await app.stop();
    }
  });

  it.each([0, 5, LATER_CHANGES.length - 1])(
    'with the first tables of an earlier revision gets what is missing, after %d later changes',
    async (count) => {
      await migrate();
      for (const [, sql] of LATER_CHANGES.slice(count).toReversed()) {
        for (const [, table] of sql.matchAll(/create table (?:if not exists )?(\w+)/g))
          await client.query(`drop table if exists ${table} cascade`);
        for (const [, name] of sql.matchAll(/create (?:unique )?index (?:concurrently )?(?:if not exists )?(\w+)/g))
          await client.query(`drop index if exists ${name}`);
        for (const [, altered, additions] of sql.matchAll(/alter table (?:if exists )?(\w+)([^;]*)/g))
          for (const [, column] of additions!.matchAll(/add column (?:if not exists )?(\w+)/g))
            await client.query(`alter table if exists ${altered} drop column if exists ${column} cascade`);
      }
      // A module that has joined since then has not run its migration.
      for (const each of Object.values<new () => MigrationInterface>(migrations)) {
        const made = new each();
        if (!(made instanceof FirstTables)) continue;
        const tables = [...made.tables.matchAll(/create table (\w+)/g)].map(([, table]) => table);
        await client.query(
          'delete from migrations where name = $1 and not exists (select from pg_class where relname = any($2))',
          [each.name, tables],
        );
      }
      expect(await migrate()).toContain(
        `The tables of an earlier revision got ${LATER_CHANGES.length - count} later changes.`,
      );
      const released = readFileSync(join(__dirname, '../../migrations/schema.sql'), 'utf8').replace(/^--.*\n\n/, '');
      expect(comparable(await schemaOf(client))).toEqual(comparable(released));
      expect(await migrate()).toEqual([]);
    },
  );

  it('begins when no transaction holds a table, and says each step', async () => {
    await client.query(DUMP);
    const lines: string[] = [];
    await client.query('begin');
    await client.query('select from users');
    const migrated = migrate(undefined, undefined, lines);
    await eventually(() =>
      expect(lines).toEqual([expect.stringMatching(/^The upgrade of the release candidate waits/)]),
    );
    await client.query('commit');
    await migrated;
    const steps = lines.filter((line) => line.startsWith('Migration 1 of ') || line.endsWith('the first release'));
    expect(steps).toHaveLength(2);
    expect(lines).toContain('The database of a release candidate was brought to the first release.');
  });

  it('changes no table while a transaction reads it, and keeps no call waiting meanwhile', async () => {
    await migrate();
    await client.query('alter table sessions drop column mac cascade');
    const lines: string[] = [];
    await client.query('begin');
    await client.query('select from sessions');
    const migrated = migrate(undefined, undefined, lines);
    await eventually(() => expect(lines).toContainEqual(expect.stringMatching(/^AddMacsToSessions\d+ waits/)));
    const other = new Client({ connectionString: database.url, statement_timeout: 10_000 });
    await other.connect();
    await other.query('select from sessions');
    await other.end();
    await client.query('commit');
    expect(await migrated).toContain('The tables of an earlier revision got 1 later changes.');
  });

  it.each([
    ['spend_events_delayed', 'IndexSpendsByDelay'],
    ['messages_recipient', 'IndexMessagesByRecipient'],
  ])('builds an index anew that an attempt has left unfinished, while calls go on: %s', async (index, change) => {
    await migrate();
    await client.query('update pg_index set indisvalid = false where indexrelid = $1::regclass', [index]);
    const lines = await migrate();
    expect(lines).toContainEqual(expect.stringMatching(`^${change}\\d+ builds an index while calls go on`));
    expect(lines).toContain('The tables of an earlier revision got 1 later changes.');
    expect(await rows('select indexrelid::regclass from pg_index where not indisvalid')).toEqual([]);
  });

  it('is served by a replica of an earlier revision that starts later, and keeps its views', async () => {
    await migrate();
    const before = await schemaOf(client);
    const earlier = Object.values(migrations).filter(({ prototype }) => prototype instanceof FirstTables);
    const text =
      'create or replace view live_wallets as select app_id, id as wallet_id from wallets where deleted_at is null';
    const objects = sqlObjects().map((each) =>
      each.name === 'live_wallets' ? { ...each, text, hash: 'earlier' } : each,
    );
    expect(await migrate(earlier, objects)).toEqual([
      'A newer version has expanded the database by 1 migrations. This version can use it.',
    ]);
    expect(await schemaOf(client)).toBe(before);
  });

  it('from which a newer version has removed something is refused and left unchanged', async () => {
    await migrate();
    await client.query('alter table users drop column notified_at');
    await client.query(
      `insert into migrations (timestamp, name, expands) values (9999999999999, 'OfTheSuccessor9999999999999', false)`,
    );
    const before = await schemaOf(client);
    await expect(migrate()).rejects.toThrow(DatabaseIsNewer);
    expect(await schemaOf(client)).toBe(before);
  });

  it('is refused by the release candidate afterwards', async () => {
    class CreateEvents1763600000000 {
      async up(): Promise<void> {}
      async down(): Promise<void> {}
    }
    await client.query(DUMP);
    await migrate();
    await expect(migrate([CreateEvents1763600000000])).rejects.toThrow(DatabaseIsNewer);
  });

  it('of a revision before b1c2b34 is refused and left unchanged', async () => {
    await client.query(DUMP);
    await client.query(`delete from migrations where name = 'CreateMessages1763600007110'`);
    await expect(migrate()).rejects.toThrow('Start revision b1c2b34 on it first.');
    expect(await rows(`select to_regclass('chain_lanes') is null as renamed`)).toEqual([{ renamed: false }]);
  });
});
