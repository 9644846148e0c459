import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import * as migrations from '../../migrations/index.js';
import { distribute } from '../../src/postgres/distribute.js';
import { runMigrations } from '../../src/postgres/migrate.js';
import { sqlObjects } from '../../src/postgres/sql-objects.js';
import { nodesOf, prepareCitus } from './citus.js';

export interface TestDatabase {
  readonly url: string;
  /** Removes the database, even if clients are connected. */
  drop(): Promise<void>;
}

/** A new database with all migrations: a copy of a template that one worker migrates for all. */
export async function createDatabase(server = testServer()): Promise<TestDatabase> {
  let template = templates.get(server);
  templates.set(server, (template ??= migratedTemplate(server)));
  return copyOf(await template, server);
}

/** A new, empty database. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0', testServer());
}

/** On Citus the database of each node is copied. */
async function copyOf(template: string, url: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const nodes = await nodesOf(url);
  // The default strategy writes each page of the template to the write-ahead log, which takes twice the processor time.
  await onEach(nodes, `create database ${name} template ${template} strategy file_copy`);
  // Tests hold a COMMIT back by a trigger. A copy has no settings of its template.
  if (nodes.length > 1) await onEach(nodes, `alter database ${name} set citus.enable_unsafe_triggers = on`);
  const drop = async (): Promise<void> => {
    // The nodes of a cluster would connect again to a database of another node that is being dropped.
    if (nodes.length > 1) await onEach(nodes, `update pg_database set datallowconn = false where datname = '${name}'`);
    const remove = () => onEach(nodes, `drop database if exists ${name} with (force)`);
    // On a busy machine a connection of another node may take longer to end than the 5 s that PostgreSQL waits.
    await (nodes.length > 1 ? remove().catch(remove).catch(remove).catch(remove) : remove());
  };
  return { url: urlOf(name, url), drop };
}

async function onEach(nodes: readonly string[], statement: string): Promise<void> {
  await Promise.all(nodes.map((node) => onServer(node, (server) => server.query(statement))));
}

/** The templates by server. */
const templates = new Map<string, Promise<string>>();

function migratedTemplate(url: string): Promise<string> {
  return onServer(url, async (server) => {
    const name = `template_${await migrationsHash()}`;
    await server.query(`select pg_advisory_lock(hashtext('test template'))`);
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await makeTemplate(server, url, name);
    return name;
  });
}

/**
 * The name appears only when the template is complete. A killed worker leaves a draft, which the next worker replaces.
 */
async function makeTemplate(server: Client, url: string, name: string): Promise<void> {
  const nodes = await nodesOf(url);
  await onEach(nodes, 'drop database if exists template_draft with (force)');
  // The embedded server sorts by bytes and most servers by a language, where `~` is before digits.
  await onEach(nodes, `create database template_draft template template0 locale_provider icu icu_locale 'en-US'`);
  const isCluster = nodes.length > 1;
  if (isCluster) await prepareCitus(nodes.map((node) => urlOf('template_draft', node)));
  const dataSource = new DataSource({
    type: 'postgres',
    url: urlOf('template_draft', url),
    migrations: Object.values(migrations),
  });
  await dataSource.initialize();
  try {
    await runMigrations(dataSource, sqlObjects());
    // Tests read committed events here, whether they have a position yet or not.
    await dataSource.query(`
      create view stored_events as
      select app_id, id, type, body::jsonb -> 'data' as data, created_at, position, null::bigint as seq from event_log
       union all
      select app_id, id, type, data::jsonb, created_at, null, seq from unsequenced_events`);
    if (isCluster) await distribute(dataSource);
  } finally {
    await dataSource.destroy();
  }
  if (isCluster) {
    // Citus keeps a background process in each database that was used, and a database in use is neither copied nor renamed.
    await onEach(nodes, 'alter database template_draft allow_connections false');
    await onEach(
      nodes,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'template_draft'`,
    );
  }
  const [coordinator, ...workers] = nodes;
  await onEach(workers, `alter database template_draft rename to ${name}`);
  await onEach([coordinator!], `alter database template_draft rename to ${name}`);
}

async function migrationsHash(): Promise<string> {
  const directory = join(import.meta.dirname, '../../migrations');
  const hash = createHash('sha256');
  for (const file of (await readdir(directory)).filter((name) => name.endsWith('.ts')).sort())
    hash.update(await readFile(join(directory, file)));
  for (const object of sqlObjects()) hash.update(object.hash);
  return hash.digest('hex').slice(0, 16);
}

async function onServer<T>(url: string, work: (server: Client) => Promise<T>): Promise<T> {
  const server = new Client({ connectionString: url });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

function urlOf(database: string, server: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

function testServer(): string {
  const { TEST_DATABASE_SERVER: server } = process.env;
  if (!server) throw new Error('No test database server: run the tests through jest, or set TEST_DATABASE_SERVER.');
  return server;
}
