import type { AppId } from '../../../src/kernel/ids.js';
import { JobRefused } from '../../../src/kernel/jobs.js';
import { eventually } from '../../support/eventually.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { roundTripsOf } from '../../support/statements.js';
import { claimsOf, gate, replicasOfTest, rows } from './replica.js';

const replica = replicasOfTest();

describe('a job', () => {
  it('runs once, soon after the transaction that stored it has committed, and is deleted', async () => {
    // It does not poll after its start, so the commit must have caused the claim.
    const worker = await replica({ settings: { pollSeconds: 3_600 } });
    const done: unknown[] = [];
    worker.jobs.handle('mail', async (payload, attempt) => void done.push([payload, attempt]));
    const beside = gate();
    worker.jobs.handle('other', async () => beside.open());
    await worker.start();
    const stored = gate();
    const storedBeside = stored.opened.then(() => worker.enqueue({ kind: 'other', payload: {} }));
    await worker.transactions.run(async () => {
      worker.jobs.enqueue({ kind: 'mail', payload: { to: 'ann@example.com', text: 'ü\n' } });
      stored.open();
      await storedBeside;
      await beside.opened;
      expect(done).toEqual([]);
    });
    await eventually(() => expect(done).toEqual([[{ to: 'ann@example.com', text: 'ü\n' }, 1]]));
    await eventually(async () => expect(await rows(worker)).toEqual([]));
    expect(done).toHaveLength(1);
  });

  it('is refused outside a transaction, which would leave its caller no way to wait until it is stored', async () => {
    const worker = await replica();
    expect(() => worker.jobs.enqueue({ kind: 'mail', payload: {} })).toThrow('outside a transaction');
    expect(await rows(worker)).toEqual([]);
  });

  it('waits for a free worker slot when a transaction stores more jobs than there are slots', async () => {
    const worker = await replica();
    const done: unknown[] = [];
    let [atOnce, most] = [0, 0];
    worker.jobs.handle('mail', async ({ n }, attempt) => {
      most = Math.max(most, ++atOnce);
      await sleep(20);
      done.push([n, attempt]);
      atOnce--;
    });
    await worker.start();
    await worker.transactions.run(async () => {
      for (let n = 0; n < 30; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    });
    await eventually(() => expect(done).toHaveLength(30));
    expect(new Set(done)).toEqual(new Set(Array.from({ length: 30 }, (_, n) => [n, 1])));
    expect(most).toBeLessThanOrEqual(8);
    await eventually(async () => expect(await rows(worker)).toEqual([]));
  });

  it('runs beside jobs of another kind that hold all slots of that kind', async () => {
    const worker = await replica({ settings: { pollSeconds: 3_600 } });
    const server = gate();
    let hanging = 0;
    const hang = async (): Promise<void> => {
      hanging++;
      await server.opened;
    };
    worker.jobs.handle('mail', hang, undefined, true);
    const ran = { sms: gate(), other: gate() };
    worker.jobs.handle('sms', async () => ran.sms.open(), undefined, true);
    worker.jobs.handle('other', async () => ran.other.open());
    await worker.start();
    await worker.transactions.run(async () => {
      for (let n = 0; n < 30; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    });
    await eventually(() => expect(hanging).toBe(8));
    await worker.enqueue({ kind: 'sms', payload: {} });
    await worker.enqueue({ kind: 'other', payload: {} });
    await Promise.all([ran.sms.opened, ran.other.opened]);
    expect(hanging).toBe(8);
    server.open();
  });

  it('is deleted together with jobs that are done at the same time', async () => {
    const worker = await replica();
    const release = gate();
    worker.jobs.handle('mail', () => release.opened);
    // Its loop begins within, so its statements are among them.
    const trips = await roundTripsOf(async () => {
      await worker.start();
      await worker.transactions.run(async () => {
        for (let n = 0; n < 8; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
      });
      await eventually(async () => expect((await rows(worker)).filter(({ lease }) => lease)).toHaveLength(8));
      release.open();
      await eventually(async () => expect(await rows(worker)).toEqual([]));
    });
    expect(trips.flat().filter(({ text }) => text.startsWith('delete from jobs'))).toHaveLength(1);
  });

  it('is deleted by the second statement when the first fails, and so runs once', async () => {
    const worker = await replica();
    const runs = new Map<unknown, number>();
    worker.jobs.handle('mail', async ({ n }) => void runs.set(n, (runs.get(n) ?? 0) + 1));
    await worker.start();
    await worker.database.write(`
      create function refuse_once() returns trigger language plpgsql as $$
      begin
        if nextval('deletions') = 1 then raise exception 'not now'; end if;
        return old;
      end $$`);
    await worker.database.write(`create sequence deletions`);
    await worker.database.write(
      `create trigger refuse_once before delete on jobs for each row execute function refuse_once()`,
    );
    await worker.transactions.run(async () => {
      for (let n = 0; n < 8; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    });
    await eventually(async () => expect(await rows(worker)).toEqual([]));
    expect([...runs.values()]).toEqual(Array.from({ length: 8 }, () => 1));
  });

  it('that is done frees its worker slot before its end is stored', async () => {
    const [worker, other] = [await replica(), await replica()];
    const done: unknown[] = [];
    worker.jobs.handle('mail', async ({ n }) => void done.push(n));
    const locked = gate();
    const store = gate();
    const ids = Array.from({ length: 8 }, (_, n) => `first ${n}`);
    worker.jobs.handle('held', () => locked.opened);
    await worker.start();
    await worker.transactions.run(async () => {
      for (const n of ids) await worker.enqueue({ kind: 'held', payload: { n } });
    });
    const holding = other.transactions.run(async () => {
      await other.database.write(`select from jobs where kind = 'held' for update`);
      locked.open();
      await store.opened;
    });
    await locked.opened;
    for (let n = 0; n < 20; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    await eventually(() => expect(done).toHaveLength(20));
    expect(await worker.database.write(`select from jobs where kind = 'held'`)).toHaveLength(8);
    store.open();
    await holding;
    await eventually(async () => expect(await rows(worker)).toEqual([]));
  });

  it('is rolled back with the transaction that stored it', async () => {
    const worker = await replica();
    const done: unknown[] = [];
    worker.jobs.handle('mail', async (payload) => void done.push(payload));
    await worker.start();
    const failed = worker.transactions.run(async () => {
      await worker.enqueue({ kind: 'mail', payload: {} });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await rows(worker)).toEqual([]);
    await claimsOf(worker);
    expect(done).toEqual([]);
  });

  it('is found by other processes, and not begun before its time', async () => {
    const [api, worker] = [await replica({ role: 'api' }), await replica({ role: 'worker' })];
    const done: string[] = [];
    api.jobs.handle('mail', async () => void done.push('api'));
    worker.jobs.handle('mail', async ({ name }) => void done.push(name as string));
    await Promise.all([api.start(), worker.start()]);
    await api.enqueue({ kind: 'mail', payload: { name: 'later' }, runAt: new Date(Date.now() + 3_600_000) });
    await api.enqueue({ kind: 'mail', payload: { name: 'now' } });
    await eventually(() => expect(done).toEqual(['now']));
    await claimsOf(worker);
    expect(done).toEqual(['now']);
    await api.database.write(`update jobs set due_at = now() where attempt = 0`);
    await eventually(() => expect(done).toEqual(['now', 'later']));
  });

  it('of a kind without a handler stays for other processes', async () => {
    const worker = await replica();
    await worker.start();
    await worker.enqueue({ kind: 'unknown', payload: {} });
    await claimsOf(worker);
    await eventually(async () =>
      expect(await rows(worker)).toMatchObject([{ kind: 'unknown', attempt: 0, lease: null }]),
    );
  });

  it('keeps its payload sealed, bound to its row', async () => {
    const worker = await replica({ role: 'api' });
    await worker.enqueue({ kind: 'mail', payload: { token: 'canary-token' } });
    const [dump] = await worker.database.write<{ text: string; payload: Buffer }>(
      `select jobs::text as text, payload from jobs`,
    );
    expect(dump!.text).not.toContain(Buffer.from('canary').toString('hex'));
    expect(dump!.payload.includes('canary')).toBe(false);
    await worker.database.write(`update jobs set id = 'another'`);
    const [moved] = await worker.queue.claim(['mail'], 1, 10);
    expect(() => worker.queue.open(moved!)).toThrow();
  });

  it('with a unique key waits once, but may wait again while it runs', async () => {
    const worker = await replica();
    const release = gate();
    let runs = 0;
    worker.jobs.handle('sync', async () => {
      runs++;
      await release.opened;
    });
    const enqueue = () => worker.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'wallet_1' });
    await Promise.all(Array.from({ length: 20 }, enqueue));
    expect(await rows(worker)).toHaveLength(1);
    await worker.start();
    await eventually(() => expect(runs).toBe(1));
    await worker.transactions.run(async () => {
      for (let i = 0; i < 20; i++) await enqueue();
    });
    await eventually(() => expect(runs).toBe(2));
    release.open();
    await eventually(async () => expect(await rows(worker)).toEqual([]));
    expect(runs).toBe(2);
  });

  it('with a unique key that waits does not begin before the COMMIT of a transaction that counts on it', async () => {
    const worker = await replica();
    const job = { kind: 'sync', payload: {}, uniqueKey: 'w' };
    await worker.enqueue(job);
    const [stored, end] = [gate(), gate()];
    const counting = worker.transactions.run(async () => {
      worker.jobs.enqueue(job);
      await worker.database.read('select 1');
      stored.open();
      await end.opened;
    });
    await stored.opened;
    // What the transaction changes is not visible yet, so the job would miss it.
    expect(await worker.queue.claim(['sync'], 10, 10)).toEqual([]);
    end.open();
    await counting;
    expect(await worker.queue.claim(['sync'], 10, 10)).toHaveLength(1);
    expect(await rows(worker)).toHaveLength(1);
  });

  it('with a unique key that fails is dropped when a job with the same key waits', async () => {
    const worker = await replica();
    const [claimed] = await (async () => {
      await worker.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'w' });
      return worker.queue.claim(['sync'], 1, 10);
    })();
    await worker.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'w' });
    await worker.queue.record([{ job: claimed!, outcome: 'again', waitSeconds: 0, error: 'failed' }]);
    expect(await rows(worker)).toMatchObject([{ attempt: 0, error: null }]);
  });
});

