import { Client } from 'pg';

/** Few, because each of them is a table that every test database has. At least one on each worker. */
const SHARDS = 2;

/**
 * The URLs of the servers of a test run: the coordinator of `CITUS_URL` and its workers, which use the same user and password. Outside
 * `npm run test:citus` it is the server itself.
 */
export async function nodesOf(server: string): Promise<readonly string[]> {
  if (server !== process.env['CITUS_URL']) return [server];
  known ??= workersOf(server);
  return [server, ...(await known)];
}

/** The URLs of a database of this run on the nodes, its own first. */
export async function nodesOfDatabase(databaseUrl: string): Promise<readonly string[]> {
  const { CITUS_URL: coordinator } = process.env;
  if (!coordinator || new URL(coordinator).host !== new URL(databaseUrl).host) return [databaseUrl];
  const { pathname } = new URL(databaseUrl);
  return (await nodesOf(coordinator)).map((node) => Object.assign(new URL(node), { pathname }).href);
}

let known: Promise<readonly string[]> | undefined;

async function workersOf(coordinator: string): Promise<string[]> {
  const rows = await inDatabase(coordinator, (client) =>
    client.query<{ host: string; port: number }>(
      `select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 and noderole = 'primary' order by groupid`,
    ),
  );
  return rows.rows.map(({ host, port }) => {
    const url = new URL(coordinator);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  });
}

/** Makes one cluster of an empty database of each node. */
export async function prepareCitus([coordinator, ...workers]: readonly string[]): Promise<void> {
  for (const url of [coordinator!, ...workers])
    await inDatabase(url, (client) => client.query('create extension citus'));
  await inDatabase(coordinator!, async (client) => {
    const { hostname, port, pathname } = new URL(coordinator!);
    await client.query('select citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)]);
    for (const worker of workers.map((url) => new URL(url)))
      await client.query('select citus_add_node($1, $2)', [worker.hostname, Number(worker.port)]);
    await client.query(`alter database ${pathname.slice(1)} set citus.shard_count = ${SHARDS}`);
  });
}

async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
