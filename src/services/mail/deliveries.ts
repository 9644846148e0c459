import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Counter } from 'prom-client';
import { Clock } from '../../kernel/clock.js';
import type { AppId } from '../../kernel/ids.js';
import { JobRefused, Jobs } from '../../kernel/jobs.js';
import { HttpMetrics } from '../observability/metrics.js';
import { type Brand, Brands } from './brands.js';

/** One message, with everything that is the same for every attempt. */
export interface Delivery<M> {
  /** Identifies the message: the receiving server sees every attempt as the same message. */
  readonly id: string;
  readonly requestedAt: Date;
  readonly message: M;
  /** The brand at the time of this attempt. */
  readonly brand: Brand;
}

interface Queued {
  readonly id: string;
  readonly appId: AppId;
  /** Part of stored payloads, so the name cannot change. */
  readonly askedAt: number;
  readonly message: unknown;
}

/** Sends messages by jobs: stored sealed with the change that causes them, rendered and delivered after the commit. */
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
      help: 'Attempts to deliver a message to the mail server or the SMS gateway.',
      labelNames: ['channel', 'outcome'],
      registers: [registry],
    });
  }

  /** Stores a message with the current transaction. */
  enqueue(channel: 'mail' | 'sms', appId: AppId, message: unknown): void {
    const queued: Queued = { id: randomUUID(), appId, askedAt: this.clock.now().getTime(), message };
    this.jobs.enqueue({ kind: channel, appId, payload: { ...queued } });
  }

  /** Registers the function that delivers messages of a channel. The rules of a job handler apply to it. */
  handle<M>(channel: 'mail' | 'sms', deliver: (delivery: Delivery<M>) => Promise<void>): void {
    this.jobs.handle(channel, async (payload) => {
      const { id, appId, askedAt, message } = payload as unknown as Queued;
      try {
        const brand = await this.brands.of(appId);
        if (!brand) throw new JobRefused('the app was deleted');
        await deliver({ id, requestedAt: new Date(askedAt), message: message as M, brand });
        this.attempts.inc({ channel, outcome: 'delivered' });
      } catch (error) {
        this.attempts.inc({ channel, outcome: error instanceof JobRefused ? 'refused' : 'failed' });
        throw error;
      }
    });
  }
}
