import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { TransferId } from '../../../kernel/ids.js';
import { traced } from '../../../kernel/tracing.js';
import { Config } from '../../../services/config/config.js';
import { Log } from '../../../kernel/log.js';
import { WorkerLoop } from '../../../postgres/worker-loop.js';
import { TrackTransfer } from './application/track-transfer.js';
import { Chains } from '../../../kernel/chain/chain.js';
import { type DueTransfer, TrackingRepository } from './domain/tracking.repository.js';

const POLL_MS = 500;
const CONCURRENCY = 16;
/** The longest time that a shutdown waits for running observations; another process can repeat them. */
const DRAIN_MS = 8_000;

/** Runs in every process that does background work. The table says which transfers are due: no process depends on another's memory. */
@Injectable()
export class Tracker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private loops: readonly WorkerLoop<DueTransfer>[] = [];
  private readonly underWay = new Set<TransferId>();

  constructor(
    private readonly transfers: TrackingRepository,
    private readonly trackTransfer: TrackTransfer,
    private readonly chains: Chains,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    void this.reportUnserved();
    // Each chain has its own worker slots, so that a slow node delays no other chain.
    this.loops = this.chains.all.map(
      ({ name: chain }) =>
        new WorkerLoop({
          slots: CONCURRENCY,
          pollMs: POLL_MS,
          drainMs: DRAIN_MS,
          claim: (limit, underWay) =>
            this.transfers.claimDue(
              chain,
              limit,
              underWay.map(({ appId }) => appId),
            ),
          perform: (due) => this.track(due),
          report: (error) => this.log.warn({ err: described(error) }, 'transfers cannot be read'),
        }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** Logs networks whose transfers wait, because the configuration has no node for them. */
  private async reportUnserved(): Promise<void> {
    try {
      const unserved = await this.transfers.pendingElsewhere(this.chains.all.map(({ name }) => name));
      for (const network of unserved) this.log.warn(network, 'pending transfers wait for a node of their network');
    } catch (error) {
      this.log.warn({ err: described(error) }, 'transfers cannot be read');
    }
  }

  /** Never rejects: after a failure the transfer is due again. A long tracking may still run when the transfer is due again. */
  private async track({ appId, id }: DueTransfer): Promise<void> {
    if (this.underWay.has(id)) return;
    this.underWay.add(id);
    try {
      const attributes = { 'app.id': appId, 'transfer.id': id };
      await traced(
        () => ({ name: 'transfer tracking', kind: 'consumer', attributes }),
        () => this.trackTransfer.execute(appId, id),
      );
    } catch (error) {
      this.log.warn({ app_id: appId, transfer_id: id, err: described(error) }, 'transfer could not be tracked');
    } finally {
      this.underWay.delete(id);
    }
  }
}

/** Errors of the database driver contain the statement's values, which must not be logged. */
export function described(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