describe('what follows from jobs being done', () => {
  it('is stored once for all that are deleted together, with their payloads, and not for a job that failed', async () => {
    const worker = await replica();
    const [batches, release] = [[] as unknown[][], gate()];
    const handler = async ({ n }: { readonly n?: unknown }): Promise<void> => {
      await release.opened;
      if (n === 'bad') throw new JobRefused('bad');
    };
    worker.jobs.handle('mail', handler, (payloads) => void batches.push(payloads.map(({ n }) => n)));
    worker.jobs.handle('other', handler);
    for (const n of [1, 2, 3, 'bad']) await worker.enqueue({ kind: 'mail', payload: { n } });
    await worker.enqueue({ kind: 'other', payload: { n: 5 } });
    await worker.start();
    release.open();
    await eventually(async () => expect(await rows(worker)).toMatchObject([{ kind: 'mail', attempt: 1 }]));
    expect(batches).toHaveLength(1);
    expect(new Set(batches[0])).toEqual(new Set([1, 2, 3]));
  });

  it('is stored with their deletion or not at all', async () => {
    const worker = await replica();
    worker.jobs.handle(
      'mail',
      async () => undefined,
      () => {
        void worker.database.write(`insert into jobs (id, kind) values ('follows', 'other')`);
        void worker.database.write('select 1 / 0');
      },
    );
    await worker.enqueue({ kind: 'mail', payload: {} });
    await worker.start();
    await eventually(async () => expect(await worker.dead.list(10)).toMatchObject([{ kind: 'mail' }]));
    expect(await rows(worker)).toMatchObject([{ kind: 'mail' }]);
  });
});

