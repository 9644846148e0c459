import { Client, Pool, type QueryResult } from 'pg';
import { DataSource } from 'typeorm';
import {
  activeQueryOf,
  clientsOf,
  corkThisTurn,
  destroyConnection,
  isPrepared,
  exchange,
  PIPELINED,
  prepareValue,
  processIdOf,
} from '../../src/postgres/pg-internals.js';
import { managerOn, poolOf } from '../../src/postgres/typeorm-internals.js';
import { requireVersion } from '../../src/postgres/written-for.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
beforeEach(async () => {
  client = new Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
});
afterEach(() => client.end().catch(() => undefined));
afterAll(() => database.drop());

describe('the private parts of pg that the service uses', () => {
  const prepare = async (name: string, text: string, values: unknown[]) => {
    await client.query({ name, text, values });
  };

  it('an exchange carries out prepared statements in one round trip and returns each result as pg does', async () => {
    await prepare('numbers', 'select n, n::text as text from generate_series(1, $1::int) n', [1]);
    await prepare('settings', `select set_config('application_name', $1, false)`, ['a']);
    await prepare('nothing', 'listen changes', []);
    const results: QueryResult[] = [];
    await exchange(
      client,
      [
        { name: 'numbers', values: [2] },
        { name: 'nothing', values: [] },
        { name: 'settings', values: ['b'] },
        { name: 'numbers', values: [0] },
      ],
      results,
    );
    expect(results.map(({ command, rowCount, rows }) => ({ command, rowCount, rows }))).toEqual([
      { command: 'SELECT', rowCount: 2, rows: [{ n: 1, text: '1' }, { n: 2, text: '2' }] }, // prettier-ignore
      { command: 'LISTEN', rowCount: null, rows: [] },
      { command: 'SELECT', rowCount: 1, rows: [{ set_config: 'b' }] },
      { command: 'SELECT', rowCount: 0, rows: [] },
    ]);
  });

  it('an exchange stops at the first failure, keeps the results before it and leaves the connection usable', async () => {
    await prepare('divide', 'select 1 / $1::int as n', [1]);
    const results: QueryResult[] = [];
    const divisions = [1, 0, 1].map((by) => ({ name: 'divide', values: [by] }));
    await expect(exchange(client, divisions, results)).rejects.toMatchObject({ code: '22012' });
    expect(results.map(({ rows }) => rows)).toEqual([[{ n: 1 }]]);
    expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  it('an exchange with a value that cannot be converted sends nothing', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await prepare('divide', 'select 1 / $1::int as n', [1]);
    await expect(exchange(client, [{ name: 'divide', values: [circular] }], [])).rejects.toThrow('circular');
    expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  });

  it('a statement counts as prepared once the server has prepared it, even if it fails then', async () => {
    await expect(client.query({ name: 'unknown', text: 'select a from unknown' })).rejects.toMatchObject({
      code: '42P01',
    });
    await expect(client.query({ name: 'failing', text: 'select 1 / $1::int', values: [0] })).rejects.toThrow();
    expect(['unknown', 'failing'].map((name) => isPrepared(client, name))).toEqual([false, true]);
  });

  it('a client shows the process id of its server process', async () => {
    const { rows } = await client.query('select pg_backend_pid() as id');
    expect(processIdOf(client)).toBe(rows[0].id);
  });

  it('values are converted to text, bytes and null', () => {
    expect([1, true, null, [1, 2], { a: 1 }].map(prepareValue)).toEqual(['1', 'true', null, '{"1","2"}', '{"a":1}']);
    expect(prepareValue(Buffer.from('a'))).toEqual(Buffer.from('a'));
  });

  it('a pool shows its clients, and a client shows the statement it waits for', async () => {
    const pool = new Pool({ connectionString: database.url });
    try {
      // It waits until the test lets it go on.
      await client.query('select pg_advisory_lock(1)');
      const waiting = pool.query('select pg_advisory_lock(1)');
      while (!clientsOf(pool)[0] || !activeQueryOf(clientsOf(pool)[0]!)) await new Promise(setImmediate);
      const [only] = clientsOf(pool);
      const active = activeQueryOf(only!);
      await new Promise(setImmediate);
      expect(activeQueryOf(only!)).toBe(active);
      await client.query('select pg_advisory_unlock(1)');
      await waiting;
      expect(activeQueryOf(only!)).toBeNull();
    } finally {
      await pool.end();
    }
  });

  it('a destroyed connection fails its statement at once', async () => {
    const sleeping = client.query('select pg_sleep(30)');
    await new Promise(setImmediate);
    destroyConnection(client, new Error('destroyed'));
    await expect(sleeping).rejects.toThrow('destroyed');
  });

  it('a pipelined client sends corked statements together before the first is answered', async () => {
    const pipelined = new Client({ connectionString: database.url, ...PIPELINED });
    await pipelined.connect();
    try {
      const writes: Buffer[] = [];
      const { stream } = (pipelined as unknown as { connection: { stream: NodeJS.WritableStream } }).connection;
      const socket = stream as NodeJS.WritableStream & {
        _writev: (chunks: { chunk: Buffer }[], done: () => void) => void;
      };
      const { _writev } = socket;
      socket._writev = function (chunks, done) {
        writes.push(Buffer.concat(chunks.map(({ chunk }) => chunk)));
        return _writev.call(this, chunks, done);
      };
      corkThisTurn(pipelined);
      const answers = await Promise.all([1, 2, 3].map((n) => pipelined.query('select $1::int as n', [n])));
      expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
      expect(writes).toHaveLength(1);
    } finally {
      await pipelined.end();
    }
  });
});

describe('the private parts of TypeORM that the service uses', () => {
  it('its pool is found, and a manager on a connection begins and ends nothing by itself', async () => {
    const dataSource = new DataSource({ type: 'postgres', url: database.url });
    await dataSource.initialize();
    try {
      const { rows } = await poolOf(dataSource).query('select 1 as n');
      expect(rows).toEqual([{ n: 1 }]);
      const sent: string[] = [];
      const manager = managerOn(dataSource, (text, values) => {
        sent.push(text);
        return client.query(text, values);
      });
      expect(await manager.query('select $1::int as n', [1])).toEqual([{ n: 1 }]);
      expect(sent).toEqual(['select $1::int as n']);
    } finally {
      await dataSource.destroy();
    }
  });
});

describe('another version of a package whose private parts are used', () => {
  it('is refused with a message that names both versions', () => {
    expect(() => requireVersion('pg', '7.0')).toThrow(/^pg 8\.\S+ is installed, .* of pg 7\.0\./);
    expect(() => requireVersion('typeorm', '1.1')).not.toThrow();
  });
});
