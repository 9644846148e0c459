import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { JobRefused } from '../../../src/kernel/jobs.js';
import { eventually } from '../../support/eventually.js';
import { ROOT } from '../../../src/services/root.js';
import { claimsOf, gate, heartbeatOf, replicasOfTest, rows } from './replica.js';

const replica = replicasOfTest();

describe('several workers', () => {
  it('run each of 1,000 jobs exactly once', async () => {
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
      for (let n = 0; n < 1000; n++) await filler.enqueue({ kind: 'count', payload: { n } });
    });
    await Promise.all(workers.map((worker) => worker.start()));
    // A comparison of up to 1,000 rows would take the processor from the workers, which run in this process.
    await eventually(async () => expect(await filler.queue.counts()).toMatchObject({ waiting: 0, dead: 0 }));
    expect([done.size, Math.max(...done.values()), by.size]).toEqual([1000, 1, 4]);
  });

  it('do not run a job twice at the same time, also when it outlasts its lease', async () => {
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
    await workers[0]!.enqueue({ kind: 'long', payload: {} });
    await eventually(() => expect(runs).toBe(1));
    await heartbeatOf(workers[0]!);
    for (const worker of workers) await claimsOf(worker);
    release.open();
    await eventually(async () => expect(await rows(workers[0]!)).toEqual([]));
    expect([runs, most]).toEqual([1, 1]);
  });

  it('run the job of a killed worker after its lease', async () => {
    const worker = await replica();
    await worker.enqueue({ kind: 'hang', payload: { n: 7 } });
    const tsx = createRequire(join(ROOT, 'package.json')).resolve('tsx');
    const child = spawn(
      process.execPath,
      ['--import', pathToFileURL(tsx).href, join(ROOT, 'test/services/jobs/hang-on-a-job.ts'), worker.databaseUrl],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PGAPPNAME: 'killed' } },
    );
    const connections = () =>
      worker.database.write(
        `select from pg_stat_activity where application_name = 'killed' and datname = current_database()`,
      );
    try {
      expect(await once(createInterface(child.stdout), 'line')).toEqual(['1']);
      const done: unknown[] = [];
      worker.jobs.handle('hang', async (payload, attempt) => void done.push([payload, attempt]));
      await worker.start();
      await heartbeatOf(worker);
      await claimsOf(worker);
      expect(done).toEqual([]);
      expect(await connections()).not.toEqual([]);
      child.kill('SIGKILL');
      // The server may still carry out what the killed process has sent, such as a claim or an extension.
      await eventually(async () => expect(await connections()).toEqual([]));
      // A lease later.
      await worker.database.write(`update jobs set due_at = due_at - interval '60 s'`);
      await eventually(() => expect(done).toEqual([[{ n: 7 }, 2]]));
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('mark a job dead that crashes its process each time', async () => {
    const worker = await replica();
    await worker.enqueue({ kind: 'poison', payload: {} });
    for (let crash = 0; crash < 4; crash++) await worker.queue.claim(['poison'], 1, 0);
    let runs = 0;
    worker.jobs.handle('poison', async () => void runs++);
    await worker.start();
    await eventually(async () => expect(await worker.dead.list(10)).toMatchObject([{ kind: 'poison' }]));
    expect(runs).toBe(0);
  });

  it('change nothing about a job whose lease they lost', async () => {
    const worker = await replica({ role: 'api' });
    await worker.enqueue({ kind: 'slow', payload: {} });
    const [late] = await worker.queue.claim(['slow'], 1, 0);
    const [current] = await worker.queue.claim(['slow'], 1, 60);
    await worker.queue.record([{ job: late!, outcome: 'done', payload: {} }]);
    await worker.queue.record([{ job: late!, outcome: 'again', waitSeconds: 0, error: 'late' }]);
    await worker.queue.record([{ job: late!, outcome: 'dead', error: 'late' }]);
    await worker.queue.record([{ job: late!, outcome: 'again', waitSeconds: 0, error: null }]);
    await worker.queue.extend([late!], 0);
    expect(await rows(worker)).toMatchObject([{ lease: current!.lease, attempt: 2, error: null }]);
    await expect(worker.queue.claim(['slow'], 1, 60)).resolves.toEqual([]);
  });
});

