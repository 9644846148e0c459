import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import * as migrations from '../../migrations/index.js';
import { runMigrations } from '../../src/postgres/migrate.js';
import { heartbeatOf, liveReplicas } from '../../src/postgres/replicas.js';
import { createDatabase, type TestDatabase } from '../support/database.js';

class Drop1999900000000 implements MigrationInterface {
  readonly removes = true;
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop table if exists boats');
  }
  async down(): Promise<void> {}
}

const OTHER = { version: '0.9.0', revision: 'abc', role: 'all' };

describe('a migration that removes something', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const query = (sql: string, parameters?: readonly unknown[]) =>
    dataSource.query<unknown>(sql, parameters as unknown[]);
  const lines: string[] = [];
  const run = (others = {}) =>
    runMigrations(dataSource, [], (line) => lines.push(line), { isPooled: false, isAlone: false, ...others });

  beforeEach(async () => {
    database = await createDatabase();
    const all = [...Object.values(migrations), Drop1999900000000];
    dataSource = await new DataSource({
      type: 'postgres',
      url: database.url,
      poolSize: 3,
      migrations: all,
    }).initialize();
    lines.length = 0;
  });

  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('refuses to run beside a replica that gives signs of life, and names it', async () => {
    const { beat, end } = heartbeatOf(OTHER);
    await beat(query);
    const timer = setInterval(() => void beat(query), 500);
    try {
      await expect(run()).rejects.toThrow(/replica \S+ on \S+ \(0\.9\.0, revision abc\)\. Stop it/);
      expect(await run({ isAlone: true })).toBe(1);
    } finally {
      clearInterval(timer);
    }
    await end(query);
    expect(await liveReplicas(query)).toEqual([]);
  });

  it('waits for the end of a replica that was killed', async () => {
    await heartbeatOf(OTHER).beat(query);
    await query(`update replicas set seen_at = now() - interval '28 seconds'`);
    expect(await run()).toBe(1);
    expect(lines[0]).toMatch(/^Waiting for a sign of life/);
  });

  it('refuses to run beside a connection of an earlier release, and where a pooler may hide one', async () => {
    const earlier = { applicationName: 'identity-and-wallets-2', poolSize: 1 };
    const connected = await new DataSource({ type: 'postgres', url: database.url, ...earlier }).initialize();
    await expect(run()).rejects.toThrow('an earlier release with 1 connections');
    await connected.destroy();
    await expect(run({ isPooled: true })).rejects.toThrow('--nobody-else');
  });
});
