import type { AppId, TransferId } from '../../../../src/kernel/ids.js';
import type { TrackTransfer } from '../../../../src/modules/transfer/tracking/application/track-transfer.js';
import type { WalletType } from '../../../../src/kernel/chain/chain-name.js';
import { type Chain, Chains } from '../../../../src/kernel/chain/chain.js';
import type { TrackingRepository } from '../../../../src/modules/transfer/tracking/domain/tracking.repository.js';
import { Tracker } from '../../../../src/modules/transfer/tracking/tracker.js';
import type { Config } from '../../../../src/services/config/config.js';
import type { Log } from '../../../../src/kernel/log.js';

/** A tracker with this many due transfers, each of which takes 5 ms. */
function trackerOf(count: number) {
  let due = count;
  const looks: string[] = [];
  let underWay = 0;
  let most = 0;
  const claimDue = async (_: WalletType, limit: number) => {
    const claimed = Array.from({ length: Math.min(limit, due) }, (_, index) => ({
      appId: 'app' as AppId,
      id: String(due - index) as TransferId,
    }));
    due -= claimed.length;
    return claimed;
  };
  const execute = async (_: AppId, id: TransferId) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay--;
    looks.push(id);
  };
  const tracker = new Tracker(
    { claimDue, pendingElsewhere: async () => [] } as Partial<TrackingRepository> as TrackingRepository,
    { execute } as unknown as TrackTransfer,
    new Chains([{ name: 'ethereum' } as Chain]),
    { role: 'all' } as Config,
    {} as Log,
  );
  return { tracker, looks, most: () => most };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('the tracker', () => {
  it('continues as soon as a worker slot is free, within its concurrency limit', async () => {
    const { tracker, looks, most } = trackerOf(400);
    tracker.onApplicationBootstrap();
    // 25 rounds of 5 ms, before it polls again.
    await jest.advanceTimersByTimeAsync(400);
    expect(looks).toHaveLength(400);
    await tracker.beforeApplicationShutdown();
    expect(most()).toBe(16);
  });

  it('has worker slots for each chain, so that a silent node delays no other chain', async () => {
    const due = { ethereum: 40, solana: 40 };
    const looks: string[] = [];
    const claimDue = async (chain: WalletType, limit: number) => {
      const claimed = Array.from({ length: Math.min(limit, due[chain]) }, (_, index) => ({
        appId: 'app' as AppId,
        id: `${chain} ${due[chain] - index}` as TransferId,
      }));
      due[chain] -= claimed.length;
      return claimed;
    };
    let answer = (): void => {};
    const silence = new Promise<void>((resolve) => (answer = resolve));
    const execute = async (_: AppId, id: TransferId) => {
      if (id.startsWith('solana')) return silence;
      looks.push(id);
    };
    const tracker = new Tracker(
      { claimDue, pendingElsewhere: async () => [] } as Partial<TrackingRepository> as TrackingRepository,
      { execute } as unknown as TrackTransfer,
      new Chains([{ name: 'solana' } as Chain, { name: 'ethereum' } as Chain]),
      { role: 'all' } as Config,
      {} as Log,
    );
    tracker.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(400);
    expect(looks).toHaveLength(40);
    answer();
    await tracker.beforeApplicationShutdown();
  });

  it('waits at its end for what it has begun', async () => {
    const { tracker, looks } = trackerOf(16);
    tracker.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(1);
    const end = tracker.beforeApplicationShutdown().then(() => looks.length);
    await jest.advanceTimersByTimeAsync(10);
    expect(await end).toBe(16);
  });
});
