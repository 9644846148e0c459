import { SharedRuns } from '../../../src/modules/transfer/application/shared-runs.js';

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
    const first = runs.run('a', task);
    const later = Array.from({ length: 10 }, () => runs.run('a', task));
    expect(ends).toHaveLength(1);
    ends[0]!();
    await first;
    await new Promise(setImmediate);
    expect(ends).toHaveLength(2);
    const last = runs.run('a', task);
    ends[1]!();
    await Promise.all(later);
    await new Promise(setImmediate);
    expect(ends).toHaveLength(3);
    ends[2]!();
    await last;
  });

  it('of other keys do not wait, and one that fails holds up no other', async () => {
    const runs = new SharedRuns();
    const failing = runs.run('a', () => Promise.reject(new Error('broken')));
    const next = runs.run('a', async () => undefined);
    await expect(Promise.all([runs.run('b', async () => undefined), next])).resolves.toBeDefined();
    await expect(failing).rejects.toThrow('broken');
    await expect(runs.run('a', async () => undefined)).resolves.toBeUndefined();
  });
});
