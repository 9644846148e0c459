import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../src/kernel/ids.js';
import { Transactions } from '../../../src/kernel/transactions.js';
import { SenderQueueWaits } from '../../../src/modules/transfer/application/sender-queue-turns.js';

class WithoutDatabase extends Transactions {
  run<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  runSigning<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }
}

const appId = newId('app');
const lane = (address: string) => ({ appId, network: 'eip155:1', address });

describe('turns in a lane', () => {
  it('are taken two at a time, in the order they were asked for, whatever becomes of those before', async () => {
    const turns = new SenderQueueWaits(new WithoutDatabase());
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        turns.run(lane('0xa'), async () => {
          order.push(n);
          most = Math.max(most, ++running);
          await pause(1);
          running--;
          if (n % 3 === 0) throw new Error('refused');
          return n;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual(order.map((n) => n % 3 !== 0));
  });

  it('of one lane keep no other waiting, be it of another app with the same address', async () => {
    const turns = new SenderQueueWaits(new WithoutDatabase());
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const busy = Array.from({ length: 5 }, () => turns.run(lane('0xa'), () => held));
    for (const other of [
      lane('0xb'),
      { ...lane('0xa'), appId: newId('app') },
      { ...lane('0xa'), network: 'eip155:2' },
    ]) {
      expect(await turns.run(other, async () => 'done')).toBe('done');
    }
    release();
    await Promise.all(busy);
    expect(await turns.run(lane('0xa'), async () => 'done')).toBe('done');
  });

  it('are not waited for without end', async () => {
    jest.useFakeTimers();
    try {
      const turns = new SenderQueueWaits(new WithoutDatabase());
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const done: string[] = [];
      const holders = ['a', 'b'].map((name) => turns.run(lane('0xa'), () => held.then(() => void done.push(name))));
      const waiting = ['c', 'd'].map((name) => turns.run(lane('0xa'), async () => void done.push(name)));
      await jest.advanceTimersByTimeAsync(4_900);
      expect(done).toEqual([]);
      await jest.advanceTimersByTimeAsync(200);
      expect(done).toEqual(['c', 'd']);
      release();
      await Promise.all([...holders, ...waiting]);
      // And whoever comes then finds both places free, and no more.
      const [first, second] = [0, 1].map(() =>
        turns.run(lane('0xa'), () => new Promise<void>((resolve) => setTimeout(resolve, 1_000))),
      );
      const third = turns.run(lane('0xa'), async () => void done.push('third'));
      await jest.advanceTimersByTimeAsync(900);
      expect(done).not.toContain('third');
      await jest.advanceTimersByTimeAsync(200);
      await Promise.all([first, second, third]);
      expect(done).toContain('third');
    } finally {
      jest.useRealTimers();
    }
  });
});
