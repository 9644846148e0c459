import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { JobRefused } from '../../../src/kernel/jobs.js';
import { JobQueue } from '../../../src/services/jobs/job-queue.js';
import { ROOT } from '../../../src/edge/root.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { roundTripsOf } from '../../support/statements.js';
import { type Replica, startReplica } from './replica.js';

let database: TestDatabase;
const replicas: Replica[] = [];
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await Promise.all(replicas.splice(0).map(({ stop }) => stop()));
  await database.drop();
});

async function replica(options?: Parameters<typeof startReplica>[1]): Promise<Replica> {
  const started = await startReplica(database.url, options);
  replicas.push(started);
  return started;
}

function rows(from: Replica) {
  return from.database.query<{ kind: string; attempt: number; lease: string | null; error: string | null }>(
    `select kind, attempt, lease, error from jobs order by created_at`,
  );
}

/** A gate that opens once. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

let probes = 0;
/** Resolves when `worker` has claimed what was due in the table for it before this call, and begun it. */
async function claimsOf(worker: Replica): Promise<void> {
  const kind = `probe ${probes++}`;
  const begun = gate();
  worker.jobs.handle(kind, async () => begun.open());
  // With a time it is for the table to judge, so it is claimed like the jobs of other processes.
  await worker.jobs.enqueue({ kind, payload: {}, runAt: new Date() });
  await begun.opened;
}

/** Resolves when heartbeats have moved the ends of all leases. */
async function heartbeatOf(worker: Replica): Promise<void> {
  const ends = () =>
    worker.database.one<{ first: Date; last: Date }>(
      'select min(due_at) as first, max(due_at) as last from jobs where lease is not null',
    );
  const before = await ends();
  await eventually(async () => expect(Number((await ends())!.first)).toBeGreaterThan(Number(before!.last)));
}