describe('what follows from a job and cannot be stored', () => {
  it('makes that job fail, and no job that ended with it', async () => {
    const worker = await replica();
    const runs = new Map<unknown, number>();
    const release = gate();
    worker.jobs.handle(
      'mail',
      async ({ n }) => {
        await release.opened;
        runs.set(n, (runs.get(n) ?? 0) + 1);
      },
      (payloads) => void worker.database.write('select 1 / $1::int', [payloads.some(({ n }) => n === 'bad') ? 0 : 1]),
    );
    for (const n of [1, 'bad', 2]) await worker.enqueue({ kind: 'mail', payload: { n } });
    await worker.start();
    release.open();
    await eventually(async () => expect(await worker.dead.list(10)).toMatchObject([{ kind: 'mail', attempts: 4 }]));
    expect(await rows(worker)).toHaveLength(1);
    expect(Object.fromEntries(runs)).toEqual({ 1: 1, 2: 1, bad: 4 });
  });

  it('stops further jobs while it waits', async () => {
    const [worker, other] = [await replica(), await replica({ role: 'api' })];
    const release = gate();
    const held = gate();
    let runs = 0;
    worker.jobs.handle(
      'mail',
      async () => void runs++,
      () => void worker.database.write(`update jobs set error = 'done' where id = 'locked'`),
    );
    await worker.database.write(`insert into jobs (id, kind) values ('locked', 'none')`);
    const holder = other.transactions.run(async () => {
      await other.database.write(`select from jobs where id = 'locked' for update`);
      held.open();
      await release.opened;
    });
    await held.opened;
    for (let n = 0; n < 100; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    await worker.start();
    // 64 that wait to be stored, and one in each of the 8 slots.
    await eventually(() => expect(runs).toBe(72));
    await other.database.write('select pg_sleep(0.3)');
    expect(runs).toBe(72);
    release.open();
    await holder;
    await eventually(async () => expect(await rows(worker)).toMatchObject([{ kind: 'none', error: 'done' }]));
    expect(runs).toBe(100);
  });
});

describe('a job that fails', () => {
  it('is tried again with growing pauses until it succeeds', async () => {
    const worker = await replica();
    const begun: number[] = [];
    worker.jobs.handle('mail', async (_, attempt) => {
      begun.push(performance.now());
      if (attempt < 4) throw new Error('server down');
    });
    await worker.start();
    await worker.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () => expect(await rows(worker)).toEqual([]));
    const pauses = begun.slice(1).map((at, i) => at - begun[i]!);
    expect(pauses).toHaveLength(3);
    expect(pauses[0]).toBeGreaterThanOrEqual(100);
    expect(pauses[1]).toBeGreaterThanOrEqual(200);
    expect(pauses[2]).toBeGreaterThanOrEqual(400);
  });

  it('is dead after its last attempt, with its error but without secrets, and can be revived', async () => {
    const worker = await replica();
    let isRepaired = false;
    let runs = 0;
    worker.jobs.handle('mail', async () => {
      runs++;
      if (isRepaired) return;
      const message = '550 <ann@example.com> code 123456 https://x.example/?token=canarycanarycanary';
      throw Object.assign(new TypeError(message), { code: 'EENVELOPE' });
    });
    await worker.start();
    await worker.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () => expect(await worker.dead.list(10)).toHaveLength(1));
    const [dead] = await worker.dead.list(10);
    expect(dead).toMatchObject({
      kind: 'mail',
      attempts: 4,
      error: 'TypeError EENVELOPE: 550 … code … https://x.example/?…',
    });
    expect(worker.lines.join()).toContain('job is dead');
    expect(worker.lines.join()).not.toMatch(/ann@|123456|canary/);
    expect(runs).toBe(4);
    isRepaired = true;
    await expect(worker.dead.revive(dead!.id)).resolves.toBe(true);
    await expect(worker.dead.revive(dead!.id)).resolves.toBe(false);
    await eventually(async () => expect(await rows(worker)).toEqual([]));
  });

  it('is dead at once when its handler refuses it', async () => {
    const worker = await replica();
    worker.jobs.handle('mail', async () => {
      throw new JobRefused('no such recipient');
    });
    await worker.start();
    await worker.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () =>
      expect(await worker.dead.list(10)).toMatchObject([{ attempts: 1, error: 'JobRefused: no such recipient' }]),
    );
  });

  it('does not delay other jobs', async () => {
    const worker = await replica();
    const done: unknown[] = [];
    worker.jobs.handle('bad', async () => {
      throw new Error('no');
    });
    worker.jobs.handle('good', async (payload) => void done.push(payload['n']));
    await worker.start();
    for (let n = 0; n < 20; n++) {
      await worker.enqueue({ kind: 'bad', payload: {} });
      await worker.enqueue({ kind: 'good', payload: { n } });
    }
    await eventually(() => expect(done).toHaveLength(20));
  });
});

