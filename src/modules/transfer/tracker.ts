import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { AppId, TransferId } from '../../kernel/ids.js';
import { Config } from '../../services/config/config.js';
import { Log } from '../../kernel/log.js';
import { TrackTransfer } from './application/track-transfer.js';
import type { ChainName } from '../../kernel/chain/chain-name.js';
import { Chains } from '../../kernel/chain/chain.js';
import { TrackingRepository } from './domain/tracking.repository.js';

const POLL_MS = 500;
/** The concurrency limit for each chain. An observation mostly waits for a node. */
const CONCURRENCY = 16;
/** The longest time that a shutdown waits for running observations; another process can repeat them. */
const DRAIN_MS = 8_000;

/**
 * Tracks pending transfers until they have ended, in every process that does background work. The table says which are due,
 * so no process depends on the memory of another.
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
    // Each chain has its own worker slots, so that a slow node delays no other chain. Transfers of a chain without a node
    // wait unchanged until one is configured.
    this.watches = this.chains.names.map((chain) => new Watch(chain, this.transfers, this.trackTransfer, this.log));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.end()));
  }
}

/** Tracks the transfers of one chain until `end`. */
class Watch {
  private readonly underWay = new Map<TransferId, Promise<void>>();
  private readonly loop: Promise<void>;
  private isStopping = false;
  private isUnavailable = false;
  /** Whether more transfers may be due than worker slots were free. */
  private hasMore = false;
  private wake: (() => void) | undefined;

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
    this.wake?.();
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
        if (!this.underWay.has(id)) this.underWay.set(id, this.track(appId, id));
      }
      if (!this.hasMore || free === 0) await this.pause();
    }
  }

  private async claim(limit: number): Promise<{ readonly appId: AppId; readonly id: TransferId }[]> {
    try {
      const due = await this.transfers.claimDue(this.chain, limit);
      this.isUnavailable = false;
      return due;
    } catch (error) {
      if (!this.isUnavailable) this.log.warn({ err: described(error) }, 'transfers cannot be read');
      this.isUnavailable = true;
      return [];
    }
  }

  /** Never rejects: a transfer whose tracking failed is due again. */
  private async track(appId: AppId, id: TransferId): Promise<void> {
    try {
      await this.trackTransfer.execute(appId, id);
    } catch (error) {
      this.log.warn({ app_id: appId, transfer_id: id, err: described(error) }, 'transfer could not be tracked');
    } finally {
      this.underWay.delete(id);
      if (this.hasMore) this.wake?.();
    }
  }

  private async pause(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, POLL_MS);
    });
    clearTimeout(timer);
  }
}

/** Name and message only: errors of the database driver contain the statement's values, which must not be logged. */
function described(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
