import { Injectable, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Counter } from 'prom-client';
import { Clock } from '../../kernel/clock.js';
import type { AppId } from '../../kernel/ids.js';
import { JobRefused, Jobs } from '../../kernel/jobs.js';
import { type TextMessage, Texts } from '../../kernel/messages.js';
import { Config } from '../config/config.js';
import { Brands } from '../mail/brands.js';
import { DeliveryNotConfigured } from '../mail/errors.js';
import { Outbox } from '../mail/outbox.js';
import { Log } from '../observability/log.js';
import { HttpMetrics } from '../observability/metrics.js';
import { gatewayOf, type SmsGateway } from './sms-gateway.js';
import { smsText } from './sms-text.js';

const JOB = 'sms';

interface QueuedText {
  readonly id: string;
  readonly appId: AppId;
  /** When it was asked for, in milliseconds. */
  readonly at: number;
  readonly message: TextMessage;
}

/** SMS as jobs: see `QueuedMailer`. */
@Injectable()
export class QueuedTexts extends Texts implements OnModuleInit {
  private readonly gateway: SmsGateway | null;
  private readonly delivered: Counter<'outcome'>;
  /** Only in development: anywhere else a log must not let anybody in. */
  private readonly tellsAll: boolean;

  constructor(
    private readonly jobs: Jobs,
    private readonly brands: Brands,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly log: Log,
    { registry }: HttpMetrics,
  ) {
    super();
    this.gateway = gatewayOf(config, () => new Outbox(config.dataDir));
    this.tellsAll = config.nodeEnv === 'development' && !config.smsUrl && !config.twilio;
    this.delivered = new Counter({
      name: 'sms_total',
      help: 'Attempts to hand an SMS to the gateway.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  onModuleInit(): void {
    if (!this.gateway)
      this.log.warn('neither SMS_URL nor TWILIO_… is set: every call that would send an SMS is refused');
    this.jobs.handle(JOB, (payload) => this.deliver(payload as unknown as QueuedText));
  }

  async send(appId: AppId, message: TextMessage): Promise<void> {
    if (!this.gateway) throw new DeliveryNotConfigured('SMS');
    const payload: QueuedText = { id: randomUUID(), appId, at: this.clock.now().getTime(), message };
    await this.jobs.enqueue({ kind: JOB, payload: { ...payload } });
  }

  private async deliver({ id, appId, at, message }: QueuedText): Promise<void> {
    if (!this.gateway) throw new DeliveryNotConfigured('SMS');
    const brand = await this.brands.of(appId);
    if (!brand) throw new JobRefused('the app was deleted');
    const body = smsText(message, brand, brand.webDomain ?? new URL(this.config.baseUrl).hostname);
    try {
      await this.gateway.deliver({ id, at: new Date(at), to: message.to, body });
    } catch (error) {
      this.delivered.inc({ outcome: error instanceof JobRefused ? 'refused' : 'failed' });
      throw error;
    }
    this.delivered.inc({ outcome: 'delivered' });
    if (this.tellsAll) this.log.info({ code: message.code }, 'SMS written to the outbox');
  }
}
