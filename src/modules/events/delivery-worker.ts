import { Injectable } from '@nestjs/common';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { Log } from '../../kernel/log.js';
import { WorkerLoop } from '../../postgres/worker-loop.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { DisableEndpoint } from './application/disable-endpoint.js';
import { type ClaimedDelivery, DeliveryQueue, type EndpointKey, type EndpointUse } from './domain/delivery-queue.js';
import { DeliveryMetrics } from './infrastructure/delivery-metrics.js';
import { ResultBatches } from './result-batches.js';

/**
 * Delivers events to webhook endpoints for as long as the process runs. It claims after batches of the sequencer in the same process,
 * when a worker slot becomes free while an endpoint has more due deliveries, and after each poll.
 */
@Injectable()
export class DeliveryWorker {
  protected readonly settings = {
    slots: 512,
    pollMs: 500,
    drainMs: 4_000,
    heartbeatMs: 10_000,
    /** The pause between a free worker slot and the claim for it, so that a claim takes several deliveries. */
    gatherMs: 10,
    /** An endpoint that had a success for this long gets several deliveries at a time: no attempt lasts longer. */
    provenMs: 15_000,
  };

  private loop: WorkerLoop<ClaimedDelivery> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private gathering: NodeJS.Timeout | undefined;
  private after = '';
  /** The worker slots in use, by endpoint. */
  private readonly uses = new Map<string, Omit<EndpointUse, 'isProven'>>();
  /** The endpoints that had more due deliveries than the last claim took of them. */
  private readonly withMore = new Map<string, EndpointKey>();
  /** When each endpoint had its last success in this process. */
  private readonly successes = new RecentlyUsed<string, number>(10_000);
  private readonly results: ResultBatches;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempt: AttemptDelivery,
    private readonly disable: DisableEndpoint,
    private readonly metrics: DeliveryMetrics,
    private readonly log: Log,
  ) {
    this.results = new ResultBatches(queue, async ({ hasReleased, lost }) => {
      if (hasReleased) this.wake();
      for (const endpoint of lost) await this.disableLost(endpoint);
    });
  }

  start(): void {
    const { slots, pollMs, drainMs, heartbeatMs } = this.settings;
    this.heartbeat = setInterval(() => void this.extendLeases(), heartbeatMs).unref();
    this.loop = new WorkerLoop<ClaimedDelivery>({
      slots,
      pollMs,
      drainMs,
      claim: (limit) => this.claim(limit),
      perform: (delivery, freeSlot) => this.perform(delivery, freeSlot),
      report: (error) => this.log.warn({ err: failureText(error) }, 'webhook deliveries cannot be claimed'),
    });
  }

  /** Claims nothing more and waits for running attempts, but not for long: another process attempts the remaining deliveries again. */
  async stop(): Promise<void> {
    clearTimeout(this.gathering);
    await this.loop?.stop();
    clearTimeout(this.gathering);
    clearInterval(this.heartbeat);
  }

  /** Claims soon. Called when deliveries were queued. */
  wake(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.loop?.wake();
    }, this.settings.gatherMs);
  }

  private async claim(limit: number): Promise<readonly ClaimedDelivery[]> {
    const claim = await this.queue.claim(limit, this.known(), this.after);
    for (const delivery of claim.deliveries) this.count(delivery, 1);
    for (const endpoint of claim.endpoints) {
      if (endpoint.hasMore) this.withMore.set(keyOf(endpoint), endpoint);
      else this.withMore.delete(keyOf(endpoint));
    }
    this.after = claim.after;
    if (claim.after !== '' || claim.hasParked) this.wake();
    return claim.deliveries;
  }

  /** Attempts one delivery and stores the result. Never rejects: a delivery without a stored result is attempted again. */
  private async perform(delivery: ClaimedDelivery, freeSlot: () => void): Promise<void> {
    try {
      const attempt = this.attempt.execute(delivery).then((ended) => {
        if (ended.outcome === 'delivered') this.successes.set(keyOf(delivery), performance.now());
        return ended;
      });
      const result = await attempt.finally(() => {
        this.count(delivery, -1);
        if (this.withMore.has(keyOf(delivery))) this.wake();
        freeSlot();
      });
      this.metrics.count(result);
      await this.results.record({ ...result, delivery });
    } catch (error) {
      this.log.warn(
        { delivery: delivery.id, err: failureText(error) },
        'the result of a webhook delivery was not stored',
      );
    }
  }

  /** The endpoints that this process is delivering to, and those that had more deliveries. */
  private known(): EndpointUse[] {
    const since = performance.now() - this.settings.provenMs;
    const keys = new Set([...this.uses.keys(), ...this.withMore.keys()]);
    return [...keys].map((key) => ({
      ...(this.uses.get(key) ?? { ...this.withMore.get(key)!, host: null, used: 0 }),
      isProven: (this.successes.peek(key) ?? -Infinity) > since,
    }));
  }

  private count({ appId, endpointId, host }: ClaimedDelivery, change: number): void {
    const key = keyOf({ appId, endpointId });
    const used = (this.uses.get(key)?.used ?? 0) + change;
    if (used > 0) this.uses.set(key, { appId, endpointId, host, used });
    else this.uses.delete(key);
  }

  private async disableLost({ appId, endpointId }: EndpointKey): Promise<void> {
    try {
      await this.disable.execute(appId, endpointId, 'failing');
    } catch (error) {
      this.log.warn(
        { endpoint_id: endpointId, err: failureText(error) },
        'a failing webhook endpoint was not disabled',
      );
    }
  }

  private async extendLeases(): Promise<void> {
    const deliveries = this.loop?.tasks ?? [];
    if (deliveries.length === 0) return;
    try {
      await this.queue.extend(deliveries);
    } catch (error) {
      this.log.warn({ err: failureText(error) }, 'leases of webhook deliveries could not be extended');
    }
  }
}

function keyOf({ appId, endpointId }: EndpointKey): string {
  return `${appId} ${endpointId}`;
}
