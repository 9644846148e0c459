import { randomBytes } from 'node:crypto';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { databaseFaults } from '../../src/postgres/database-unavailable.js';
import { DatabaseIsNewer, lacksMigrations, runMigrations } from '../../src/postgres/migrate.js';
import { type SqlObject, sqlObjects } from '../../src/postgres/sql-objects.js';
import { eventually } from '../support/eventually.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

class CreateBoats1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table boats (name text primary key)');
    await runner.query('select pg_sleep(0.2)');
  }
  async down(): Promise<void> {}
}

class NameTheFirstBoat1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`insert into boats values ('Argo')`);
  }
  async down(): Promise<void> {}
}

class Sink1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop table boats');
    await runner.query('select 1 / 0');
  }
  async down(): Promise<void> {}
}

const BOTH = [CreateBoats1700000000001, NameTheFirstBoat1700000000002];

describe('running migrations', () => {
  let database: TestDatabase;
  let replicas: DataSource[];

  beforeEach(async () => {
    database = await createEmptyDatabase();
    replicas = [];
  });

  afterEach(async () => {
    for (const dataSource of replicas) await dataSource.destroy();
    await database.drop();
  });

  async function replica(migrations: (new () => MigrationInterface)[], extra = {}): Promise<DataSource> {
    const dataSource = new DataSource({ type: 'postgres', url: database.url, migrations, poolSize: 1, extra });
    replicas.push(dataSource);
    return dataSource.initialize();
  }

  it('refuse a role that may not create tables, in a sentence with the cure', async () => {
    const role = `reader_${randomBytes(6).toString('hex')}`;
    const owner = await replica(BOTH);
    await owner.query(`create role ${role} login password 'secret'`);
    try {
      await owner.query('revoke create on schema public from public');
      const url = new URL(database.url);
      url.username = role;
      url.password = 'secret';
      const poor = await new DataSource({
        type: 'postgres',
        url: url.href,
        migrations: BOTH,
        poolSize: 1,
      }).initialize();
      replicas.push(poor);
      const name = url.pathname.slice(1);
      await expect(runMigrations(poor, [])).rejects.toThrow(
        `The role "${role}" may not create tables in the schema "public" of the database "${name}". ` +
          `Let a superuser run: ALTER DATABASE "${name}" OWNER TO "${role}"; or: GRANT USAGE, CREATE ON SCHEMA "public" TO "${role}";`,
      );
      // A replica with nothing to create needs no such right.
      await runMigrations(owner, []);
      await owner.query(`grant select on migrations to ${role}`);
      expect(await runMigrations(poor, [])).toBe(0);
      await owner.query(`delete from migrations where name = 'NameTheFirstBoat1700000000002'`);
      await expect(runMigrations(poor, [])).rejects.toThrow('may not create tables');
    } finally {
      await owner.query(`drop owned by ${role}`);
      await owner.query(`drop role ${role}`);
    }
  });

  it('applies each migration once, in order, and says so, however many replicas boot at once', async () => {
    const booting = await Promise.all(Array.from({ length: 20 }, () => replica([...BOTH].reverse())));
    const lines: string[] = [];
    await Promise.all(booting.map((dataSource) => runMigrations(dataSource, [], (line) => lines.push(line))));
    expect(lines.filter((line) => line.includes('migrations applied'))).toEqual([
      expect.stringMatching(/^2 migrations applied in \d+ ms, the last one NameTheFirstBoat1700000000002\.$/),
    ]);
    const [first] = booting;
    expect(await first!.query('select name from boats')).toEqual([{ name: 'Argo' }]);
    expect(await first!.query('select name from migrations order by id')).toEqual(BOTH.map(({ name }) => ({ name })));
  });

  it('says once that it waits for another replica', async () => {
    let enter = (): void => {};
    let finish = (): void => {};
    const [entered, finished] = [new Promise<void>((go) => (enter = go)), new Promise<void>((go) => (finish = go))];
    class BuildDock1700000000004 implements MigrationInterface {
      async up(): Promise<void> {
        enter();
        await finished;
      }
      async down(): Promise<void> {}
    }
    const first = runMigrations(await replica([BuildDock1700000000004]), []);
    await entered;
    const lines: string[] = [];
    const second = runMigrations(await replica([BuildDock1700000000004]), [], (line) => lines.push(line));
    await eventually(() => expect(lines).not.toEqual([]));
    finish();
    await Promise.all([first, second]);
    expect(lines).toEqual(['Waiting for another replica to finish its migrations.']);
  });

  it('keeps what was applied before a migration that fails, nothing of that one, and names it', async () => {
    const failing = await replica([...BOTH, Sink1700000000003]);
    await expect(runMigrations(failing, [])).rejects.toThrow(/Sink1700000000003 failed: division by zero/);
    expect(await failing.query('select name from boats')).toEqual([{ name: 'Argo' }]);
    await expect(runMigrations(await replica(BOTH), [])).resolves.toBe(0);
  });

  it.each([
    ["encoding 'SQL_ASCII' locale 'C'", 'has the encoding SQL_ASCII'],
    ["locale_provider icu icu_locale 'da'", 'sorts by a language'],
    ["locale_provider icu icu_locale 'cs'", 'sorts by a language'],
  ])('refuses a new database with %s, and goes on with one that has tables', async (form, fault) => {
    const name = `${new URL(database.url).pathname.slice(1)}_other`;
    const server = await replica([]);
    await server.query(`create database ${name} ${form} template template0`);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    const dataSource = await new DataSource({ type: 'postgres', url: url.href, migrations: BOTH }).initialize();
    try {
      await expect(runMigrations(dataSource, [])).rejects.toThrow(fault);
      expect(await dataSource.query(`select to_regclass('boats') as boats`)).toEqual([{ boats: null }]);
      // As a previous release has left it.
      await dataSource.query(
        'create table migrations (id serial primary key, timestamp bigint not null, name text not null)',
      );
      await dataSource.query('insert into migrations (timestamp, name) values (1700000000001, $1)', [BOTH[0]!.name]);
      await dataSource.query('create table boats (name text primary key)');
      await runMigrations(dataSource, []);
      expect(await dataSource.query('select name from boats')).toEqual([{ name: 'Argo' }]);
      expect(await databaseFaults((sql) => dataSource.query(sql))).toEqual([expect.stringContaining(fault)]);
    } finally {
      await dataSource.destroy();
      await server.query(`drop database ${name}`);
    }
  });

  it('starts an older version on a database that a newer one has expanded, and says so', async () => {
    await runMigrations(await replica(BOTH), []);
    const lines: string[] = [];
    await runMigrations(await replica([CreateBoats1700000000001]), [], (line) => lines.push(line));
    expect(lines).toEqual([expect.stringContaining('expanded the database by 1 migrations')]);
  });

  it('refuses a database from which a newer version has removed something', async () => {
    class DropNames1700000000005 implements MigrationInterface {
      readonly removes = true;
      async up(): Promise<void> {}
      async down(): Promise<void> {}
    }
    await runMigrations(await replica([...BOTH, DropNames1700000000005]), []);
    const older = await replica(BOTH);
    await expect(runMigrations(older, [])).rejects.toThrow(DatabaseIsNewer);
    await expect(runMigrations(older, [])).rejects.toThrow(/DropNames1700000000005/);
    await expect(runMigrations(await replica([...BOTH, DropNames1700000000005]), [])).resolves.toBe(0);
  });

  it('refuses a database with a migration that is not recorded as expanding', async () => {
    const known = await replica(BOTH);
    await runMigrations(known, []);
    await known.query(`insert into migrations (timestamp, name) values (1700000000006, 'Unknown1700000000006')`);
    await expect(runMigrations(known, [])).rejects.toThrow(/Unknown1700000000006/);
  });

  /** A function that returns the value of an expression. */
  const fn = (name: string, value: string): SqlObject => ({
    name,
    text: `create or replace function ${name}() returns text language sql as $$ select ${value} $$`,
    hash: value,
  });
  const flagship = async (dataSource: DataSource): Promise<string> =>
    (await dataSource.query<[{ name: string }]>('select flagship() as name'))[0].name;

  it('applies a function when its text differs from the one applied last, in any order of functions', async () => {
    const dataSource = await replica(BOTH);
    const lines: string[] = [];
    const apply = async (...objects: SqlObject[]): Promise<string> => {
      expect(await lacksMigrations(dataSource, objects)).toBe(true);
      for (const _ of [1, 2]) await runMigrations(dataSource, objects, (line) => lines.push(line));
      expect(await lacksMigrations(dataSource, objects)).toBe(false);
      return flagship(dataSource);
    };
    const oldest = fn('oldest', 'min(name) from boats');
    expect(await apply(fn('flagship', 'oldest()'), oldest)).toBe('Argo');
    expect(await apply(fn('flagship', `'Beagle'`), oldest)).toBe('Beagle');
    expect(await apply(fn('flagship', 'oldest()'), oldest)).toBe('Argo');
    expect(lines.filter((line) => line.startsWith('Functions'))).toEqual([
      'Functions and views applied: flagship, oldest.',
      'Functions and views applied: flagship.',
      'Functions and views applied: flagship.',
    ]);
  });

  it('applies a function again that a migration has dropped', async () => {
    const dataSource = await replica(BOTH);
    const objects = [fn('flagship', `'Argo'`)];
    await runMigrations(dataSource, objects);
    await dataSource.query('drop function flagship');
    await runMigrations(dataSource, objects);
    expect(await flagship(dataSource)).toBe('Argo');
  });

  it('leaves the functions that a newer version has applied', async () => {
    const newer = await replica(BOTH);
    await runMigrations(newer, [fn('flagship', `'Beagle'`)]);
    const older = await replica([CreateBoats1700000000001]);
    const objects = [fn('flagship', `'Argo'`)];
    expect(await lacksMigrations(older, objects)).toBe(false);
    await runMigrations(older, objects);
    expect(await flagship(newer)).toBe('Beagle');
  });

  it('applies all functions or none, and names the one that fails', async () => {
    const dataSource = await replica(BOTH);
    const broken = { ...fn('sunk', ''), text: 'create or replace function sunk() returns text language sql' };
    await expect(runMigrations(dataSource, [fn('flagship', `'Argo'`), broken])).rejects.toThrow(/^sunk\.sql failed: /);
    await expect(flagship(dataSource)).rejects.toThrow('flagship() does not exist');
  });

  it('finds the functions of every part of the service', () => {
    const names = sqlObjects().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['database_history', 'lock_user', 'take_sends']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('outlasts the time limit of statements, and leaves it in force', async () => {
    const hasty = await replica(BOTH, { statement_timeout: 100 });
    await runMigrations(hasty, []);
    await expect(hasty.query('select pg_sleep(1)')).rejects.toThrow(/statement timeout/);
  });
});
