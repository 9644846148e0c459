import { Injectable } from '@nestjs/common';
import { Log } from '../../kernel/log.js';
import type { SpanText } from '../../kernel/tracing.js';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { failureText } from '../../services/jobs/failure-text.js';
import { LeasedWorker } from '../../services/jobs/leased-worker.js';
import { AttemptDelivery } from './application/attempt-delivery.js';
import { ManageEndpoints } from './application/manage-endpoints.js';
import {
  type ClaimedDelivery,
  DeliveryQueue,
  type EndedAttempt,
  type EndpointKey,
  type EndpointUse,
} from './domain/delivery-queue.js';
import { DeliveryMetrics } from './infrastructure/delivery-metrics.js';

/** The pause between a free worker slot and the claim for it, so that a claim takes several deliveries. */
const GATHER_MS = 10;
/** An endpoint that had a success for this long gets several deliveries at a time: no attempt lasts longer. */
const PROVEN_MS = 15_000;
/** Many times more than replicas are restarted while a delivery is claimed. */
const MOST_CLAIMS = 20;

/** Claims after batches of the sequencer in the same process, when a worker slot becomes free, and after each poll. */
@Injectable()
export class DeliveryWorker extends LeasedWorker<ClaimedDelivery, EndedAttempt> {
  protected readonly tasks = 'webhook deliveries';
  // The batches are short compared with an attempt, because the events of results that a killed process has not stored are sent again.
  protected readonly settings = { slots: 512, pollMs: 500, drainMs: 4_000, heartbeatMs: 10_000, batchMs: 10 };

  private gathering: NodeJS.Timeout | undefined;
  private after = '';
  private readonly uses = new Map<string, Omit<EndpointUse, 'isProven'>>();
  /** The endpoints that had more due deliveries than the last claim took of them. */
  private readonly withMore = new Map<string, EndpointKey>();
  private readonly successes = new RecentlyUsed<string, number>(10_000);

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly attempts: AttemptDelivery,
    private readonly endpoints: ManageEndpoints,
    private readonly metrics: DeliveryMetrics,
    log: Log,
  ) {
    super(log);
  }

  override async stop(): Promise<void> {
    clearTimeout(this.gathering);
    await super.stop();
    clearTimeout(this.gathering);
  }

  override wake(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      super.wake();
    }, GATHER_MS);
  }

  protected async claim(limit: number): Promise<readonly ClaimedDelivery[]> {
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

  protected extend(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    return this.queue.extend(deliveries);
  }

  override async attempt(delivery: ClaimedDelivery): Promise<EndedAttempt> {
    try {
      const ended = await super.attempt(delivery);
      if (ended.outcome === 'delivered') this.successes.set(keyOf(delivery), performance.now());
      this.metrics.count(ended);
      return ended;
    } finally {
      this.count(delivery, -1);
      if (this.withMore.has(keyOf(delivery))) this.wake();
    }
  }

  protected async carryOut(delivery: ClaimedDelivery): Promise<EndedAttempt> {
    return { ...(await this.attempts.execute(delivery)), delivery };
  }

  protected spanOf({ appId, endpointId, eventId, id, host }: ClaimedDelivery): SpanText {
    const attributes = { 'app.id': appId, 'endpoint.id': endpointId, 'event.id': eventId, 'delivery.id': id };
    return { name: 'webhook delivery', attributes: { ...attributes, 'server.address': host } };
  }

  protected mostClaims(): number {
    return MOST_CLAIMS;
  }

  protected giveUp(delivery: ClaimedDelivery): EndedAttempt {
    return { ...this.attempts.giveUp(delivery, 'never_came_to_an_end'), delivery };
  }

  protected async store(results: readonly EndedAttempt[]): Promise<void> {
    const { hasReleased, lost } = await this.queue.record(results);
    if (hasReleased) this.wake();
    for (const endpoint of lost) await this.disableLost(endpoint);
  }

  private known(): EndpointUse[] {
    const since = performance.now() - PROVEN_MS;
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
      await this.endpoints.disable(appId, endpointId, 'failing');
    } catch (error) {
      this.log.warn(
        { endpoint_id: endpointId, err: failureText(error) },
        'a failing webhook endpoint was not disabled',
      );
    }
  }
}

function keyOf({ appId, endpointId }: EndpointKey): string {
  return `${appId} ${endpointId}`;
}
