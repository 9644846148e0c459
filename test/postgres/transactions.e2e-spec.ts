import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { DomainEvent } from '../../src/kernel/domain-event.js';
import { Transactions } from '../../src/kernel/transactions.js';
import { currentTransaction } from '../../src/postgres/current-transaction.js';
import { Database, refusalIn } from '../../src/postgres/database.js';
import { poolOf } from '../../src/postgres/typeorm-internals.js';
import { SeparateConnections } from '../../src/postgres/separate-connections.js';
import { sendTogether, statement } from '../../src/postgres/statement.js';
import { startApp, type TestApp } from '../support/app.js';
import { roundTripsOf } from '../support/statements.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const row = async (): Promise<Buffer> => {
  const keyHash = Buffer.from(randomUUID());
  await app.nest
    .get(Database)
    .query(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [keyHash]);
  return keyHash;
};
const lock = (keyHash: Buffer) =>
  app.nest
    .get(Database)
    .query(`update idempotency_keys set path = path where app_id = 't' and key_hash = $1`, [keyHash]);

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

  it('that fails leaves nothing, and takes the transactions nested in it along', async () => {
    const transactions = app.nest.get(Transactions);
    const keyHash = Buffer.from(randomUUID());
    const failing = transactions.run(async () => {
      await transactions.run(() =>
        app.nest
          .get(Database)
          .query(`insert into idempotency_keys (app_id, path, key_hash, body_hash) values ('t', '/', $1, $1)`, [
            keyHash,
          ]),
      );
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(
      await app.nest
        .get(Database)
        .query(`select 1 as found from idempotency_keys where app_id = 't' and key_hash = $1`, [keyHash]),
    ).toEqual([]);
  });

  it('of which nothing is asked sends nothing', async () => {
    const database = app.nest.get(Database);
    const before = await transactionsSoFar();
    expect(await app.nest.get(Transactions).run(() => Promise.resolve('idle'))).toBe('idle');
    expect(await transactionsSoFar()).toBe(before + 1);

    /** Counts itself. */
    async function transactionsSoFar(): Promise<number> {
      const [row] = await database.query<{ ids: string }>('select pg_current_xact_id()::text as ids');
      return Number(row!.ids);
    }
  });

  it('executes its deferred writes in order before it commits', async () => {
    const transactions = app.nest.get(Transactions);
    const database = app.nest.get(Database);
    const keyHash = await row();
    await transactions.run(async () => {
      void database.write(setPath, [keyHash, '/first']);
      const [seen] = await database.query<{ path: string }>(pathOf, [keyHash]);
      expect(seen!.path).toBe('/first');
      void database.write(setPath, [keyHash, '/second']);
    });
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/second' }]);
  });

  it('whose last write fails is undone, and says why', async () => {
    const transactions = app.nest.get(Transactions);
    const database = app.nest.get(Database);
    const keyHash = await row();
    for (let time = 0; time < 3; time++) {
      const failing = transactions.run(async () => {
        await database.query(setPath, [keyHash, '/undone']);
        // Not null.
        void database.write(setPath, [keyHash, null]);
      });
      await expect(failing).rejects.toMatchObject({ code: '23502' });
    }
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('sends what is asked for in one turn together, and each asker gets the answer to its own', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const ask = () =>
      app.nest.get(Transactions).run(async () => {
        const before = database.one(pathOf, [keyHash]);
        void database.write(setPath, [keyHash, '/changed']);
        return Promise.all([before, database.one(pathOf, [keyHash]), database.one('select 1 as one')]);
      });
    await ask();
    await database.query(setPath, [keyHash, '/again']);
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
      await database.query('select 1');
      late = over.then(() => database.query(setPath, [keyHash, '/late']));
      late.catch(() => undefined);
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    end();
    await expect(late).rejects.toThrow('The transaction is over');
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('that ignores a failure fails with it nevertheless', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const passing = app.nest.get(Transactions).run(async () => {
      await database.query(setPath, [keyHash, '/undone']);
      await database.query('select 1 / 0').catch(() => undefined);
      await database.query('select 1').catch(() => undefined);
    });
    await expect(passing).rejects.toMatchObject({ code: '22012' });
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('reports to TypeORM the write that failed before its statement', async () => {
    const database = app.nest.get(Database);
    const failing = app.nest.get(Transactions).run(async () => {
      void database.write('select 1 / $1::int', [0]);
      await database.manager.query('select 1');
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
  });

  it('commits with its last statement, and takes nothing more', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    const ask = (path: string) =>
      app.nest.get(Transactions).run(async () => {
        void database.write(setPath, [keyHash, path]);
        const rows = await database.last(pathOf, [keyHash]);
        expect(() => database.write(setPath, [keyHash, '/late'])).toThrow('The transaction is over');
        expect(() => currentTransaction()!.addEvent({} as DomainEvent)).toThrow('The transaction is over');
        return rows;
      });
    await ask('/once');
    await database.query(pathOf, [keyHash]);
    const trips = await roundTripsOf(async () => expect(await ask('/last')).toEqual([{ path: '/last' }]));
    expect(trips.map((trip) => trip.length)).toEqual([4]);
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/last' }]);
  });

  it('is rolled back by a last statement that refuses, and earlier callers get their results', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    // The second time in one round trip.
    for (let time = 0; time < 2; time++) {
      const failing = app.nest.get(Transactions).run(async () => {
        void database.write(setPath, [keyHash, '/undone']);
        const [before, last] = await Promise.allSettled([
          database.one(pathOf, [keyHash]),
          database.last(`select case when $1::text = '' then true else refuse($1) end`, ['not today']),
        ]);
        expect(before).toEqual({ status: 'fulfilled', value: { path: '/undone' } });
        expect(refusalIn((last as PromiseRejectedResult).reason)).toBe('not today');
        throw (last as PromiseRejectedResult).reason;
      });
      await expect(failing).rejects.toMatchObject({ code: 'RF001' });
      expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
    }
  });

  it('that fails behind its last statement is committed, and what waits for that is done', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    let done = 0;
    const failing = app.nest.get(Transactions).run(async () => {
      currentTransaction()!.onCommit(() => done++);
      await database.last(setPath, [keyHash, '/kept']);
      expect(done).toBe(0);
      throw new Error('too late');
    });
    await expect(failing).rejects.toThrow('too late');
    expect(done).toBe(1);
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/kept' }]);
  });

  it('does nothing that waits for COMMIT when it is undone', async () => {
    const database = app.nest.get(Database);
    let done = 0;
    const failing = app.nest.get(Transactions).run(async () => {
      currentTransaction()!.onCommit(() => done++);
      await database.last(`select refuse('not today')`, []);
    });
    await expect(failing).rejects.toMatchObject({ code: 'RF001' });
    expect(done).toBe(0);
  });

  it('is not committed by the last statement of one inside it', async () => {
    const database = app.nest.get(Database);
    const transactions = app.nest.get(Transactions);
    const keyHash = await row();
    const failing = transactions.run(async () => {
      await transactions.run(() => database.last(setPath, [keyHash, '/inner']));
      expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/inner' }]);
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('lets what must stay committed go ahead of it, in the same round trip, and later beside it', async () => {
    const database = app.nest.get(Database);
    const separate = app.nest.get(SeparateConnections);
    const [ahead, beside, inside] = [await row(), await row(), await row()];
    const failing = () =>
      app.nest.get(Transactions).run(async () => {
        await Promise.all([separate.query(setPath, [ahead, '/kept']), database.query(setPath, [inside, '/undone'])]);
        await separate.query(setPath, [beside, '/kept']);
        throw new Error('after all');
      });
    // A statement shares a round trip after its connection has prepared it.
    for (let time = 0; time < 3; time++) await expect(failing()).rejects.toThrow('after all');
    const trips = await roundTripsOf(() => expect(failing()).rejects.toThrow('after all'));
    expect(trips.map((trip) => trip.map(({ text }) => text.trim().slice(0, 6)))).toEqual([
      ['begin', 'update', 'commit', 'begin', 'update'],
      ['update'],
      ['rollba'],
    ]);
    for (const [keyHash, path] of [
      [ahead, '/kept'],
      [beside, '/kept'],
      [inside, '/'],
    ])
      expect(await database.query(pathOf, [keyHash])).toEqual([{ path }]);
  });

  it('waits for what is under way before it is undone', async () => {
    const database = app.nest.get(Database);
    const keyHash = await row();
    let slow: Promise<unknown> = Promise.resolve();
    const failing = app.nest.get(Transactions).run(async () => {
      await database.query('select 1');
      slow = database.query('select pg_sleep(0.2)').then(() => database.query(setPath, [keyHash, '/late']));
      slow.catch(() => undefined);
      await Promise.resolve();
      throw new Error('after all');
    });
    await expect(failing).rejects.toThrow('after all');
    await expect(slow).rejects.toThrow('The transaction is over');
    expect(await database.query(pathOf, [keyHash])).toEqual([{ path: '/' }]);
  });

  it('serves TypeORM on the same connection, whichever begins first', async () => {
    const database = app.nest.get(Database);
    const ids = await app.nest.get(Transactions).run(async () => {
      const id = 'select pg_current_xact_id()::text as id';
      const [one] = (await database.manager.query(id)) as { id: string }[];
      return [one!.id, (await database.one<{ id: string }>(id))!.id];
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