describe('a job', () => {
  it('runs once, soon after the transaction that stored it has committed, and is gone', async () => {
    // It never polls after its start, so a job that runs was begun by the commit.
    const one = await replica({ timing: { poll: 3_600 } });
    const done: unknown[] = [];
    one.jobs.handle('mail', async (payload, attempt) => void done.push([payload, attempt]));
    const other = gate();
    one.jobs.handle('other', async () => other.open());
    await one.start();
    const stored = gate();
    const beside = stored.opened.then(() => one.jobs.enqueue({ kind: 'other', payload: {} }));
    await one.transactions.run(async () => {
      await one.jobs.enqueue({ kind: 'mail', payload: { to: 'ann@example.com', text: 'ü\n' } });
      stored.open();
      await beside;
      await other.opened;
      expect(done).toEqual([]);
    });
    await eventually(() => expect(done).toEqual([[{ to: 'ann@example.com', text: 'ü\n' }, 1]]));
    await eventually(async () => expect(await rows(one)).toEqual([]));
    expect(done).toHaveLength(1);
  });

  it('is of the process that stored it from the start, which so has no need to look for it', async () => {
    const one = await replica();
    const release = gate();
    const attempts: number[] = [];
    one.jobs.handle('mail', async (_, attempt) => {
      attempts.push(attempt);
      await release.opened;
    });
    await one.start();
    await one.transactions.run(async () => {
      await one.jobs.enqueue({ kind: 'mail', payload: {} });
      expect(await rows(one)).toMatchObject([{ attempt: 1, lease: expect.any(String) }]);
    });
    expect(attempts).toEqual([1]);
    release.open();
    await eventually(async () => expect(await rows(one)).toEqual([]));
  });

  it('waits for a free hand where one transaction stores more than there are', async () => {
    const one = await replica();
    const done: unknown[] = [];
    let [atOnce, most] = [0, 0];
    one.jobs.handle('mail', async ({ n }, attempt) => {
      most = Math.max(most, ++atOnce);
      await sleep(20);
      done.push([n, attempt]);
      atOnce--;
    });
    await one.start();
    await one.transactions.run(async () => {
      for (let n = 0; n < 30; n++) await one.jobs.enqueue({ kind: 'mail', payload: { n } });
    });
    await eventually(() => expect(done).toHaveLength(30));
    expect(new Set(done)).toEqual(new Set(Array.from({ length: 30 }, (_, n) => [n, 1])));
    expect(most).toBeLessThanOrEqual(8);
    await eventually(async () => expect(await rows(one)).toEqual([]));
  });

  it('done together with others is deleted together with them', async () => {
    const one = await replica();
    const release = gate();
    one.jobs.handle('mail', () => release.opened);
    await one.start();
    await one.transactions.run(async () => {
      for (let n = 0; n < 8; n++) await one.jobs.enqueue({ kind: 'mail', payload: { n } });
    });
    const trips = await roundTripsOf(async () => {
      release.open();
      await eventually(async () => expect(await rows(one)).toEqual([]));
    });
    expect(trips.flat().filter(({ text }) => text.startsWith('delete from jobs'))).toHaveLength(1);
  });

  it('is deleted all the same when that fails once, and so runs once', async () => {
    const one = await replica();
    const runs = new Map<unknown, number>();
    one.jobs.handle('mail', async ({ n }) => void runs.set(n, (runs.get(n) ?? 0) + 1));
    await one.start();
    await one.database.query(`
      create function refuse_once() returns trigger language plpgsql as $$
      begin
        if nextval('deletions') = 1 then raise exception 'not now'; end if;
        return old;
      end $$`);
    await one.database.query(`create sequence deletions`);
    await one.database.query(
      `create trigger refuse_once before delete on jobs for each row execute function refuse_once()`,
    );
    await one.transactions.run(async () => {
      for (let n = 0; n < 8; n++) await one.jobs.enqueue({ kind: 'mail', payload: { n } });
    });
    await eventually(async () => expect(await rows(one)).toEqual([]));
    expect([...runs.values()]).toEqual(Array.from({ length: 8 }, () => 1));
  });

  it('that is done leaves its hand to others while its end is not stored yet', async () => {
    const [one, other] = [await replica(), await replica()];
    const done: unknown[] = [];
    one.jobs.handle('mail', async ({ n }) => void done.push(n));
    const locked = gate();
    const store = gate();
    const ids = Array.from({ length: 8 }, (_, n) => `first ${n}`);
    one.jobs.handle('held', () => locked.opened);
    await one.start();
    await one.transactions.run(async () => {
      for (const n of ids) await one.jobs.enqueue({ kind: 'held', payload: { n } });
    });
    const holding = other.transactions.run(async () => {
      await other.database.query(`select from jobs where kind = 'held' for update`);
      locked.open();
      await store.opened;
    });
    await locked.opened;
    for (let n = 0; n < 20; n++) await one.jobs.enqueue({ kind: 'mail', payload: { n } });
    await eventually(() => expect(done).toHaveLength(20));
    expect(await one.database.query(`select from jobs where kind = 'held'`)).toHaveLength(8);
    store.open();
    await holding;
    await eventually(async () => expect(await rows(one)).toEqual([]));
  });

  it('runs once though its transaction took longer than a lease', async () => {
    // No heartbeat may renew the lease that is over.
    const [one, other] = [await replica({ timing: { heartbeat: 30 } }), await replica()];
    const release = gate();
    let runs = 0;
    for (const { jobs, start } of [one, other]) {
      jobs.handle('mail', async () => {
        runs++;
        await release.opened;
      });
      await start();
    }
    const begun = performance.now();
    try {
      await one.transactions.run(async () => {
        await one.jobs.enqueue({ kind: 'mail', payload: {} });
        // 70 seconds pass, by the clock of the process and by that of the database.
        jest.spyOn(performance, 'now').mockReturnValue(begun + 70_000);
        await one.database.query(`update jobs set due_at = due_at - interval '70 s'`);
      });
    } finally {
      jest.restoreAllMocks();
    }
    await claimsOf(other);
    await claimsOf(one);
    await eventually(() => expect(runs).toBe(1));
    release.open();
    await eventually(async () => expect(await rows(one)).toEqual([]));
    expect(runs).toBe(1);
  });

  it('is gone with the transaction that stored it when that is rolled back', async () => {
    const one = await replica();
    const done: unknown[] = [];
    one.jobs.handle('mail', async (payload) => void done.push(payload));
    await one.start();
    const failed = one.transactions.run(async () => {
      await one.jobs.enqueue({ kind: 'mail', payload: {} });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await rows(one)).toEqual([]);
    await claimsOf(one);
    expect(done).toEqual([]);
  });

  it('is found by other processes, and not begun before its time', async () => {
    const [api, worker] = [await replica({ role: 'api' }), await replica({ role: 'worker' })];
    const done: string[] = [];
    api.jobs.handle('mail', async () => void done.push('api'));
    worker.jobs.handle('mail', async ({ name }) => void done.push(name as string));
    await Promise.all([api.start(), worker.start()]);
    await api.jobs.enqueue({ kind: 'mail', payload: { name: 'later' }, runAt: new Date(Date.now() + 3_600_000) });
    await api.jobs.enqueue({ kind: 'mail', payload: { name: 'now' } });
    await eventually(() => expect(done).toEqual(['now']));
    await claimsOf(worker);
    expect(done).toEqual(['now']);
    await api.database.query(`update jobs set due_at = now() where attempt = 0`);
    await eventually(() => expect(done).toEqual(['now', 'later']));
  });

  it('of a kind nobody here handles is left for others', async () => {
    const one = await replica();
    await one.start();
    await one.jobs.enqueue({ kind: 'unknown', payload: {} });
    await claimsOf(one);
    await eventually(async () => expect(await rows(one)).toMatchObject([{ kind: 'unknown', attempt: 0, lease: null }]));
  });

  it('keeps its payload sealed, bound to its row', async () => {
    const one = await replica({ role: 'api' });
    await one.jobs.enqueue({ kind: 'mail', payload: { token: 'canary-token' } });
    const [dump] = await one.database.query<{ text: string; payload: Buffer }>(
      `select jobs::text as text, payload from jobs`,
    );
    expect(dump!.text).not.toContain(Buffer.from('canary').toString('hex'));
    expect(dump!.payload.includes('canary')).toBe(false);
    await one.database.query(`update jobs set id = 'another'`);
    const [moved] = await one.queue.claim(['mail'], 1, 10);
    expect(() => one.queue.open(moved!)).toThrow();
  });

  it('with a unique key waits once, but may wait again while it runs', async () => {
    const one = await replica();
    const release = gate();
    let runs = 0;
    one.jobs.handle('sync', async () => {
      runs++;
      await release.opened;
    });
    const enqueue = () => one.jobs.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'wallet_1' });
    await Promise.all(Array.from({ length: 20 }, enqueue));
    expect(await rows(one)).toHaveLength(1);
    await one.start();
    await eventually(() => expect(runs).toBe(1));
    await one.transactions.run(async () => {
      for (let i = 0; i < 20; i++) await enqueue();
    });
    await eventually(() => expect(runs).toBe(2));
    release.open();
    await eventually(async () => expect(await rows(one)).toEqual([]));
    expect(runs).toBe(2);
  });

  it('with a unique key that fails while its like waits leaves the work to that one', async () => {
    const one = await replica();
    const [claimed] = await (async () => {
      await one.jobs.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'w' });
      return one.queue.claim(['sync'], 1, 10);
    })();
    await one.jobs.enqueue({ kind: 'sync', payload: {}, uniqueKey: 'w' });
    await one.queue.retryIn(claimed!, 0, 'failed');
    expect(await rows(one)).toMatchObject([{ attempt: 0, error: null }]);
  });
});

