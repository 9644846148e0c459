import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { ROOT } from '../../../src/services/root.js';
import { type AppId, newId, type UserId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { PostgresEventSequence } from '../../../src/modules/events/infrastructure/postgres-event-sequence.js';
import { PostgresSessionRepository } from '../../../src/modules/session/infrastructure/postgres-session.repository.js';
import { runIn } from '../../../src/postgres/current-transaction.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, untilAvailable } from '../../support/eventually.js';
import { eventOf, namesOf, newApp, startWriter, type Writer } from './sequencers.js';

let database: TestDatabase;
let writer: Writer;
/** A connection of the test. */
let client: pg.Client;
const others: Writer[] = [];
beforeEach(async () => {
  database = await createDatabase();
  writer = await startWriter(database.url);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('create table test_locks (id int primary key, count int not null default 0)');
  await client.query('insert into test_locks (id) select generate_series(1, 5)');
});
afterEach(async () => {
  await client.end();
  await Promise.all([writer, ...others.splice(0)].map(({ stop }) => stop()));
  await database.drop();
});

async function anotherWriter(): Promise<Writer> {
  const another = await startWriter(database.url);
  others.push(another);
  return another;
}

const LOCK = 'update test_locks set count = count + 1 where id = $1 returning count';

/** Resolves when another connection waits for a lock. */
async function untilSomeWait(): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(rowCount).toBeGreaterThan(0);
  });
}

function addTo(appId: AppId, ...names: string[]): Promise<void> {
  return writer.transactions.run(async () => {
    for (const name of names) writer.store.add(eventOf(appId, name));
  });
}

