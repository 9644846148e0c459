import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Counter } from 'prom-client';
import { Clock } from '../../kernel/clock.js';
import type { AppId } from '../../kernel/ids.js';
import { JobRefused, Jobs } from '../../kernel/jobs.js';
import { HttpMetrics } from '../observability/metrics.js';
import { type Brand, Brands } from './brands.js';

/** One message and all that is the same each time it is tried. */
export interface Delivery<M> {
  /** Names the message for good: a repetition is the same one to whoever takes it. */
  readonly id: string;
  readonly askedAt: Date;
  readonly message: M;
  /** How the app appears by now. */
  readonly brand: Brand;
}

interface Queued {
  readonly id: string;
  readonly appId: AppId;
  readonly askedAt: number;
  readonly message: unknown;
}

/** Messages as jobs: written, sealed, with the change they tell of; put into words and handed over afterwards. */
@Injectable()
export class Deliveries {
  private readonly attempts: Counter<'channel' | 'outcome'>;

  constructor(
    private readonly jobs: Jobs,
    private readonly brands: Brands,
    private readonly clock: Clock,
    { registry }: HttpMetrics,
  ) {
    this.attempts = new Counter({
      name: 'messages_total',
      help: 'Attempts to hand a message to the mail server or the SMS gateway.',
      labelNames: ['channel', 'outcome'],
      registers: [registry],
    });
  }

  async enqueue(channel: 'mail' | 'sms', appId: AppId, message: unknown): Promise<void> {
    const queued: Queued = { id: randomUUID(), appId, askedAt: this.clock.now().getTime(), message };
    await this.jobs.enqueue({ kind: channel, appId, payload: { ...queued } });
  }

  /** Names who hands messages of a channel over, by the rules of a job's handler. */
  handle<M>(channel: 'mail' | 'sms', handOver: (delivery: Delivery<M>) => Promise<void>): void {
    this.jobs.handle(channel, async (payload) => {
      const { id, appId, askedAt, message } = payload as unknown as Queued;
      try {
        const brand = await this.brands.of(appId);
        if (!brand) throw new JobRefused('the app was deleted');
        await handOver({ id, askedAt: new Date(askedAt), message: message as M, brand });
        this.attempts.inc({ channel, outcome: 'delivered' });
      } catch (error) {
        this.attempts.inc({ channel, outcome: error instanceof JobRefused ? 'refused' : 'failed' });
        throw error;
      }
    });
  }
}
