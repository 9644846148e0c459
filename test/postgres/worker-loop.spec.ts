import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { type Worker, WorkerLoop } from '../../src/postgres/worker-loop.js';

const NEVER_MS = 3_600_000;
const loops: WorkerLoop<number>[] = [];
afterEach(() => Promise.all(loops.splice(0).map((loop) => loop.stop())));

/** A loop over a queue of numbers. Each claim is recorded with its limit; each task runs until it is ended. */
function startLoop(queue: number[] = [], settings: Partial<Worker<number>> = {}) {
  const limits: number[] = [];
  const reported: unknown[] = [];
  const ends = new Map<number, () => void>();
  const worker: Worker<number> = {
    slots: 2,
    pollMs: NEVER_MS,
    drainMs: 0,
    claim: async (limit) => {
      limits.push(limit);
      return queue.splice(0, limit);
    },
    perform: (task) => new Promise((resolve) => ends.set(task, resolve)),
    report: (error) => reported.push(error),
    ...settings,
  };
  const loop = new WorkerLoop(worker);
  loops.push(loop);
  return { loop, queue, limits, reported, ends };
}

/** Resolves when everything that waits for no timer is done. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe('a worker loop', () => {
  it('claims as many tasks as it has slots when it starts', async () => {
    const { loop, limits } = startLoop([1, 2, 3]);
    await settled();
    expect(limits).toEqual([2]);
    expect(loop.tasks).toEqual([1, 2]);
  });

  it('claims again after each poll', async () => {
    const { limits } = startLoop([], { pollMs: 1 });
    await until(() => limits.length >= 3);
    expect(new Set(limits)).toEqual(new Set([2]));
  });

  it('claims when it is woken, and once more when it was woken during a claim', async () => {
    let answer = (): void => undefined;
    let claims = 0;
    const { loop } = startLoop([], {
      claim: async () => {
        claims++;
        await new Promise<void>((resolve) => (answer = resolve));
        return [];
      },
    });
    loop.wake();
    answer();
    await settled();
    expect(claims).toBe(2);
    answer();
    await settled();
    expect(claims).toBe(2);
    loop.wake();
    await settled();
    expect(claims).toBe(3);
    answer();
  });

  it('claims the next task when a slot becomes free while more may wait', async () => {
    const { loop, limits, ends } = startLoop([1, 2, 3]);
    await settled();
    ends.get(1)!();
    await settled();
    expect(limits).toEqual([2, 1]);
    expect(loop.tasks).toEqual([2, 3]);
  });

  it('does not claim when a slot becomes free and the last claim has taken all tasks', async () => {
    const { limits, ends } = startLoop([1]);
    await settled();
    ends.get(1)!();
    await settled();
    expect(limits).toEqual([2]);
  });

  it('reuses a slot that a task frees before it ends, once', async () => {
    const free = new Map<number, () => void>();
    const { loop, limits } = startLoop([1, 2, 3], {
      perform: (task, freeSlot) => {
        free.set(task, freeSlot);
        return new Promise(() => undefined);
      },
    });
    await settled();
    free.get(1)!();
    free.get(1)!();
    await settled();
    expect(limits).toEqual([2, 1]);
    expect(loop.tasks).toEqual([1, 2, 3]);
  });

  it('reports the first of several failures, and claims again only after its pause, even when it is woken', async () => {
    let claims = 0;
    const failure = new Error('away');
    const failing = { claim: () => Promise.reject(((claims += 1), failure)) };
    const waiting = startLoop([], failing);
    await settled();
    waiting.loop.wake();
    await settled();
    expect(claims).toBe(1);
    expect(waiting.reported).toEqual([failure]);

    const polling = startLoop([], { ...failing, pollMs: 1 });
    await until(() => claims >= 5);
    expect(polling.reported).toEqual([failure]);
  });

  it('does not claim again within its shortest pause, however often it is woken', async () => {
    const { loop, limits } = startLoop([], { pauseMs: 1_000 });
    for (let n = 0; n < 3; n++) {
      await settled();
      loop.wake();
    }
    expect(limits).toEqual([2]);
    await until(() => limits.length > 1);
    expect(limits).toEqual([2, 2]);
  });

  it('waits after a failure for the time that it has for this, and not for that of a poll', async () => {
    let claims = 0;
    const failing = { claim: () => Promise.reject(((claims += 1), new Error('away'))) };
    startLoop([], { ...failing, pollMs: 1, retryMs: NEVER_MS });
    await pause(20);
    expect(claims).toBe(1);
  });

  it('reports a failure again after a claim that succeeded', async () => {
    const outcomes = [true, true, false, true];
    const { reported } = startLoop([], {
      pollMs: 1,
      claim: () => (outcomes.shift() ? Promise.reject(new Error('away')) : Promise.resolve([])),
    });
    await until(() => outcomes.length === 0);
    await settled();
    expect(reported).toHaveLength(2);
  });

  it('stops at once when nothing runs, also during the pause after a failure', async () => {
    const idle = startLoop([]);
    const failing = startLoop([], { claim: () => Promise.reject(new Error('away')) });
    await settled();
    await Promise.all([idle.loop.stop(), failing.loop.stop()]);
    expect(idle.limits).toEqual([2]);
  });

  it('waits for running tasks when it stops, and claims none', async () => {
    const { loop, limits, ends } = startLoop([1, 2, 3], { drainMs: NEVER_MS });
    await settled();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    ends.get(1)!();
    await settled();
    expect(isStopped).toBe(false);
    ends.get(2)!();
    await stopped;
    expect(limits).toEqual([2]);
  });

  it('leaves tasks that outlast the drain time', async () => {
    const { loop } = startLoop([1], { drainMs: 1 });
    await settled();
    await loop.stop();
    expect(loop.tasks).toEqual([1]);
  });
});
