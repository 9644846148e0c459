import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { adoptReleaseCandidate } from '../../migrations/release-candidate.js';
import { databaseFaults } from './database-unavailable.js';
import { type Others, untilAlone } from './replicas.js';
import { isPooled } from './session-settings.js';
import type { SqlObject } from './sql-objects.js';

/**
 * Each migration has its own transaction unless it declares `transaction = false`; then it must tolerate repetition. Changed functions and
 * views follow. One of several replicas migrates, the rest wait. A migration is recorded as expanding unless it declares `removes = true`:
 * the previous version can then start beside its successor and after a rollback. One that removes waits until no other replica runs, and
 * throws `ReplicasRun`. Returns the number of applied migrations.
 */
export async function runMigrations(
  dataSource: DataSource,
  objects: readonly SqlObject[],
  log: (line: string) => void = () => {},
  others: Others = { isPooled: false, isAlone: false },
): Promise<number> {
  const connection = dataSource.createQueryRunner();
  if (isPooled((await connection.connect()) as ClientBase)) {
    await connection.release();
    throw new DirectConnectionNeeded();
  }
  try {
    // The limits of a request must end neither the wait for another replica nor a long migration.
    await connection.query('set statement_timeout = 0');
    // Held by the session, since it spans several transactions; the lock of a killed replica ends with its connection.
    if (!(await lock(connection))) {
      log('Waiting for another replica to finish its migrations.');
      do await sleep(100);
      while (!(await lock(connection)));
    }
    await adoptReleaseCandidate(connection, log);
    const { applied, isNewer } = await applyPending(dataSource, connection, { ...others, log });
    if (!isNewer) await applyObjects(connection, objects, log);
    return applied;
  } finally {
    // Fails only on a broken connection, which holds no lock any more; the reason why it broke is the error to report.
    await connection.query('select pg_advisory_unlock_all()').catch(() => {});
    await connection.query('reset statement_timeout').catch(() => {});
    await connection.release();
  }
}

const MIGRATION_LOCK = '7308604759847215973';

/** Never waits in PostgreSQL: building an index waits for every open statement, and one that waits for this lock would deadlock. */
async function lock(connection: QueryRunner): Promise<boolean> {
  const [row] = (await connection.query('select pg_try_advisory_lock($1) as locked', [MIGRATION_LOCK])) as {
    locked: boolean;
  }[];
  return row!.locked;
}

/** TypeORM creates it in this form, but only when it applies a migration. */
const CREATE_TABLE = `create table if not exists migrations (id serial primary key, timestamp bigint not null, name varchar not null)`;

const SLOW_MS = 1_000;

