import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import type { DomainEvent } from '../../src/kernel/event-types.js';
import { LockedRowsChanged, Transactions } from '../../src/kernel/transactions.js';
import {
  currentContext,
  currentTransaction,
  runIn,
  type TransactionContext,
} from '../../src/postgres/current-transaction.js';
import { isDatabaseUnavailable } from '../../src/postgres/database-unavailable.js';
import { Database } from '../../src/postgres/database.js';
import { PostgresTransactions } from '../../src/postgres/postgres-transactions.js';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { sendTogether, statement } from '../../src/postgres/statement.js';
import { startApp, type TestApp } from '../support/app.js';
import { Observer } from '../support/observer.js';
import { roundTripsOf, textsOf } from '../support/statements.js';

let app: TestApp;
beforeAll(async () => {
  // Without a worker nothing is sent but what the tests make.
  app = await startApp({ env: { ROLE: 'api' } });
});
afterAll(() => app.stop());

const row = async (): Promise<Buffer> => {
  const keyHash = Buffer.from(randomUUID());
  await app.nest
    .get(Database)
    .write(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [keyHash]);
  return keyHash;
};
const lock = (keyHash: Buffer) =>
  app.nest
    .get(Database)
    .write(`update idempotency_keys set path = path where app_id = 't' and key_hash = $1`, [keyHash]);

