import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { AppId, TransferId } from '../../kernel/ids.js';
import { Config } from '../../services/config/config.js';
import { Log } from '../../kernel/log.js';
import { TrackTransfer } from './application/track-transfer.js';
import type { ChainName } from '../../kernel/chain/chain-name.js';
import { Chains } from '../../kernel/chain/chain.js';
import { TrackingRepository } from './domain/tracking.repository.js';

const POLL_MS = 500;
/** Looks at once on each chain. Each waits for a node most of the time. */
const CONCURRENCY = 16;
/** Longest a shutdown waits for looks under way: whoever looks next finds the same. */
const DRAIN_MS = 8_000;

/**
 * Looks at pending transfers until they have ended, in every process that does background work. It keeps nothing in
 * memory that another process would need: what is due says the table.
 */
@Injectable()
export class Tracker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private watches: readonly Watch[] = [];

  constructor(
    private readonly transfers: TrackingRepository,
    private readonly trackTransfer: TrackTransfer,
    private readonly chains: Chains,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    // Each chain has hands of its own: a node that lets everybody wait holds up no other chain. Without a node there is
    // nothing to look at, and transfers wait unharmed until there is one again.
    this.watches = this.chains.names.map((chain) => new Watch(chain, this.transfers, this.trackTransfer, this.log));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.end()));
  }
}

/** Looks at the transfers of one chain from its making to its end. */
class Watch {
  private readonly underWay = new Map<TransferId, Promise<void>>();
  private readonly loop: Promise<void>;
  private isStopping = false;
  private isAway = false;
  /** Whether more may be due than there were hands for. */
  private hasMore = false;
  private rouse: (() => void) | undefined;

  constructor(
    private readonly chain: ChainName,
    private readonly transfers: TrackingRepository,
    private readonly trackTransfer: TrackTransfer,
    private readonly log: Log,
  ) {
    this.loop = this.run();
  }

  async end(): Promise<void> {
    this.isStopping = true;
    this.rouse?.();
    await this.loop;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.all(this.underWay.values()),
      new Promise((resolve) => (timer = setTimeout(resolve, DRAIN_MS))),
    ]);
    clearTimeout(timer);
  }

  private async run(): Promise<void> {
    while (!this.isStopping) {
      const free = CONCURRENCY - this.underWay.size;
      const due = free > 0 ? await this.claim(free) : [];
      this.hasMore = due.length === free;
      for (const { appId, id } of due) {
        if (!this.underWay.has(id)) this.underWay.set(id, this.look(appId, id));
      }
      if (!this.hasMore || free === 0) await this.pause();
    }
  }

  private async claim(limit: number): Promise<{ readonly appId: AppId; readonly id: TransferId }[]> {
    try {
      const due = await this.transfers.claimDue(this.chain, limit);
      this.isAway = false;
      return due;
    } catch (error) {
      if (!this.isAway) this.log.warn({ err: described(error) }, 'transfers cannot be read');
      this.isAway = true;
      return [];
    }
  }

  /** Never rejects: what failed is looked at again. */
  private async look(appId: AppId, id: TransferId): Promise<void> {
    try {
      await this.trackTransfer.execute(appId, id);
    } catch (error) {
      this.log.warn({ app_id: appId, transfer_id: id, err: described(error) }, 'transfer could not be looked at');
    } finally {
      this.underWay.delete(id);
      if (this.hasMore) this.rouse?.();
    }
  }

  private async pause(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.rouse = resolve;
      timer = setTimeout(resolve, POLL_MS);
    });
    clearTimeout(timer);
  }
}

/** Enough to find the cause. Errors of the database driver carry the statement's values, which stay out of the log. */
function described(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
