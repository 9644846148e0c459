import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Counter } from 'prom-client';
import { Clock } from '../../kernel/clock.js';
import type { AppId } from '../../kernel/ids.js';
import { JobRefused, Jobs } from '../../kernel/jobs.js';
import { type Mail, Mailer } from '../../kernel/messages.js';
import { Config } from '../config/config.js';
import { Log } from '../observability/log.js';
import { HttpMetrics } from '../observability/metrics.js';
import { Brands } from './brands.js';
import { DeliveryNotConfigured } from './errors.js';
import { MailOutbox, type MailServer, SmtpServer } from './mail-server.js';
import { Outbox } from './outbox.js';
import { renderMail } from './rendered-mail.js';
import { oneLine } from './words.js';

const JOB = 'mail';

interface QueuedMail {
  /** Names the mail for good: a repetition is the same message to mail servers and mail programs. */
  readonly id: string;
  readonly appId: AppId;
  /** When it was asked for, in milliseconds. */
  readonly at: number;
  readonly mail: Mail;
}

/** Mails as jobs: written with the change they tell of, put into words and handed to the mail server afterwards. */
@Injectable()
export class QueuedMailer extends Mailer implements OnModuleInit, OnApplicationShutdown {
  private readonly server: MailServer | null;
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
    this.server = serverOf(config);
    this.tellsAll = config.nodeEnv === 'development' && !config.smtpUrl;
    this.delivered = new Counter({
      name: 'mails_total',
      help: 'Attempts to hand a mail to the mail server.',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  onModuleInit(): void {
    if (!this.server) this.log.warn('SMTP_URL is not set: every call that would send a mail is refused');
    this.jobs.handle(JOB, (payload) => this.deliver(payload as unknown as QueuedMail));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  async send(appId: AppId, mail: Mail): Promise<void> {
    if (!this.server) throw new DeliveryNotConfigured('mails');
    const payload: QueuedMail = { id: randomUUID(), appId, at: this.clock.now().getTime(), mail };
    await this.jobs.enqueue({ kind: JOB, payload: { ...payload } });
  }

  private async deliver({ id, appId, at, mail }: QueuedMail): Promise<void> {
    if (!this.server) throw new DeliveryNotConfigured('mails');
    const brand = await this.brands.of(appId);
    if (!brand) throw new JobRefused('the app was deleted');
    try {
      await this.server.deliver({
        from: { name: oneLine(brand.senderName), address: brand.senderAddress ?? this.config.mailFrom },
        to: { name: '', address: mail.to },
        ...renderMail(mail, brand),
        messageId: `<${id}@${new URL(this.config.baseUrl).hostname}>`,
        date: new Date(at),
        // Nobody is away on holiday for a machine (RFC 3834; the second is what Exchange reads).
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
    } catch (error) {
      this.delivered.inc({ outcome: error instanceof JobRefused ? 'refused' : 'failed' });
      throw error;
    }
    this.delivered.inc({ outcome: 'delivered' });
    if (this.tellsAll) this.log.info({ kind: mail.kind, ...secretOf(mail) }, 'mail written to the outbox');
  }
}

function serverOf(config: Config): MailServer | null {
  if (config.smtpUrl) return new SmtpServer(config.smtpUrl);
  return config.isProduction ? null : new MailOutbox(new Outbox(config.dataDir));
}

function secretOf(mail: Mail): { link: string } | { code: string } {
  return mail.kind === 'one_time_code' ? { code: mail.code } : { link: mail.link };
}