describe('a transaction', () => {
  it('that loses a deadlock is run again, and both get through', async () => {
    const [one, two] = [await row(), await row()];
    const transactions = app.nest.get(Transactions);
    let runs = 0;
    // Each waits until both have their first lock, so that the second can only be a deadlock.
    let holding = 0;
    let bothHold!: () => void;
    const barrier = new Promise<void>((resolve) => (bothHold = resolve));
    // The repeated transaction waits for the other one; otherwise it could take the second lock of that transaction first and cause
    // a second deadlock.
    let oneIsThrough!: () => void;
    const winner = new Promise<void>((resolve) => (oneIsThrough = resolve));
    const through = async (first: Buffer, second: Buffer) => {
      let attempts = 0;
      const result = await transactions.run(async () => {
        runs++;
        if (++attempts > 1) await winner;
        await lock(first);
        if (++holding === 2) bothHold();
        await barrier;
        await lock(second);
        return 'through';
      });
      oneIsThrough();
      return result;
    };
    expect(await Promise.all([through(one, two), through(two, one)])).toEqual(['through', 'through']);
    expect(runs).toBe(3);
  });

  it.each(['40P01', '40001'])('that loses four times to other transactions (%s) fails as unavailable', async (code) => {
    let runs = 0;
    const losing = app.nest.get(Transactions).run(async () => {
      runs++;
      await app.nest.get(Database).write(`do $$ begin raise exception using errcode = '${code}'; end $$`);
    });
    const error: unknown = await losing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect([runs, isDatabaseUnavailable(error)]).toEqual([4, true]);
  });

  it('that loses a deadlock with a write that is not awaited is run again, also while it is kept open for the answer', async () => {
    const database = app.nest.get(Database);
    const [one, two] = [await row(), await row()];
    const observer = await Observer.of(app);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      // Only the transaction under test looks for deadlocks, so it is the one that PostgreSQL ends.
      await other.query(`begin; set local deadlock_timeout = '1h'`);
      await other.query(setPath, [two, '/']);
      let runs = 0;
      let through: Promise<unknown> = Promise.resolve();
      const answer = await app.nest.get(PostgresTransactions).concluding(
        () =>
          app.nest.get(PostgresTransactions).run(async () => {
            // Otherwise it could take the first row again before the other one does, which is a second deadlock.
            if (++runs > 1) await through;
            await database.write(setPath, [one, '/']);
            if (runs === 1) {
              through = other.query(setPath, [one, '/']).then(() => other.query('commit'));
              await observer.untilWaiting('idempotency_keys', () => 1);
            }
            void database.write(setPath, [two, '/kept']);
            return runs;
          }),
        async () => {
          await database.write('select 1');
        },
      );
      await through;
      expect([answer, runs]).toEqual([2, 2]);
      expect(await database.write(pathOf, [two])).toEqual([{ path: '/kept' }]);
    } finally {
      await other.end();
      await observer.close();
    }
  });

  it('that has locked rows which changed during the wait runs again, four times at most, and keeps nothing of a failed run', async () => {
    const transactions = app.nest.get(Transactions);
    const keyHash = Buffer.from(randomUUID());
    let runs = 0;
    const outdatedUntil = (run: number) =>
      transactions.run(async () => {
        runs++;
        await app.nest
          .get(Database)
          .write(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [
            keyHash,
          ]);
        if (runs < run) throw new LockedRowsChanged();
        return runs;
      });
    await expect(outdatedUntil(6)).rejects.toThrow(LockedRowsChanged);
    expect(runs).toBe(4);
    expect(await outdatedUntil(6)).toBe(6);
  });

  it('that fails leaves nothing, and takes the transactions nested in it along', async () => {
    const transactions = app.nest.get(Transactions);
    const keyHash = Buffer.from(randomUUID());
    const failing = transactions.run(async () => {
      await transactions.run(() =>
        app.nest
          .get(Database)
          .write(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [
            keyHash,
          ]),
      );
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(
      await app.nest
        .get(Database)
        .write(`select 1 as found from idempotency_keys where app_id = 't' and key_hash = $1`, [keyHash]),
    ).toEqual([]);
  });

  it('of which nothing is asked sends nothing', async () => {
    const idle = () => app.nest.get(Transactions).run(() => Promise.resolve('idle'));
    expect(await idle()).toBe('idle');
    expect(await textsOf(idle)).toEqual([]);
  });

  it('executes its deferred writes in order before it commits', async () => {
    const transactions = app.nest.get(Transactions);
    const database = app.nest.get(Database);
    const keyHash = await row();
    await transactions.run(async () => {
      void database.write(setPath, [keyHash, '/first']);
      const [seen] = await database.write<{ path: string }>(pathOf, [keyHash]);
      expect(seen!.path).toBe('/first');
      void database.write(setPath, [keyHash, '/second']);
    });
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/second' }]);
  });

  it('whose last write fails is undone, and says why', async () => {
    const transactions = app.nest.get(Transactions);
    const database = app.nest.get(Database);
    const keyHash = await row();
    for (let time = 0; time < 3; time++) {
      const failing = transactions.run(async () => {
        await database.write(setPath, [keyHash, '/undone']);
        // Not null.
        void database.write(setPath, [keyHash, null]);
      });
      await expect(failing).rejects.toMatchObject({ code: '23502' });
    }
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('sends what is asked for in one turn together, and each asker gets the answer to its own', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const ask = () =>
      app.nest.get(Transactions).run(async () => {
        const before = database.write(pathOf, [keyHash]).then((rows) => rows[0] ?? null);
        void database.write(setPath, [keyHash, '/changed']);
        return Promise.all([
          before,
          database.write(pathOf, [keyHash]).then((rows) => rows[0] ?? null),
          database.write('select 1 as one').then((rows) => rows[0] ?? null),
        ]);
      });
    await ask();
    await database.write(setPath, [keyHash, '/again']);
    const trips = await roundTripsOf(async () =>
      expect(await ask()).toEqual([{ path: '/again' }, { path: '/changed' }, { one: 1 }]),
    );
    expect(trips.map((trip) => trip.length)).toEqual([5, 1]);
  });

  it('carries out nothing that is asked for when it is over', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    let late: Promise<unknown> = Promise.resolve();
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const failing = app.nest.get(Transactions).run(async () => {
      await database.write('select 1');
      late = over.then(() => database.write(setPath, [keyHash, '/late']));
      late.catch(() => undefined);
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    end();
    await expect(late).rejects.toThrow('The transaction is over');
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('that ignores a failure fails with it nevertheless', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const passing = app.nest.get(Transactions).run(async () => {
      await database.write(setPath, [keyHash, '/undone']);
      await database.write('select 1 / 0').catch(() => undefined);
      await database.write('select 1').catch(() => undefined);
    });
    await expect(passing).rejects.toMatchObject({ code: '22012' });
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('reports to TypeORM the write that failed before its statement', async () => {
    const database = app.nest.get(Database);
    const failing = app.nest.get(Transactions).run(async () => {
      void database.write('select 1 / $1::int', [0]);
      await database.manager.query('select 1');
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
  });

  it('sends a write that is not awaited with COMMIT, and takes nothing more', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const ask = async (path: string) => {
      let context!: TransactionContext;
      await app.nest.get(Transactions).run(async () => {
        context = currentContext()!;
        void database.write(setPath, [keyHash, path]);
      });
      await runIn(context, async () => {
        expect(() => database.write(setPath, [keyHash, '/late'])).toThrow('The transaction is over');
        expect(() => currentTransaction()!.addEvent({} as DomainEvent)).toThrow('The transaction is over');
      });
    };
    await ask('/once');
    const trips = await roundTripsOf(() => ask('/last'));
    expect(trips.map((trip) => trip.length)).toEqual([3]);
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/last' }]);
  });

  it('resolves a write when it is done, and not before', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    await app.nest
      .get(Transactions)
      .run(async () => {
        const rows = await database.write<{ path: string }>(`${setPath} returning path`, [keyHash, '/done']);
        expect(rows).toEqual([{ path: '/done' }]);
        await expect(database.write(setPath, [keyHash, null])).rejects.toMatchObject({ code: '23502' });
      })
      .catch((error: unknown) => expect(error).toMatchObject({ code: '23502' }));
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('that signs is uncertain when the server warns at COMMIT, as where it stops waiting for a standby, and stays committed', async () => {
    const [database, transactions] = [app.nest.get(Database), app.nest.get(Transactions)];
    await database.write(`create table warned (id int)`);
    await database.write(`create function warn() returns trigger language plpgsql as $$
      begin raise warning 'canceling wait for synchronous replication'; return null; end $$`);
    await database.write(`create constraint trigger warned after insert on warned initially deferred
      for each row execute function warn()`);
    const insert = (id: number, signs: boolean) =>
      transactions.run(async () => void database.write('insert into warned values ($1)', [id]), { signs });
    await expect(insert(1, true)).rejects.toMatchObject({ kind: 'unavailable' });
    await insert(2, false);
    expect(await database.write('select id from warned order by id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('runs what waits for COMMIT when it has committed, and not when it is undone', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    let done = 0;
    await app.nest.get(Transactions).run(async () => {
      currentTransaction()!.onCommit(() => done++);
      await database.write(setPath, [keyHash, '/kept']);
      expect(done).toBe(0);
    });
    expect(done).toBe(1);
    const failing = app.nest.get(Transactions).run(async () => {
      currentTransaction()!.onCommit(() => done++);
      await database.write(setPath, [keyHash, '/undone']);
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(done).toBe(1);
  });

  it('does not undo a statement on a separate connection', async () => {
    const database = app.nest.get(Database);
    const separate = app.nest.get(SeparateConnections);
    const [before, later, inside] = [await row(), await row(), await row()];
    const failing = app.nest.get(Transactions).run(async () => {
      await separate.query(setPath, [before, '/kept']);
      await database.write(setPath, [inside, '/undone']);
      await separate.query(setPath, [later, '/kept']);
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    for (const [keyHash, path] of [
      [before, '/kept'],
      [later, '/kept'],
      [inside, '/'],
    ])
      expect(await database.write(pathOf, [keyHash])).toEqual([{ path }]);
  });

  it('waits for what is under way before it is undone', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    let slow: Promise<unknown> = Promise.resolve();
    const failing = app.nest.get(Transactions).run(async () => {
      await database.write('select 1');
      slow = database.write('select pg_sleep(0.2)').then(() => database.write(setPath, [keyHash, '/late']));
      slow.catch(() => undefined);
      await Promise.resolve();
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    await expect(slow).rejects.toThrow('The transaction is over');
    expect(await database.write(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('serves TypeORM on the same connection, whichever begins first', async () => {
    const database = app.nest.get(Database);
    const ids = await app.nest.get(Transactions).run(async () => {
      const id = 'select pg_current_xact_id()::text as id';
      const [one] = (await database.manager.query(id)) as { id: string }[];
      return [one!.id, (await database.write<{ id: string }>(id).then((rows) => rows[0] ?? null))!.id];
    });
    expect(ids[0]).toBe(ids[1]);
  });
});

const setPath = `update idempotency_keys set path = $2 where app_id = 't' and key_hash = $1`;
const pathOf = `select path from idempotency_keys where app_id = 't' and key_hash = $1`;

describe('statements sent together', () => {
  it('are carried out up to the first that fails, and no further', async () => {
    const client = await poolOf(app.nest.get(DataSource)).connect();
    try {
      const keyHash = await row();
      const fails = statement('select 1 / $1::int', [0]);
      const write = statement(setPath, [keyHash, '/after']);
      // Once each by itself, so that all are prepared and go out in one round trip from then on.
      await sendTogether(client, [write]);
      await sendTogether(client, [statement(fails.text, [1])]);
      await sendTogether(client, [statement(setPath, [keyHash, '/before'])]);
      await expect(sendTogether(client, [fails, write])).rejects.toMatchObject({ code: '22012' });
      expect((await client.query(pathOf, [keyHash])).rows).toEqual([{ path: '/before' }]);
      // The connection is usable as before.
      const read = statement(pathOf, [keyHash]);
      await sendTogether(client, [read]);
      expect((await sendTogether(client, [write, read])).map(({ rows }) => rows)).toEqual([[], [{ path: '/after' }]]);
    } finally {
      client.release();
    }
  });
});