describe('a job that fails', () => {
  it('is tried again with growing pauses until it succeeds', async () => {
    const one = await replica();
    const begun: number[] = [];
    one.jobs.handle('mail', async (_, attempt) => {
      begun.push(performance.now());
      if (attempt < 4) throw new Error('server down');
    });
    await one.start();
    await one.jobs.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () => expect(await rows(one)).toEqual([]));
    const pauses = begun.slice(1).map((at, i) => at - begun[i]!);
    expect(pauses).toHaveLength(3);
    expect(pauses[0]).toBeGreaterThanOrEqual(100);
    expect(pauses[1]).toBeGreaterThanOrEqual(200);
    expect(pauses[2]).toBeGreaterThanOrEqual(400);
  });

  it('is dead after its last attempt, with its error but nobody else’s secrets, and can be revived', async () => {
    const one = await replica();
    let isMended = false;
    let runs = 0;
    one.jobs.handle('mail', async () => {
      runs++;
      if (isMended) return;
      const message = '550 <ann@example.com> code 123456 https://x.example/?token=canarycanarycanary';
      throw Object.assign(new TypeError(message), { code: 'EENVELOPE' });
    });
    await one.start();
    await one.jobs.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () => expect(await one.queue.dead(10)).toHaveLength(1));
    const [dead] = await one.queue.dead(10);
    expect(dead).toMatchObject({
      kind: 'mail',
      attempts: 4,
      error: 'TypeError EENVELOPE: 550 … code … https://x.example/?…',
    });
    expect(one.lines.join()).toContain('job is dead');
    expect(one.lines.join()).not.toMatch(/ann@|123456|canary/);
    expect(runs).toBe(4);
    isMended = true;
    await expect(one.queue.revive(dead!.id)).resolves.toBe(true);
    await expect(one.queue.revive(dead!.id)).resolves.toBe(false);
    await eventually(async () => expect(await rows(one)).toEqual([]));
  });

  it('is dead at once when its handler says that trying again cannot help', async () => {
    const one = await replica();
    one.jobs.handle('mail', async () => {
      throw new JobRefused('no such recipient');
    });
    await one.start();
    await one.jobs.enqueue({ kind: 'mail', payload: {} });
    await eventually(async () =>
      expect(await one.queue.dead(10)).toMatchObject([{ attempts: 1, error: 'JobRefused: no such recipient' }]),
    );
  });

  it('does not hold up others', async () => {
    const one = await replica();
    const done: unknown[] = [];
    one.jobs.handle('bad', async () => {
      throw new Error('no');
    });
    one.jobs.handle('good', async (payload) => void done.push(payload['n']));
    await one.start();
    for (let n = 0; n < 20; n++) {
      await one.jobs.enqueue({ kind: 'bad', payload: {} });
      await one.jobs.enqueue({ kind: 'good', payload: { n } });
    }
    await eventually(() => expect(done).toHaveLength(20));
  });
});

