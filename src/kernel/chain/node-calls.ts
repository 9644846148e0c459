import { Bulkhead, type BulkheadBounds } from '../bulkhead.js';
import { TooManyRequests } from '../errors.js';
import type { AppId } from '../ids.js';
import { ChainUnavailable } from './chain.errors.js';
import type { ChainName } from './chain-name.js';

/**
 * The bounds hold in each replica. With 64 tasks of 0.1 s to 0.2 s an app reads 400 balances or quotes a second, and a burst of 2,000 more
 * waits about five seconds. Four apps that use all their slots do not delay a fifth for longer than the quickest of 256 tasks.
 */
export const NODE_CALL_BOUNDS: BulkheadBounds = { perApp: 64, inAll: 256, waitingPerApp: 2_000, longestWaitMs: 10_000 };

/**
 * The bounds of calls that check signatures of contracts. They are lower and have slots of their own: any visitor of an app may try to log
 * in.
 */
export const LOGIN_CALL_BOUNDS: BulkheadBounds = { perApp: 32, inAll: 128, waitingPerApp: 500, longestWaitMs: 5_000 };

/** Runs reads from a chain, once the bound of the caller permits it. */
export type Ask = <T>(reads: () => Promise<T>) => Promise<T>;

/**
 * Bounds the reads that requests make from the nodes of each chain, so that no app uses up the nodes that payments of all apps
 * need. Never waits in a transaction or between signing and sending. The tracker has worker slots of its own.
 */
export class NodeCalls {
  private readonly bulkheads: Readonly<Record<ChainName, Bulkhead>> = {
    ethereum: bulkheadBefore('Ethereum', NODE_CALL_BOUNDS),
    solana: bulkheadBefore('Solana', NODE_CALL_BOUNDS),
  };
  private readonly logins = bulkheadBefore('Ethereum', LOGIN_CALL_BOUNDS);

  /**
   * Runs reads that end in bounded time. Throws `TooManyRequests` when the app's own reads take all its slots,
   * `ChainUnavailable` when those of other apps take all.
   */
  run<T>(chain: ChainName, appId: AppId, reads: () => Promise<T>): Promise<T> {
    return this.bulkheads[chain].run(appId, reads);
  }

  /** The same for reads from Ethereum that check a login. They use no slot of the app's payments. */
  runForLogin<T>(appId: AppId, reads: () => Promise<T>): Promise<T> {
    return this.logins.run(appId, reads);
  }
}

function bulkheadBefore(chain: string, bounds: BulkheadBounds): Bulkhead {
  return new Bulkhead(bounds, {
    busyApp: () =>
      new TooManyRequests(
        1,
        undefined,
        `The app makes too many calls that read from ${chain} at a time. Try again later.`,
      ),
    busyService: () => new ChainUnavailable(chain),
  });
}
