import { SharedRuns } from '../../src/kernel/shared-runs.js';

describe('runs that callers share', () => {
  it('are one at a time for a key, and each caller gets one that began after the call', async () => {
    const runs = new SharedRuns();
    const ends: (() => void)[] = [];
    let underWay = 0;
    const task = async (): Promise<void> => {
      expect(++underWay).toBe(1);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay--;
    };
    const first = runs.follow('a', task);
    const later = Array.from({ length: 10 }, () => runs.follow('a', task));
    expect(ends).toHaveLength(1);
    ends[0]!();
    await first;
    await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    const last = runs.follow('a', task);
    ends[1]!();
    await Promise.all(later);
    await new Promise(setImmediate);
    expect(ends).toHaveLength(3);
    ends[2]!();
    await last;
  });

  it('of other keys do not wait, and one that fails holds up no other', async () => {
    const runs = new SharedRuns();
    const failing = runs.follow('a', () => Promise.reject(new Error('broken')));
    const next = runs.follow('a', async () => undefined);
    await expect(Promise.all([runs.follow('b', async () => undefined), next])).resolves.toBeDefined();
    await expect(failing).rejects.toThrow('broken');
    await expect(runs.follow('a', async () => undefined)).resolves.toBeUndefined();
  });
});

describe('a run under a key', () => {
  it.each([
    ['is shared with callers that join it', 'join', 1],
    ['is not shared with callers that want their own', 'own', 3],
  ] as const)('%s', async (_, how, runsOfTask) => {
    const runs = new SharedRuns<number>();
    let begun = 0;
    let underWay = 0;
    const task = async (): Promise<number> => {
      begun++;
      expect(++underWay).toBe(1);
      await new Promise(setImmediate);
      underWay--;
      return begun;
    };
    await Promise.all([1, 2, 3].map(() => runs[how]('a', task)));
    expect(begun).toBe(runsOfTask);
  });
});
