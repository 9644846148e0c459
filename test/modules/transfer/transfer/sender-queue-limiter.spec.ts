import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../../src/kernel/ids.js';
import { Transactions } from '../../../../src/kernel/transactions.js';
import { SenderQueueLimiter } from '../../../../src/modules/transfer/paying/application/sign-payment.js';

class WithoutDatabase extends Transactions {
  run<T>(work: (isAgain: boolean) => Promise<T>): Promise<T> {
    return work(false);
  }
}

const appId = newId('app');
const queue = (address: string) => ({ appId, network: 'eip155:1', address });

describe('the sender queue limiter', () => {
  it('runs two transactions of a sender queue at a time, in order, also after a failure', async () => {
    const limiter = new SenderQueueLimiter(new WithoutDatabase());
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        limiter.run(queue('0xa'), async () => {
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

  it('does not delay another sender queue, not even one of another app with the same address', async () => {
    const limiter = new SenderQueueLimiter(new WithoutDatabase());
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const busy = Array.from({ length: 5 }, () => limiter.run(queue('0xa'), () => held));
    for (const other of [
      queue('0xb'),
      { ...queue('0xa'), appId: newId('app') },
      { ...queue('0xa'), network: 'eip155:2' },
    ]) {
      expect(await limiter.run(other, async () => 'done')).toBe('done');
    }
    release();
    await Promise.all(busy);
    expect(await limiter.run(queue('0xa'), async () => 'done')).toBe('done');
  });

  it('lets a caller that has waited too long go straight to the database lock', async () => {
    jest.useFakeTimers();
    try {
      const limiter = new SenderQueueLimiter(new WithoutDatabase());
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const done: string[] = [];
      const holders = ['a', 'b'].map((name) => limiter.run(queue('0xa'), () => held.then(() => void done.push(name))));
      const waiting = ['c', 'd'].map((name) => limiter.run(queue('0xa'), async () => void done.push(name)));
      await jest.advanceTimersByTimeAsync(4_900);
      expect(done).toEqual([]);
      await jest.advanceTimersByTimeAsync(200);
      expect(done).toEqual(['c', 'd']);
      release();
      await Promise.all([...holders, ...waiting]);
      // Both places are free again, and no more than two.
      const [first, second] = [0, 1].map(() =>
        limiter.run(queue('0xa'), () => new Promise<void>((resolve) => setTimeout(resolve, 1_000))),
      );
      const third = limiter.run(queue('0xa'), async () => void done.push('third'));
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
