import { Bulkhead } from '../../src/kernel/bulkhead.js';

const BOUNDS = { perApp: 2, inAll: 3, waitingPerApp: 2, longestWaitMs: 60_000 };
const REFUSALS = { busyApp: () => new Error('busy app'), busyService: () => new Error('busy service') };

/** Tasks that run until they are ended, by name. */
class Tasks {
  readonly running: string[] = [];
  private readonly ends = new Map<string, () => void>();

  constructor(private readonly bulkhead: Bulkhead) {}

  start(appId: string, name: string): Promise<void> {
    return this.bulkhead.run(appId, () => {
      this.running.push(name);
      return new Promise((resolve) => this.ends.set(name, resolve));
    });
  }

  async end(name: string): Promise<void> {
    this.running.splice(this.running.indexOf(name), 1);
    this.ends.get(name)!();
    await new Promise(setImmediate);
  }
}

let tasks: Tasks;
beforeEach(() => {
  tasks = new Tasks(new Bulkhead(BOUNDS, REFUSALS));
});
// A task that waited on would be refused a minute later, in the middle of another test file.
afterEach(async () => {
  while (tasks.running.length > 0) await tasks.end(tasks.running[0]!);
});

const started = (): Promise<void> => new Promise(setImmediate);

describe('a bulkhead', () => {
  it('runs at most two tasks of an app at a time, and starts those that wait in order', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) void tasks.start('a', name);
    await started();
    expect(tasks.running).toEqual(['a1', 'a2']);
    await tasks.end('a1');
    expect(tasks.running).toEqual(['a2', 'a3']);
    await tasks.end('a3');
    expect(tasks.running).toEqual(['a2', 'a4']);
  });

  it('runs a task of another app although tasks of the first app wait', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) void tasks.start('a', name);
    void tasks.start('b', 'b1');
    await started();
    expect(tasks.running).toEqual(['a1', 'a2', 'b1']);
  });

  it('gives a free slot to the app with the fewest running tasks, although tasks of busy apps waited before', async () => {
    for (const name of ['a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1']) void tasks.start(name[0]!, name);
    await started();
    expect(tasks.running).toEqual(['a1', 'a2', 'b1']);
    await tasks.end('a1');
    expect(tasks.running).toEqual(['a2', 'b1', 'c1']);
    await tasks.end('c1');
    expect(tasks.running).toEqual(['a2', 'b1', 'b2']);
  });

  it('serves apps with equally many running tasks one after another, however many tasks of an app wait', async () => {
    tasks = new Tasks(new Bulkhead({ ...BOUNDS, perApp: 1, inAll: 1 }, REFUSALS));
    for (const name of ['x1', 'a1', 'a2', 'b1']) void tasks.start(name[0]!, name);
    await started();
    for (const [ended, next] of [
      ['x1', 'a1'],
      ['a1', 'b1'],
      ['b1', 'a2'],
    ] as const) {
      await tasks.end(ended);
      expect(tasks.running).toEqual([next]);
    }
  });

  it('refuses an app whose own tasks fill its queue', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) void tasks.start('a', name);
    await expect(tasks.start('a', 'a5')).rejects.toThrow('busy app');
  });

  it('refuses an app for the tasks of other apps when those take all slots', async () => {
    for (const name of ['a1', 'a2']) void tasks.start('a', name);
    for (const name of ['b1', 'c1', 'c2']) void tasks.start(name[0]!, name);
    await started();
    expect(tasks.running).toEqual(['a1', 'a2', 'b1']);
    await expect(tasks.start('c', 'c3')).rejects.toThrow('busy service');
  });

  it('refuses a task that has waited too long, and gives its place to the next', async () => {
    tasks = new Tasks(new Bulkhead({ ...BOUNDS, longestWaitMs: 1 }, REFUSALS));
    for (const name of ['a1', 'a2']) void tasks.start('a', name);
    await Promise.all(['a3', 'a4'].map((name) => expect(tasks.start('a', name)).rejects.toThrow('busy app')));
    await tasks.end('a1');
    void tasks.start('a', 'a5');
    await started();
    expect(tasks.running).toEqual(['a2', 'a5']);
  });

  it('frees the slot of a task that fails', async () => {
    const bulkhead = new Bulkhead({ ...BOUNDS, perApp: 1 }, REFUSALS);
    await expect(bulkhead.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await bulkhead.run('a', async () => 'done')).toBe('done');
  });
});