describe('several workers', () => {
  it('do 1,000 jobs between them, each exactly once', async () => {
    const workers = await Promise.all(Array.from({ length: 4 }, () => replica({ role: 'worker', poolSize: 4 })));
    const done = new Map<number, number>();
    const by = new Set<number>();
    const allBegan = gate();
    workers.forEach(({ jobs }, worker) =>
      jobs.handle('count', async ({ n }) => {
        by.add(worker);
        if (by.size === 4) allBegan.open();
        await allBegan.opened;
        done.set(n as number, (done.get(n as number) ?? 0) + 1);
      }),
    );
    const filler = await replica({ role: 'api' });
    await filler.transactions.run(async () => {
      for (let n = 0; n < 1000; n++) await filler.jobs.enqueue({ kind: 'count', payload: { n } });
    });
    await Promise.all(workers.map((worker) => worker.start()));
    await eventually(async () => expect(await rows(filler)).toEqual([]), 20);
    expect([done.size, Math.max(...done.values()), by.size]).toEqual([1000, 1, 4]);
  });

  it('never run one job at once, however long it takes', async () => {
    const workers = await Promise.all([replica(), replica(), replica()]);
    const release = gate();
    let [runs, atOnce, most] = [0, 0, 0];
    for (const { jobs, start } of workers) {
      jobs.handle('long', async () => {
        runs++;
        most = Math.max(most, ++atOnce);
        await release.opened;
        atOnce--;
      });
      await start();
    }
    await workers[0]!.jobs.enqueue({ kind: 'long', payload: {} });
    await eventually(() => expect(runs).toBe(1));
    await heartbeatOf(workers[0]!);
    for (const worker of workers) await claimsOf(worker);
    release.open();
    await eventually(async () => expect(await rows(workers[0]!)).toEqual([]));
    expect([runs, most]).toEqual([1, 1]);
  });

  it('leave to one of them what it keeps ready, however long its hands are full', async () => {
    const [one, other] = [await replica(), await replica()];
    const release = gate();
    const runs: unknown[] = [];
    const full = gate();
    one.jobs.handle('long', async ({ n }) => {
      runs.push(n);
      if (runs.length === 8) full.open();
      await release.opened;
    });
    other.jobs.handle('long', async ({ n }) => void runs.push(`other ${String(n)}`));
    await one.start();
    for (let n = 0; n < 20; n++) await one.jobs.enqueue({ kind: 'long', payload: { n } });
    await full.opened;
    await other.start();
    await heartbeatOf(one);
    await claimsOf(other);
    release.open();
    await eventually(async () => expect(await rows(one)).toEqual([]));
    expect(runs).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('run once what was ready in one that could not keep its leases', async () => {
    const [one, other] = [await replica({ timing: { lease: 1 } }), await replica()];
    const release = gate();
    let ended = 0;
    const [mine, theirs]: [unknown[], unknown[]] = [[], []];
    one.jobs.handle('long', async ({ n }) => {
      mine.push(n);
      await release.opened;
      ended++;
    });
    other.jobs.handle('long', async ({ n }) => void theirs.push(n));
    await one.start();
    for (let n = 0; n < 20; n++) await one.jobs.enqueue({ kind: 'long', payload: { n } });
    jest.spyOn(JobQueue.prototype, 'extend').mockRejectedValue(new Error('the database is away'));
    try {
      await other.start();
      await eventually(() => expect(theirs).toHaveLength(20));
    } finally {
      jest.restoreAllMocks();
    }
    // Two heartbeats later, which find nothing of theirs any more.
    const extend = jest.spyOn(one.queue, 'extend');
    await eventually(() => expect(extend.mock.calls.length).toBeGreaterThanOrEqual(3));
    extend.mockRestore();
    release.open();
    await eventually(() => expect(ended).toBe(8));
    await eventually(async () => expect(await rows(other)).toEqual([]));
    // What had been begun is run by both; nothing else is.
    expect(mine).toHaveLength(8);
    expect(theirs).toHaveLength(20);
  });

  it('take over the job of one that was killed', async () => {
    const one = await replica();
    await one.jobs.enqueue({ kind: 'hang', payload: { n: 7 } });
    const tsx = createRequire(join(ROOT, 'package.json')).resolve('tsx');
    const child = spawn(
      process.execPath,
      ['--import', pathToFileURL(tsx).href, join(ROOT, 'test/services/jobs/hang-on-a-job.ts'), database.url],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      expect(await once(createInterface(child.stdout), 'line')).toEqual(['1']);
      const done: unknown[] = [];
      one.jobs.handle('hang', async (payload, attempt) => void done.push([payload, attempt]));
      await one.start();
      await heartbeatOf(one);
      await claimsOf(one);
      expect(done).toEqual([]);
      child.kill('SIGKILL');
      await once(child, 'exit');
      // A lease later.
      await one.database.query(`update jobs set due_at = due_at - interval '60 s'`);
      await eventually(() => expect(done).toEqual([[{ n: 7 }, 2]]));
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('give up a job that brings its process down each time', async () => {
    const one = await replica();
    await one.jobs.enqueue({ kind: 'poison', payload: {} });
    for (let crash = 0; crash < 4; crash++) await one.queue.claim(['poison'], 1, 0);
    let runs = 0;
    one.jobs.handle('poison', async () => void runs++);
    await one.start();
    await eventually(async () => expect(await one.queue.dead(10)).toMatchObject([{ kind: 'poison' }]));
    expect(runs).toBe(0);
  });

  it('have no say over a job whose lease they lost', async () => {
    const one = await replica({ role: 'api' });
    await one.jobs.enqueue({ kind: 'slow', payload: {} });
    const [late] = await one.queue.claim(['slow'], 1, 0);
    const [current] = await one.queue.claim(['slow'], 1, 60);
    await one.queue.done(late!);
    await one.queue.retryIn(late!, 0, 'late');
    await one.queue.bury(late!, 'late');
    await one.queue.doneUntil(late!, 0);
    await one.queue.extend([late!], 0);
    expect(await rows(one)).toMatchObject([{ lease: current!.lease, attempt: 2, error: null }]);
    await expect(one.queue.claim(['slow'], 1, 60)).resolves.toEqual([]);
  });
});

describe('a schedule', () => {
  it('comes round in one replica at a time, and waits for the end of a run', async () => {
    const workers = await Promise.all([replica(), replica(), replica()]);
    const release = gate();
    let [runs, atOnce, most] = [0, 0, 0];
    for (const { jobs } of workers) {
      jobs.schedule('clean-up', 0.1, async () => {
        runs++;
        most = Math.max(most, ++atOnce);
        await release.opened;
        atOnce--;
      });
    }
    await Promise.all(workers.map(({ start }) => start()));
    await eventually(() => expect(runs).toBe(1));
    // Once its time has come again, each worker looks for what is due.
    await workers[0]!.database.query('select pg_sleep(0.2)');
    for (const worker of workers) await claimsOf(worker);
    expect(runs).toBe(1);
    release.open();
    await eventually(() => expect(runs).toBeGreaterThanOrEqual(4));
    expect(most).toBe(1);
  });

  it('keeps its time over a restart, unless it is to come round more often than that', async () => {
    const runsOf = async (every: number, atLeast: number) => {
      const one = await replica();
      let runs = 0;
      one.jobs.schedule('clean-up', every, async () => void runs++);
      await one.start();
      await claimsOf(one);
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(atLeast));
      await replicas.pop()!.stop();
      return runs;
    };
    expect(await runsOf(3600, 1)).toBe(1);
    expect(await runsOf(3600, 0)).toBe(0);
    expect(await runsOf(0.1, 1)).toBeGreaterThanOrEqual(1);
  });

  it('that fails comes round again, and never dies', async () => {
    const one = await replica();
    let runs = 0;
    one.jobs.schedule('clean-up', 0.1, async () => {
      if (++runs < 7) throw new JobRefused('no');
    });
    await one.start();
    await eventually(() => expect(runs).toBeGreaterThanOrEqual(7));
    await expect(one.queue.dead(10)).resolves.toEqual([]);
    await eventually(async () => expect(await rows(one)).toMatchObject([{ attempt: 0, error: null }]));
  });
});

describe('stopping', () => {
  it('waits for running jobs, begins none, and leaves the rest to others', async () => {
    const one = await replica();
    const begun = gate();
    let [finished, late] = [false, 0];
    one.jobs.handle('short', async () => {
      begun.open();
      await sleep(300);
      finished = true;
    });
    one.jobs.handle('late', async () => void late++);
    await one.start();
    await one.jobs.enqueue({ kind: 'short', payload: {} });
    await begun.opened;
    const stopped = one.jobs.beforeApplicationShutdown();
    await one.jobs.enqueue({ kind: 'late', payload: {} });
    await stopped;
    expect(finished).toBe(true);
    expect(late).toBe(0);
    expect(await rows(one)).toMatchObject([{ kind: 'late', attempt: 0 }]);
  });

  it('gives back at once what is ready but was not begun', async () => {
    const [one, other] = [await replica(), await replica()];
    const release = gate();
    const [mine, theirs]: [unknown[], unknown[]] = [[], []];
    one.jobs.handle('mail', async ({ n }) => {
      mine.push(n);
      await release.opened;
    });
    other.jobs.handle('mail', async ({ n }) => void theirs.push(n));
    await one.start();
    for (let n = 0; n < 20; n++) await one.jobs.enqueue({ kind: 'mail', payload: { n } });
    expect(mine).toHaveLength(8);
    expect(await rows(other)).toHaveLength(20);
    const stopped = one.jobs.beforeApplicationShutdown();
    await eventually(async () => expect((await rows(other)).filter(({ lease }) => lease === null)).toHaveLength(12));
    release.open();
    await stopped;
    await other.start();
    await eventually(() => expect(theirs).toHaveLength(12));
    expect(new Set([...mine, ...theirs]).size).toBe(20);
    await eventually(async () => expect(await rows(other)).toEqual([]));
  });

  it('waits for a bounded time only', async () => {
    const one = await replica({ timing: { drain: 0.5 } });
    const begun = gate();
    const release = gate();
    one.jobs.handle('endless', async () => {
      begun.open();
      await release.opened;
    });
    await one.start();
    await one.jobs.enqueue({ kind: 'endless', payload: {} });
    await begun.opened;
    await one.jobs.beforeApplicationShutdown();
    release.open();
  });
});

describe('what operators see', () => {
  it('counts the jobs that wait and those that died, and says for how long the oldest could have run', async () => {
    const one = await replica({ role: 'api' });
    await one.queue.addSchedule('clean-up', 60);
    for (let n = 0; n < 3; n++) await one.jobs.enqueue({ kind: 'mail', payload: {} });
    await one.jobs.enqueue({ kind: 'mail', payload: {}, runAt: new Date(Date.now() + 60_000) });
    const [job] = await one.queue.claim(['mail'], 1, 60);
    await one.queue.bury(job!, 'Error: no');
    await one.database.query(`update jobs set due_at = due_at - interval '1 hour' where due_at <= now()`);
    const counts = await one.queue.counts();
    expect(counts).toEqual({ waiting: 3, dead: 1, oldestDueSeconds: expect.any(Number) });
    expect(Math.round(counts.oldestDueSeconds / 60)).toBe(60);
    const text = await one.metrics.registry.metrics();
    expect(text).toContain('jobs{state="waiting"} 3');
    expect(text).toContain('jobs{state="dead"} 1');
    expect(text).toMatch(/jobs_oldest_due_seconds 36\d\d/);
  });
});
