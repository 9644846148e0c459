import type { DataSource } from 'typeorm';

/** The placement of a table on Citus: `reference` tables have a copy on each node, `distributed` ones a shard for each range of apps. */
export type Placement = 'distributed' | 'reference' | 'local';

interface Table {
  readonly name: string;
  /** The column of the primary key that has the id of the app; null if there is none. */
  readonly appColumn: 'app_id' | 'id' | null;
  /** The unique indexes without that column: a shard cannot enforce them in another one. */
  readonly uniqueOverApps: readonly string[];
  /** The tables that its foreign keys name. */
  readonly references: readonly string[];
  readonly isPlaced: boolean;
}

/**
 * The coordinator keeps these tables for itself. Jobs of all apps are claimed in one order by rows that are locked, and Citus lets one
 * transaction at a time change a reference table, such as that of the replicas.
 */
const ON_COORDINATOR = ['jobs', 'migrations', 'replicas', 'sql_objects'];

/**
 * Partitions follow their table. The row of an app is on the node of its other rows: two transactions that hold a row of a reference
 * table by FOR KEY SHARE may wait for each other.
 */
const TABLES = `
  select c.relname as name,
         (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
           where i.indrelid = c.oid and i.indisprimary and a.attname = key.of_app) as "appColumn",
         array(select i.indexrelid::regclass::text from pg_index i
                where i.indrelid = c.oid and i.indisunique and not exists (
                  select from pg_attribute a where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attname = key.of_app)
                order by 1) as "uniqueOverApps",
         array(select f.confrelid::regclass::text from pg_constraint f
                where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid order by 1) as references,
         exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as "isPlaced"
    from pg_class c cross join lateral (select case c.relname when 'apps' then 'id' else 'app_id' end as of_app) key
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
   order by c.relname`;

/** Functions run on the node that has the rows. Citus copies those that are created after its extension. */
const FUNCTIONS = `
  select create_distributed_function(p.oid::regprocedure)
    from pg_proc p
   where p.pronamespace = current_schema()::regnamespace and p.prokind = 'f'
     and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     and not exists (select from pg_dist_object o where o.classid = 'pg_proc'::regclass and o.objid = p.oid)`;

/**
 * Distributes the tables of a migrated database over the nodes of a Citus cluster: tables of no app become reference tables, `apps` and
 * the tables of apps are distributed by the app's id, so the rows of an app stay together on one node. Tables that are placed already
 * stay as they are, so a run that was interrupted is repeated, and one after a migration places the new tables. Returns how many
 * tables it placed.
 */
export async function distribute(
  dataSource: DataSource,
  log: (line: string) => void = () => {},
): Promise<Record<Placement, number>> {
  const query = <R>(sql: string, parameters?: unknown[]): Promise<R[]> => dataSource.query(sql, parameters);
  await refuseUnready(query);
  const tables = await query<Table>(TABLES);
  const placed = { distributed: 0, reference: 0, local: 0 };
  const kinds = new Map(tables.map((table) => [table.name, placementOf(table)]));
  let companion = tables.find(({ name, isPlaced }) => isPlaced && kinds.get(name) === 'distributed')?.name ?? 'none';
  for (const { name, appColumn, isPlaced } of referencedFirst(tables)) {
    const kind = kinds.get(name)!;
    if (isPlaced || kind === 'local') continue;
    await dataSource.transaction(async (transaction) => {
      // A table that is full is copied.
      await transaction.query('set local statement_timeout = 0');
      if (kind === 'reference') await transaction.query('select create_reference_table($1)', [name]);
      else
        await transaction.query('select create_distributed_table($1, $2, colocate_with => $3)', [
          name,
          appColumn,
          companion,
        ]);
    });
    if (kind === 'distributed' && companion === 'none') companion = name;
    placed[kind]++;
    log(`Table ${name}: ${kind}.`);
  }
  await query(FUNCTIONS);
  return { ...placed, local: ON_COORDINATOR.length };
}

/** Throws an error that names what must be done before tables can be distributed. */
async function refuseUnready(query: <R>(sql: string) => Promise<R[]>): Promise<void> {
  const [extension] = await query<object>(`select from pg_extension where extname = 'citus'`);
  if (!extension)
    throw new NotDistributable(
      'The database has no extension citus. Create it in this database and in that of each worker.',
    );
  const [cluster] = await query<{ isCoordinator: boolean; hasCoordinator: boolean; workers: number }>(`
    select citus_is_coordinator() as "isCoordinator", coalesce(bool_or(groupid = 0), false) as "hasCoordinator",
           (count(*) filter (where isactive and shouldhaveshards))::int as workers
      from pg_dist_node where noderole = 'primary'`);
  if (!cluster!.isCoordinator)
    throw new NotDistributable('The database is that of a worker. Let DATABASE_URL name the coordinator.');
  if (!cluster!.hasCoordinator)
    throw new NotDistributable('The coordinator has no address. Run: select citus_set_coordinator_host(…)');
  if (cluster!.workers === 0)
    throw new NotDistributable('The cluster has no node for shards. Run for each worker: select citus_add_node(…)');
}

function placementOf({ name, appColumn, uniqueOverApps }: Table): Placement {
  if (ON_COORDINATOR.includes(name)) return 'local';
  if (appColumn === null) return 'reference';
  if (uniqueOverApps.length === 0) return 'distributed';
  throw new NotDistributable(
    `The table ${name} cannot be distributed: the unique index ${uniqueOverApps.join(', ')} lacks the column app_id. ` +
      'Add the column to the index, or remove it from the primary key to make the table a reference table.',
  );
}

/** A foreign key from a table that is placed to one that is not would be refused. */
function referencedFirst(tables: readonly Table[]): Table[] {
  const sorted = new Set<Table>();
  const add = (table: Table): void => {
    if (sorted.has(table)) return;
    for (const each of tables) if (table.references.includes(each.name)) add(each);
    sorted.add(table);
  };
  for (const table of tables) add(table);
  return [...sorted];
}

/** The database, its cluster or a table of it cannot be distributed. */
export class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}
