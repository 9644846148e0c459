import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock } from '../../kernel/clock.js';
import { type AppId, newId } from '../../kernel/ids.js';
import { type JobHandler, type OnJobsDone, JobRefused, Jobs } from '../../kernel/jobs.js';
import { failureText } from '../jobs/failure-text.js';
import { JobQueue } from '../jobs/job-queue.js';
import { HttpMetrics, tableGauge } from '../observability/metrics.js';
import { type Brand, Brands } from './brands.js';
import { NotAttempted } from './mail-server.js';
import { MessageLog } from './message-log.js';
import { type Channel, CHANNELS } from './message.schema.js';
import { refusal } from '../../kernel/domain-error.js';

export interface Delivery<M> {
  /** Every attempt has the same id, so the receiving server sees one message. */
  readonly id: string;
  readonly requestedAt: Date;
  readonly message: M;
  readonly brand: Brand;
}

interface Queued {
  readonly id: string;
  readonly appId: AppId;
  /** Part of stored payloads, so the name cannot change. */
  readonly askedAt: number;
  readonly message: unknown;
}

/** A message is stored sealed with the change that causes it, and delivered after the commit. */
@Injectable()
export class Deliveries {
  private readonly attempts: Counter<'channel' | 'outcome'>;

  constructor(
    private readonly jobs: Jobs,
    private readonly brands: Brands,
    private readonly clock: Clock,
    private readonly log: MessageLog,
    queue: JobQueue,
    metrics: HttpMetrics,
  ) {
    this.attempts = new Counter({
      name: 'messages_total',
      help: 'Attempts to deliver a message to the mail server or the SMS gateway.',
      labelNames: ['channel', 'outcome'],
      registers: [metrics.registry],
    });
    for (const channel of CHANNELS)
      for (const outcome of ['delivered', 'refused', 'failed']) this.attempts.inc({ channel, outcome }, 0);
    tableGauge(
      metrics,
      {
        name: 'messages_oldest_undelivered_seconds',
        help: 'Seconds since the oldest message that waits for its delivery was requested.',
        label: 'channel',
        values: CHANNELS,
      },
      () => queue.oldestSeconds(CHANNELS),
    );
  }

  enqueue(channel: Channel, appId: AppId, message: { readonly to: string; readonly kind?: string }): void {
    const queued = { id: newId('message'), appId, askedAt: this.clock.now().getTime(), message } satisfies Queued;
    this.jobs.enqueue({ kind: channel, appId, payload: { ...queued } });
    this.log.add(appId, { id: queued.id, channel, kind: message.kind ?? 'one_time_code', recipient: message.to });
  }

  /** The rules of a job handler apply to `deliver`. */
  handle<M>(channel: Channel, deliver: (delivery: Delivery<M>) => Promise<void>): void {
    const attempt: JobHandler = async (payload, _, isLastAttempt) => {
      const { id, appId, askedAt, message } = payload as unknown as Queued;
      try {
        const brand = await this.brands.of(appId);
        if (!brand) throw new JobRefused('the app was deleted');
        await deliver({ id, requestedAt: new Date(askedAt), message: message as M, brand });
        this.attempts.inc({ channel, outcome: 'delivered' });
      } catch (error) {
        const isRefused = error instanceof JobRefused;
        this.attempts.inc({ channel, outcome: isRefused ? 'refused' : 'failed' });
        const isFinal = isRefused || isLastAttempt;
        if (error instanceof NotAttempted && !isFinal) throw error;
        const logged = this.log.notSent(appId, id, isFinal ? 'failed' : 'pending', failureText(error));
        // Another attempt follows: a server that fails must not hold a worker slot longer.
        if (isFinal) await logged;
        else logged.catch(() => undefined);
        throw error;
      }
    };
    const onDone: OnJobsDone = (payloads) => this.log.sent(payloads as unknown as readonly Queued[]);
    this.jobs.handle(channel, attempt, onDone, true);
  }
}

export class DeliveryNotConfigured extends refusal('unavailable', 'delivery_not_configured', {
  message: (what: 'mails' | 'SMS') => `This service is not configured to send ${what}.`,
  help: 'The operator of this service has not configured how to send mails (`SMTP_URL`, `MAIL_FROM`) or SMS (`SMS_URL` or `TWILIO_…`). Nothing was changed and nothing was spent.',
  retryAfterSeconds: 300,
}) {}
