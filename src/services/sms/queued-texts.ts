import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CountedSend } from '../../kernel/limits.js';
import { type TextMessage, type TextNotice, Texts } from '../../kernel/messages.js';
import { Config } from '../config/config.js';
import { Deliveries, type Delivery, DeliveryNotConfigured } from '../mail/deliveries.js';
import { Outbox } from '../mail/mail-server.js';
import { HostNames } from '../outbound/host-names.js';
import { Log } from '../../kernel/log.js';
import { HttpSmsGateway, type SmsGateway, SmsOutbox, TwilioSmsGateway } from './sms-gateway.js';
import { renderMail } from '../mail/rendered-mail.js';
import { smsText } from './sms-text.js';
import { refusal } from '../../kernel/domain-error.js';

export class SmsCountryNotAllowed extends refusal('forbidden', 'sms_country_not_allowed', {
  message: 'The app sends no SMS to the country of this number.',
  help: "The app sends no SMS to the country of this number. The app's `limits.sms_countries` lists the countries; a live app has none until it sets them.",
}) {}

@Injectable()
export class QueuedTexts extends Texts implements OnModuleInit {
  private readonly gateway: SmsGateway | null;

  constructor(
    private readonly deliveries: Deliveries,
    private readonly config: Config,
    private readonly log: Log,
    names: HostNames,
  ) {
    super();
    this.gateway = gatewayOf(config, names);
  }

  onModuleInit(): void {
    if (!this.gateway) {
      this.log.warn('neither SMS_URL nor TWILIO_… is set: every call that would send an SMS is refused');
    }
    this.deliveries.handle<TextMessage | TextNotice>('sms', (delivery) => this.deliver(delivery));
  }

  get isConfigured(): boolean {
    return this.gateway !== null;
  }

  send({ appId }: CountedSend, message: TextMessage | TextNotice): void {
    if (!this.gateway) throw new DeliveryNotConfigured('SMS');
    this.deliveries.enqueue('sms', appId, message);
  }

  private async deliver({ id, requestedAt, message, brand }: Delivery<TextMessage | TextNotice>): Promise<void> {
    if (!this.gateway) throw new DeliveryNotConfigured('SMS');
    const domain = brand.webDomain ?? new URL(this.config.baseUrl).hostname;
    const body = 'code' in message ? smsText(message, brand, domain) : renderMail(message, brand).subject;
    await this.gateway.deliver({ id, requestedAt, to: message.to, body });
    // Outside development a log must not contain a usable code.
    if (this.gateway instanceof SmsOutbox && this.config.nodeEnv === 'development' && 'code' in message) {
      this.log.info({ code: message.code }, 'SMS written to the outbox');
    }
  }
}

function gatewayOf({ smsUrl, twilio, isProduction, dataDir }: Config, names: HostNames): SmsGateway | null {
  if (smsUrl) return new HttpSmsGateway(smsUrl, names);
  if (twilio) return new TwilioSmsGateway(twilio, names);
  return isProduction ? null : new SmsOutbox(new Outbox(dataDir));
}