describe('a schedule', () => {
  it('runs in one replica at a time, and again only after a run has ended', async () => {
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
    // The schedule is due again, and each worker claims due jobs.
    await workers[0]!.database.write('select pg_sleep(0.2)');
    for (const worker of workers) await claimsOf(worker);
    expect(runs).toBe(1);
    release.open();
    await eventually(() => expect(runs).toBeGreaterThanOrEqual(4));
    expect(most).toBe(1);
  });

  it('waits for its interval, and keeps its time over a restart, unless its new interval is shorter', async () => {
    const runsOf = async (every: number, atLeast: number) => {
      const worker = await replica();
      let runs = 0;
      worker.jobs.schedule('clean-up', every, async () => void runs++);
      await worker.start();
      await claimsOf(worker);
      await eventually(() => expect(runs).toBeGreaterThanOrEqual(atLeast));
      await worker.stop();
      return runs;
    };
    expect(await runsOf(3600, 0)).toBe(0);
    expect(await runsOf(0.1, 1)).toBeGreaterThanOrEqual(1);
    expect(await runsOf(3600, 1)).toBe(1);
    expect(await runsOf(3600, 0)).toBe(0);
  });

  it('that fails runs again, and is never marked dead', async () => {
    const worker = await replica();
    let runs = 0;
    worker.jobs.schedule('clean-up', 0.1, async () => {
      if (++runs < 7) throw new JobRefused('no');
    });
    await worker.start();
    await eventually(() => expect(runs).toBeGreaterThanOrEqual(7));
    await expect(worker.dead.list(10)).resolves.toEqual([]);
    await eventually(async () => expect(await rows(worker)).toMatchObject([{ attempt: 0, error: null }]));
  });
});

describe('stopping a worker', () => {
  it('waits for running jobs, begins none, and leaves the rest in the table', async () => {
    const worker = await replica();
    const begun = gate();
    let [finished, late] = [false, 0];
    worker.jobs.handle('short', async () => {
      begun.open();
      await sleep(300);
      finished = true;
    });
    worker.jobs.handle('late', async () => void late++);
    await worker.start();
    await worker.enqueue({ kind: 'short', payload: {} });
    await begun.opened;
    const stopped = worker.jobs.beforeApplicationShutdown();
    await worker.enqueue({ kind: 'late', payload: {} });
    await stopped;
    expect(finished).toBe(true);
    expect(late).toBe(0);
    expect(await rows(worker)).toMatchObject([{ kind: 'late', attempt: 0 }]);
  });

  it('leaves jobs that were not begun to another worker', async () => {
    const [worker, other] = [await replica(), await replica()];
    const release = gate();
    const [mine, theirs]: [unknown[], unknown[]] = [[], []];
    worker.jobs.handle('mail', async ({ n }) => {
      mine.push(n);
      await release.opened;
    });
    other.jobs.handle('mail', async ({ n }) => void theirs.push(n));
    await worker.start();
    for (let n = 0; n < 20; n++) await worker.enqueue({ kind: 'mail', payload: { n } });
    await eventually(() => expect(mine).toHaveLength(8));
    expect(await rows(other)).toHaveLength(20);
    const stopped = worker.jobs.beforeApplicationShutdown();
    await eventually(async () => expect((await rows(other)).filter(({ lease }) => lease === null)).toHaveLength(12));
    release.open();
    await stopped;
    await other.start();
    await eventually(() => expect(theirs).toHaveLength(12));
    expect(new Set([...mine, ...theirs]).size).toBe(20);
    await eventually(async () => expect(await rows(other)).toEqual([]));
  });

  it('waits for a job that does not end, and no longer than the drain time', async () => {
    const worker = await replica({ settings: { drainSeconds: 0.5 } });
    const begun = gate();
    const release = gate();
    worker.jobs.handle('endless', async () => {
      begun.open();
      await release.opened;
    });
    await worker.start();
    await worker.enqueue({ kind: 'endless', payload: {} });
    await begun.opened;
    const asked = performance.now();
    await worker.jobs.beforeApplicationShutdown();
    // A timer may fire a millisecond early. That it ended at all, with the job still running, is the upper bound.
    expect(performance.now() - asked).toBeGreaterThanOrEqual(499);
    release.open();
  });
});

describe('the job metrics', () => {
  it('count waiting and dead jobs, and the age of the oldest due job', async () => {
    const worker = await replica({ role: 'api' });
    await worker.queue.addSchedules(new Map([['clean-up', 0]]));
    for (let n = 0; n < 3; n++) await worker.enqueue({ kind: 'mail', payload: {} });
    await worker.enqueue({ kind: 'mail', payload: {}, runAt: new Date(Date.now() + 60_000) });
    const [job] = await worker.queue.claim(['mail'], 1, 60);
    await worker.queue.record([{ job: job!, outcome: 'dead', error: 'Error: no' }]);
    await worker.database.write(`update jobs set due_at = due_at - interval '1 hour' where due_at <= now()`);
    const counts = await worker.queue.counts();
    expect(counts).toEqual({ waiting: 3, dead: 1, oldestDueSeconds: expect.any(Number) });
    expect(Math.round(counts.oldestDueSeconds / 60)).toBe(60);
    await worker.database.write(`update jobs set created_at = created_at - interval '2 hours' where died_at is null`);
    const oldest = await worker.queue.oldestSeconds(['mail', 'sms']);
    expect(oldest).toEqual({ mail: expect.any(Number) });
    expect(Math.round(oldest['mail']! / 60)).toBe(120);
    await worker.metrics.readTables();
    const text = await worker.metrics.registry.metrics();
    expect(text).toContain('jobs{state="waiting"} 3');
    expect(text).toContain('jobs{state="dead"} 1');
    expect(text).toMatch(/jobs_oldest_due_seconds 36\d\d/);
  });
});
