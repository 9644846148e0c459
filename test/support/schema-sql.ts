import type { Client } from 'pg';

/** The objects of the service: neither those of extensions, nor partitions, nor the lists that migrations keep. */
const IN_PUBLIC = `'public'::regnamespace and not exists (select from pg_depend e where e.objid = o.oid and e.deptype = 'e')`;

const TABLES = `
  select 'create table ' || relname || E' (\\n' || (
           select string_agg('  ' || part, E',\\n' order by place, part)
             from (select a.attnum::int, a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
                          || case a.attidentity when 'a' then ' generated always as identity' else '' end
                          || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
                          || case when a.attnotnull then ' not null' else '' end
                     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
                    where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped
                    union all
                   select case contype when 'p' then 10000 else 10001 end,
                          'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
                     from pg_constraint where conrelid = o.oid and contype <> 'n') parts (place, part))
         || E'\\n)' || coalesce(' partition by ' || pg_get_partkeydef(oid), '')
         || coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') || ';'
         || coalesce((select string_agg(E'\\n' || pg_get_indexdef(indexrelid) || ';', '' order by indexrelid::regclass::text)
                        from pg_index where indrelid = o.oid
                         and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))), '') as sql
    from pg_class o
   where relnamespace = ${IN_PUBLIC} and relkind in ('r', 'p') and not relispartition and relname not in ('migrations', 'sql_objects')
   order by relname`;
const VIEWS = `
  select 'create view ' || relname || E' as\\n' || pg_get_viewdef(oid, true) as sql
    from pg_class o where relnamespace = ${IN_PUBLIC} and relkind = 'v' order by relname`;
const FUNCTIONS = `
  select pg_get_functiondef(oid) || ';' as sql
    from pg_proc o where pronamespace = ${IN_PUBLIC} order by proname, oid::regprocedure::text`;

const TRIGGERS = `
  select pg_get_triggerdef(oid) || ';' as sql from pg_trigger where not tgisinternal order by tgname`;

/** The schema of a migrated database: tables with their indexes, views, functions and triggers, each by name. */
export async function schemaOf(database: Client): Promise<string> {
  const parts: string[] = [];
  for (const query of [TABLES, VIEWS, FUNCTIONS, TRIGGERS])
    for (const { sql } of (await database.query<{ sql: string }>(query)).rows) parts.push(sql);
  return parts.map((part) => `${part.replaceAll(/\bpublic\./g, '').trim()}\n`).join('\n');
}
