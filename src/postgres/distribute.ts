import type { DataSource } from 'typeorm';

/** A `reference` table has a copy on each node of Citus, a `distributed` one a shard for each range of apps. */
export type Placement = 'distributed' | 'reference' | 'local';

interface Table {
  readonly name: string;
  readonly appColumn: 'app_id' | 'id' | null;
  /** Unique indexes without that column: a shard cannot enforce them in another one. */
  readonly uniqueOverApps: readonly string[];
  readonly references: readonly string[];
  readonly isPlaced: boolean;
}

/** Jobs of all apps are claimed in one order by locked rows, and Citus lets one transaction at a time change a reference table. */
const ON_COORDINATOR = ['jobs', 'migrations', 'replicas', 'sql_objects'];

/** Transactions that hold rows of a reference table by FOR KEY SHARE may wait for each other, so an app's row is with its other rows. */
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

/** Rows of an app share a node. Placed tables stay, so a run is repeatable, and one after a migration places the new tables. */
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

/** A foreign key from a placed table to one that is not placed is refused. */
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

export class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}
