import type { MigrationInterface, QueryRunner } from 'typeorm';

const TRIGRAM_INDEXES = [
  { name: 'emails_text_trgm', table: 'emails', text: 'text', where: '' },
  { name: 'phone_numbers_text_trgm', table: 'phone_numbers', text: 'text', where: '' },
  {
    name: 'users_full_name_trgm',
    table: 'users',
    text: `ltrim(first_name || coalesce(' ' || nullif(middle_name, ''), '') || coalesce(' ' || nullif(last_name, ''), ''))`,
    where: 'where deleted_at is null',
  },
];

/**
 * Indexes for searches by part of an address or a name, if the extensions pg_trgm and btree_gin are or can be
 * installed. Without them such searches read all rows of the app. Built without locking the tables, so outside a
 * transaction.
 */
export class IndexUserSearches1763600001850 implements MigrationInterface {
  readonly name = 'IndexUserSearches1763600001850';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await create(runner, `users_pending on users (app_id, id) where status = 'pending' and deleted_at is null`);
    const schema = await trigramSchema(runner);
    if (schema === undefined) return;
    for (const { name, table, text, where } of TRIGRAM_INDEXES)
      await create(runner, `${name} on ${table} using gin (app_id, (${text}) ${schema}.gin_trgm_ops) ${where}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['users_pending', ...TRIGRAM_INDEXES.map((index) => index.name)])
      await runner.query(`drop index concurrently if exists ${name}`);
  }
}

/** An interrupted build leaves an invalid index. */
async function create(runner: QueryRunner, definition: string): Promise<void> {
  const [name] = definition.split(' ');
  await runner.query(`drop index concurrently if exists ${name}`);
  await runner.query(`create index concurrently ${definition}`);
}

/** The schema of pg_trgm, once both extensions are installed. */
async function trigramSchema(runner: QueryRunner): Promise<string | undefined> {
  for (const extension of ['pg_trgm', 'btree_gin']) {
    await runner.query(`
      do $$
      begin
        create extension if not exists ${extension};
      exception
        -- Neither on the server, nor allowed to this role.
        when undefined_file or feature_not_supported or insufficient_privilege then null;
      end $$`);
  }
  const found = (await runner.query(
    `select quote_ident(n.nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname in ('pg_trgm', 'btree_gin') order by e.extname desc`,
  )) as { schema: string }[];
  return found.length === 2 ? found[0]!.schema : undefined;
}
