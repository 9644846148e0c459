import { Bulkhead, type BulkheadBounds } from '../bulkhead.js';
import { TooManyRequests } from '../errors.js';
import type { AppId } from '../ids.js';
import { ChainNotConfigured, ChainUnavailable } from './chain.errors.js';
import type { ChainName } from './chain-name.js';

/** A replica reads 400 balances a second. Four apps that use all their slots delay a fifth for the quickest of 256 tasks only. */
export const NODE_CALL_BOUNDS: BulkheadBounds = { perApp: 64, inAll: 256, waitingPerApp: 2_000, longestWaitMs: 10_000 };

/** Checks of contract signatures have slots of their own, and fewer: any visitor of an app may try to log in. */
export const LOGIN_CALL_BOUNDS: BulkheadBounds = { perApp: 32, inAll: 128, waitingPerApp: 500, longestWaitMs: 5_000 };

export type Ask = <T>(reads: () => Promise<T>) => Promise<T>;

/** No app uses up the nodes, and no network delays another. Never waits in a transaction or between signing and sending. */
export class NodeCalls {
  private readonly payments: ReadonlyMap<ChainName, Bulkhead>;
  private readonly logins: ReadonlyMap<ChainName, Bulkhead>;

  constructor(networks: readonly ChainName[]) {
    const before = (bounds: BulkheadBounds) =>
      new Map(networks.map((network) => [network, bulkheadBefore(network, bounds)]));
    this.payments = before(NODE_CALL_BOUNDS);
    this.logins = before(LOGIN_CALL_BOUNDS);
  }

  /** Throws `TooManyRequests` when the app's own reads take its slots, `ChainUnavailable` when other apps take all. */
  run<T>(network: ChainName, appId: AppId, reads: () => Promise<T>): Promise<T> {
    return runIn(this.payments, network, appId, reads);
  }

  /** Reads that check a login use no slot of the app's payments. */
  runForLogin<T>(network: ChainName, appId: AppId, reads: () => Promise<T>): Promise<T> {
    return runIn(this.logins, network, appId, reads);
  }
}

/** A stored transfer may belong to a network that the configuration has no more. */
async function runIn<T>(
  bulkheads: ReadonlyMap<ChainName, Bulkhead>,
  network: ChainName,
  appId: AppId,
  reads: () => Promise<T>,
): Promise<T> {
  const bulkhead = bulkheads.get(network);
  if (!bulkhead) throw new ChainNotConfigured(network);
  return bulkhead.run(appId, reads);
}

function bulkheadBefore(network: ChainName, bounds: BulkheadBounds): Bulkhead {
  return new Bulkhead(bounds, {
    busyApp: () =>
      new TooManyRequests(
        1,
        undefined,
        `The app makes too many calls that read from the network ${network} at a time. Try again later.`,
      ),
    busyService: () => new ChainUnavailable(network),
  });
}