describe('the jobs of one app', () => {
  const [loud, quiet] = ['app_loud' as AppId, 'app_quiet' as AppId];

  it('do not delay a job of another app, however many are stored', async () => {
    const worker = await replica();
    const done: unknown[] = [];
    worker.jobs.handle('mail', async ({ app }) => void done.push(app));
    const started = performance.now();
    for (let batch = 0; batch < 5; batch++) {
      await worker.transactions.run(async () => {
        for (let n = 0; n < 100; n++) await worker.enqueue({ kind: 'mail', appId: loud, payload: { app: loud } });
      });
    }
    await worker.enqueue({ kind: 'mail', appId: quiet, payload: { app: quiet } });
    const withinShare = 50 * ((performance.now() - started) / 1000);
    await worker.start();
    await eventually(() => expect(done).toHaveLength(501));
    // Jobs of the same claim may run in any order.
    expect(done.indexOf(quiet)).toBeLessThanOrEqual(withinShare + 8);
  });

  it('run at once while worker slots are free, however late they rank', async () => {
    const worker = await replica({ role: 'api' });
    await worker.transactions.run(async () => {
      for (let n = 0; n < 10; n++) worker.queue.add({ kind: 'mail', payload: {} }, 3_600);
    });
    await expect(worker.queue.claim(['mail'], 6, 60)).resolves.toHaveLength(6);
    await expect(worker.queue.claim(['mail'], 6, 60)).resolves.toHaveLength(4);
  });

  it('run by rank, and before any job that ranks later', async () => {
    const worker = await replica({ role: 'api' });
    await worker.transactions.run(async () => {
      worker.queue.add({ kind: 'later', payload: {} }, 60);
      for (const kind of ['first', 'second']) worker.queue.add({ kind, payload: {} }, 0);
    });
    const kinds = ['first', 'second', 'later'];
    const claimed = [];
    for (let n = 0; n < 3; n++) claimed.push(...(await worker.queue.claim(kinds, 1, 60)));
    expect(claimed.map(({ kind }) => kind)).toEqual(kinds);
  });
});
