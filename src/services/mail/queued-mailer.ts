import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { CountedSend } from '../../kernel/limits.js';
import { type Mail, Mailer } from '../../kernel/messages.js';
import { Config } from '../config/config.js';
import { Log } from '../../kernel/log.js';
import { HostNames } from '../outbound/host-names.js';
import { Deliveries, type Delivery, DeliveryNotConfigured } from './deliveries.js';
import { MailOutbox, type MailServer, SmtpServer, Outbox } from './mail-server.js';
import { renderMail } from './rendered-mail.js';
import { oneLine } from './words.js';

@Injectable()
export class QueuedMailer extends Mailer implements OnModuleInit, OnApplicationShutdown {
  private readonly server: MailServer | null;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly config: Config,
    private readonly log: Log,
    names: HostNames,
  ) {
    super();
    this.server = serverOf(config, names);
  }

  onModuleInit(): void {
    if (!this.server) this.log.warn('SMTP_URL is not set: every call that would send a mail is refused');
    this.deliveries.handle<Mail>('mail', (delivery) => this.deliver(delivery));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  get isConfigured(): boolean {
    return this.server !== null;
  }

  send({ appId }: CountedSend, mail: Mail): void {
    if (!this.server) throw new DeliveryNotConfigured('mails');
    this.deliveries.enqueue('mail', appId, mail);
  }

  private async deliver({ id, requestedAt, message: mail, brand }: Delivery<Mail>): Promise<void> {
    if (!this.server) throw new DeliveryNotConfigured('mails');
    await this.server.deliver({
      from: { name: oneLine(brand.senderName), address: brand.senderAddress ?? this.config.mailFrom },
      to: { name: '', address: mail.to },
      ...renderMail(mail, brand),
      messageId: `<${id}@${new URL(this.config.baseUrl).hostname}>`,
      date: requestedAt,
      // The headers suppress automatic replies such as holiday notices (RFC 3834; Exchange reads the second one).
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    });
    // Outside development a log must not contain a usable link or code.
    if (this.server instanceof MailOutbox && this.config.nodeEnv === 'development') {
      const { kind } = mail;
      const secret = 'code' in mail ? { code: mail.code } : 'link' in mail ? { link: mail.link } : {};
      this.log.info({ kind, ...secret }, 'mail written to the outbox');
    }
  }
}

function serverOf(config: Config, names: HostNames): MailServer | null {
  if (config.smtpUrl) return new SmtpServer(config.smtpUrl, undefined, names);
  return config.isProduction ? null : new MailOutbox(new Outbox(config.dataDir));
}