describe('the position of an event', () => {
  it('is higher than those of the transaction that its own waited for, though it was published first', async () => {
    const app = newApp();
    const { transactions, store } = writer;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let holds = (): void => undefined;
    const held = new Promise<void>((resolve) => (holds = resolve));
    const holder = transactions.run(async () => {
      await writer.database.write(LOCK, [1]);
      holds();
      await released;
      store.add(eventOf(app, 'of the holder'));
    });
    await held;
    const early = transactions.run(async () => {
      await writer.database.write(LOCK, [2]);
      store.add(eventOf(app, 'of the one that waited'));
      await writer.database.write(LOCK, [1]);
    });
    await untilSomeWait();
    release();
    await Promise.all([holder, early]);
    await writer.drain();
    expect(await namesOf(writer, app)).toEqual(['of the holder', 'of the one that waited']);
  });

  it('is right where the order of transaction ids is wrong', async () => {
    const app = newApp();
    const { transactions, store } = writer;
    const early = await begunWithId();
    await transactions.run(async () => {
      await writer.database.write(LOCK, [1]);
      store.add(eventOf(app, 'of the holder'));
      void early.lock(1);
      await untilSomeWait();
    });
    await early.addAndCommit(app, 'of the one that waited');
    const byTransactionId = await client.query<{ name: string }>(
      `select data->>'name' as name from unsequenced_events order by xmin::text::bigint`,
    );
    expect(byTransactionId.rows.map(({ name }) => name)).toEqual(['of the one that waited', 'of the holder']);
    await writer.drain();
    expect(await namesOf(writer, app)).toEqual(['of the holder', 'of the one that waited']);
  });

  it('is higher also for the events of sessions that a statement ended before the wait', async () => {
    const app = newApp();
    const [user, session] = [newId('user'), newId('session')];
    await client.query(
      `insert into sessions (app_id, id, user_id, token_hash, expires_at, factors, user_agent, ip)
       values ($1, $2, $3, sha256('x'), now() + interval '1 day', '{}', '', '')`,
      [app, session, user],
    );
    const sessions = new PostgresSessionRepository(writer.database, writer.store, null!);
    const { transactions, store } = writer;
    let revoking!: Promise<void>;
    await transactions.run(async () => {
      await writer.database.write(LOCK, [1]);
      store.add(eventOf(app, 'of the holder'));
      revoking = runIn(undefined, () =>
        transactions.run(async () => {
          await sessions.revokeAllOf(app, user as UserId);
          await writer.database.write(LOCK, [1]);
        }),
      );
      await untilSomeWait();
    });
    await revoking;
    await writer.drain();
    const { rows } = await client.query(`select type from event_log where app_id = $1 order by position`, [app]);
    expect(rows.map(({ type }: { type: string }) => type)).toEqual(['test.happened', 'session.revoked']);
  });

  it('follows the order of the locks under 20 writers and two sequencers, dense and without doubles', async () => {
    const apps = [newApp(), newApp(), newApp()];
    const replicas = [writer, await anotherWriter()];
    for (const { sequencer } of replicas) sequencer.start();
    await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const { transactions, store, database } = replicas[number % 2]!;
        for (let round = 0; round < 25; round++) {
          const index = (number + round) % apps.length;
          await transactions.run(async () => {
            const data: { count?: number } = {};
            // Published before the wait; the count is known after it.
            store.add({ type: 'test.counted', appId: apps[index]!, data });
            const [row] = await database.write<{ count: number }>(LOCK, [index + 1]);
            data.count = row!.count;
          });
        }
      }),
    );
    await eventually(async () => expect(await writer.sequence.hasWaiting()).toBe(false));
    const { rows } = await client.query<{ app_id: string; positions: string[]; counts: number[] }>(
      `select app_id, array_agg(position order by position) as positions,
              array_agg((body::json->'data'->>'count')::int order by position) as counts
         from event_log group by app_id`,
    );
    expect(rows.map(({ counts }) => counts.length).reduce((a, b) => a + b)).toBe(500);
    for (const { positions, counts } of rows) {
      const dense = counts.map((_count, index) => index + 1);
      expect(positions.map(Number)).toEqual(dense);
      expect(counts).toEqual(dense);
    }
    // A pause of this process may cost a batch its transaction. Nothing else may fail.
    for (const { lines } of replicas)
      expect(lines.filter((line) => !/idle-in-transaction|Connection terminated|connection error/.test(line))).toEqual(
        [],
      );
  });

  it('does not wait for a transaction that stays open, whose event gets the next position in the end', async () => {
    const app = newApp();
    await client.query('begin');
    await client.query(
      `insert into unsequenced_events (app_id, id, type, data) values ($1, $2, 'test.happened', '{"name":"late"}')`,
      [app, newId('event')],
    );
    await addTo(app, 'first', 'second');
    await writer.drain();
    expect(await namesOf(writer, app)).toEqual(['first', 'second']);
    await client.query('commit');
    await writer.drain();
    expect(await namesOf(writer, app)).toEqual(['first', 'second', 'late']);
  });

  it('is given by the sequencer soon after the commit of another process', async () => {
    const app = newApp();
    const other = await anotherWriter();
    other.sequencer.start();
    await addTo(app, 'one');
    await eventually(async () => expect(await namesOf(writer, app)).toEqual(['one']));
  });

  it('is given by another sequencer when one is paused before its commit', async () => {
    const app = newApp();
    await addTo(app, 'one');
    await writer.drain();
    await addTo(app, 'two');
    const other = await anotherWriter();
    let holder: number | undefined;
    let resume = (): void => undefined;
    const resumed = new Promise<void>((resolve) => (resume = resolve));
    class PausedTransactions extends Transactions {
      run<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
        return other.transactions.run(async (isAgain) => {
          const result = await work(isAgain);
          const [row] = await other.database.write<{ pid: number }>('select pg_backend_pid() as pid');
          holder = row!.pid;
          await resumed;
          return result;
        });
      }
    }
    const paused = new PostgresEventSequence(other.database, new PausedTransactions(), other.positions);
    const batch = paused.advance('').catch((error: unknown) => error);
    await eventually(async () => expect(holder).toBeDefined());
    try {
      await writer.drain();
      const names = await namesOf(writer, app);
      const { rowCount } = await client.query('select from pg_stat_activity where pid = $1', [holder]);
      // The server ends its transaction after 1.5 s, on a slow machine before the other one has looked.
      if (rowCount === 1) expect(names).toEqual(['one']);
      await eventually(async () => {
        await writer.drain();
        expect(await namesOf(writer, app)).toEqual(['one', 'two']);
      });
    } finally {
      resume();
    }
    expect(await batch).toBeInstanceOf(Error);
    expect(await namesOf(writer, app)).toEqual(['one', 'two']);
  });

  it('survives that the server ends the connections of the sequencer', async () => {
    const app = newApp();
    writer.sequencer.start();
    const other = await anotherWriter();
    const names = Array.from({ length: 200 }, (_, index) => `event ${index}`);
    for (const [index, name] of names.entries()) {
      await other.happen(eventOf(app, name));
      if (index % 40 === 20)
        await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and query ~ 'unsequenced_events' and query !~ 'json_to_recordset'`,
        );
    }
    await eventually(async () => expect(await namesOf(writer, app)).toEqual(names));
  });
});

describe('a sequencer process that is killed', () => {
  it('leaves no gap and no double, wherever it was', async () => {
    const app = newApp();
    const tsx = createRequire(join(ROOT, 'package.json')).resolve('tsx');
    const script = join(ROOT, 'test/modules/events/sequence-events.ts');
    const names: string[] = [];
    const sequenced = (): Promise<number> =>
      client
        .query<{ count: number }>('select count(*)::int as count from event_log')
        .then(({ rows }) => rows[0]!.count);
    for (let round = 1; round <= 3; round++) {
      await writer.transactions.run(async () => {
        for (let n = 0; n < 4_000; n++) {
          names.push(`${round}.${n}`);
          writer.store.add(eventOf(app, names.at(-1)!));
        }
      });
      const before = await sequenced();
      const child = spawn(process.execPath, ['--import', pathToFileURL(tsx).href, script, database.url], {
        cwd: ROOT,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await once(createInterface(child.stdout), 'line');
        // Of four batches, most times in the middle of a later one.
        await eventually(async () => expect(await sequenced()).toBeGreaterThan(before));
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    // The server may still carry out what the killed process has sent; until then its app is left out.
    await eventually(async () => {
      await writer.drain();
      expect((await client.query('select from unsequenced_events')).rowCount).toBe(0);
    });
    expect(await namesOf(writer, app)).toEqual(names);
  });
});

describe('a batch', () => {
  it('gives every app a share when one app has stored a flood', async () => {
    const [flood, ...quiet] = [newApp(), newApp(), newApp()];
    await client.query(
      `insert into unsequenced_events (app_id, id, type, data)
       select $1, 'evt_' || n, 'test.happened', '{}' from generate_series(1, 5000) n`,
      [flood],
    );
    for (const app of quiet) await addTo(app, 'one');
    const advance = () => untilAvailable(() => writer.sequence.advance(''));
    await advance();
    const batch = await advance();
    expect(batch).toMatchObject({ hasMore: true, sequenced: 335 });
    for (const app of quiet) expect(await namesOf(writer, app)).toEqual(['one']);
  });

  it('reaches every app when more apps wait than it takes', async () => {
    const apps = Array.from({ length: 250 }, () => newApp());
    for (const app of apps) await writer.happen(eventOf(app, 'one'));
    await writer.drain();
    const { rows } = await client.query('select count(*)::int as count from event_log where position = 1');
    expect(rows).toEqual([{ count: 250 }]);
  });

  it('finds its rows by the index, also right after the table was emptied', async () => {
    await addTo(newApp(), 'one');
    await writer.drain();
    await client.query('vacuum analyze unsequenced_events');
    const [flood, quiet] = [newApp(), newApp()];
    await client.query(
      `insert into unsequenced_events (app_id, id, type, data)
       select $1, 'evt_' || n, 'test.happened', '{}' from generate_series(1, 20000) n`,
      [flood],
    );
    await addTo(quiet, 'one');
    const scans = async (): Promise<number> => {
      await client.query('select pg_stat_clear_snapshot()');
      const { rows } = await client.query<{ seq_scan: string }>(
        `select seq_scan from pg_stat_user_tables where relname = 'unsequenced_events'`,
      );
      return Number(rows[0]!.seq_scan);
    };
    const before = await scans();
    await writer.drain();
    expect(await scans()).toBe(before);
  });
});

/** A transaction that has its id before any other of the test. */
async function begunWithId() {
  const own = new pg.Client({ connectionString: database.url });
  await own.connect();
  await own.query('begin');
  await own.query(LOCK, [5]);
  let locked: Promise<unknown> | undefined;
  return {
    lock: (id: number) => (locked = own.query(LOCK, [id])),
    async addAndCommit(appId: AppId, name: string): Promise<void> {
      await locked;
      await own.query(
        `insert into unsequenced_events (app_id, id, type, data) values ($1, $2, 'test.happened', json_build_object('name', $3::text))`,
        [appId, newId('event'), name],
      );
      await own.query('commit');
      await own.end();
    },
  };
}