async function applyPending(
  dataSource: DataSource,
  connection: QueryRunner,
  others: Others & { readonly log: (line: string) => void },
): Promise<{ readonly applied: number; readonly isNewer: boolean }> {
  const { log } = others;
  const executor = new MigrationExecutor(dataSource, connection);
  const executed = await executor.getExecutedMigrations();
  if (executed.length === 0) {
    await requireCreation((sql) => connection.query(sql));
    const faults = await databaseFaults((sql) => connection.query(sql));
    if (faults.length > 0) throw new DatabaseUnsuitable(faults);
    await connection.query(CREATE_TABLE);
  }
  // A row of a version before the column has no `expands`, and counts as one that does not.
  const newer = (await connection.query(
    `select name, coalesce((to_jsonb(m) ->> 'expands')::boolean, false) as expands
       from migrations m where name <> all($1) order by id`,
    [namesOf(dataSource)],
  )) as { name: string; expands: boolean }[];
  if (!newer.every(({ expands }) => expands)) throw new DatabaseIsNewer(newer.map(({ name }) => name));
  if (newer.length > 0)
    log(`A newer version has expanded the database by ${newer.length} migrations. This version can use it.`);
  const pending = await executor.getPendingMigrations();
  if (pending.length > 0) await requireCreation((sql) => connection.query(sql));
  // Only the owner may change the table, and a replica may start under another role, so it is not changed without need.
  if (pending.length > 0)
    await connection.query(`alter table migrations add column if not exists expands boolean not null default false`);
  const begun = performance.now();
  for (const migration of pending) {
    const removes = (migration.instance as { readonly removes?: boolean } | undefined)?.removes === true;
    // A new database has no table of replicas yet, and no replicas.
    if (removes && executed.length > 0)
      await untilAlone((sql, parameters) => connection.query(sql, parameters && [...parameters]), others);
    const started = performance.now();
    // An index that is built without locking its table cannot be part of a transaction.
    const isTransactional = migration.instance?.transaction !== false;
    if (isTransactional) await connection.startTransaction();
    try {
      await executor.executeMigration(migration);
      if (!removes) await connection.query(`update migrations set expands = true where name = $1`, [migration.name]);
      if (isTransactional) await connection.commitTransaction();
    } catch (error) {
      if (isTransactional) await connection.rollbackTransaction().catch(() => {});
      throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
    const ms = Math.round(performance.now() - started);
    if (ms > SLOW_MS) log(`Migration ${migration.name} applied in ${ms} ms.`);
  }
  if (pending.length > 0)
    log(
      `${pending.length} migrations applied in ${Math.round(performance.now() - begun)} ms, the last one ${pending.at(-1)!.name}.`,
    );
  return { applied: pending.length, isNewer: newer.length > 0 };
}

const CREATION = `
  select current_user as role, current_database() as database, current_schema() as schema,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate"`;

/** Since PostgreSQL 15 only the owner of the database may create tables by default. */
export async function requireCreation(query: (sql: string) => Promise<unknown>): Promise<void> {
  const [row] = (await query(CREATION)) as [
    Record<'role' | 'database', string> & { schema: string | null; mayCreate: boolean },
  ];
  if (!row.mayCreate) throw new CreationForbidden(row);
}

/** A newer version that changed a function or view has a migration. */
async function applyObjects(
  connection: QueryRunner,
  objects: readonly SqlObject[],
  log: (line: string) => void,
): Promise<void> {
  const changed = await changedObjects(connection, objects);
  if (changed.length === 0) return;
  await requireCreation((sql) => connection.query(sql));
  await connection.startTransaction();
  try {
    await connection.query('create table if not exists sql_objects (name text primary key, hash text not null)');
    // A function may call another one that is created after it.
    await connection.query('set local check_function_bodies = off');
    for (const { name, text, hash } of changed) {
      await connection.query(text).catch((error: Error) => {
        throw new Error(`${name}.sql failed: ${error.message}`, { cause: error });
      });
      await connection.query(
        'insert into sql_objects (name, hash) values ($1, $2) on conflict (name) do update set hash = excluded.hash',
        [name, hash],
      );
    }
    await connection.commitTransaction();
  } catch (error) {
    await connection.rollbackTransaction().catch(() => {});
    throw error;
  }
  log(`Functions and views applied: ${changed.map(({ name }) => name).join(', ')}.`);
}

const APPLIED = `
  select name, hash from sql_objects where to_regproc(name) is not null or to_regclass(name) is not null`;

async function changedObjects(
  database: Pick<DataSource | QueryRunner, 'query'>,
  objects: readonly SqlObject[],
): Promise<readonly SqlObject[]> {
  const [table] = (await database.query(`select to_regclass('sql_objects') as name`)) as [{ name: string | null }];
  const applied = (table.name === null ? [] : await database.query(APPLIED)) as SqlObject[];
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  return objects.filter(({ name, hash }) => hashes.get(name) !== hash);
}

export async function lacksMigrations(dataSource: DataSource, objects: readonly SqlObject[]): Promise<boolean> {
  if (await dataSource.showMigrations()) return true;
  const [newer] = await dataSource.query<object[]>('select from migrations where name <> all($1) limit 1', [
    namesOf(dataSource),
  ]);
  return !newer && (await changedObjects(dataSource, objects)).length > 0;
}

function namesOf(dataSource: DataSource): string[] {
  return dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
}

/** A transaction pooler does not keep the lock and the settings of the session. */
export class DirectConnectionNeeded extends Error {
  override readonly name = 'DirectConnectionNeeded';

  constructor() {
    super(
      'Migrations need a connection without a pooler. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself.',
    );
  }
}

/** The database would store texts wrongly, or compare ids in a wrong order. */
export class DatabaseUnsuitable extends Error {
  override readonly name = 'DatabaseUnsuitable';

  constructor(faults: readonly string[]) {
    super(`${faults.join(' ')} Create it anew: create database … encoding 'UTF8' locale 'C.UTF-8' template template0.`);
  }
}

export class CreationForbidden extends Error {
  override readonly name = 'CreationForbidden';

  constructor({ role, database, schema }: Record<'role' | 'database', string> & { readonly schema: string | null }) {
    super(
      `The role "${role}" may not create tables in the schema "${schema ?? 'public'}" of the database "${database}". ` +
        `Let a superuser run: ALTER DATABASE "${database}" OWNER TO "${role}"; ` +
        `or: GRANT USAGE, CREATE ON SCHEMA "${schema ?? 'public'}" TO "${role}";`,
    );
  }
}

/** A newer version has removed something that this version may use, or has not said that it did not. */
export class DatabaseIsNewer extends Error {
  override readonly name = 'DatabaseIsNewer';

  constructor(unknown: readonly string[]) {
    super(
      `The database has migrations this version does not know: ${unknown.join(', ')}. ` +
        'Start the version that made them, or a newer one.',
    );
  }
}
