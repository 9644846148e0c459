import { JobRefused } from '../../kernel/jobs.js';
import type { TwilioSettings } from '../config/twilio.js';
import type { Outbox } from '../mail/mail-server.js';
import type { HostNames } from '../outbound/host-names.js';
import { Outbound, type OutboundRequest } from '../outbound/outbound.js';

export interface Sms {
  readonly id: string;
  readonly requestedAt: Date;
  readonly to: string;
  readonly body: string;
}

export abstract class SmsGateway {
  /** Throws `JobRefused` when the gateway never accepts the SMS, any other error when it still may. */
  abstract deliver(sms: Sms): Promise<void>;
}

/** The operator configured the URL, so it may be in a private network. */
function operatorsOutbound(names?: HostNames): Outbound {
  return new Outbound({ allowPrivateNetworks: true }, names);
}

export class HttpSmsGateway extends SmsGateway {
  private readonly outbound: Outbound;
  private readonly url: URL;
  private readonly authorization: Record<string, string>;

  constructor(url: string, names?: HostNames) {
    super();
    this.outbound = operatorsOutbound(names);
    this.url = new URL(url);
    const { username, password } = this.url;
    this.authorization = username
      ? { authorization: basic(decodeURIComponent(username), decodeURIComponent(password)) }
      : {};
    this.url.username = this.url.password = '';
  }

  async deliver({ id, to, body }: Sms): Promise<void> {
    await post(this.outbound, this.url.href, {
      headers: { 'content-type': 'application/json', 'idempotency-key': id, ...this.authorization },
      body: JSON.stringify({ to, body }),
    });
  }
}

/** Twilio has no idempotency key: an SMS whose response is lost is sent again. */
export class TwilioSmsGateway extends SmsGateway {
  private readonly outbound: Outbound;

  constructor(
    private readonly settings: TwilioSettings,
    names?: HostNames,
  ) {
    super();
    this.outbound = operatorsOutbound(names);
  }

  async deliver({ to, body }: Sms): Promise<void> {
    const { url, accountSid, authToken, from } = this.settings;
    await post(this.outbound, `${url}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basic(accountSid, authToken),
      },
      body: new URLSearchParams({
        To: to,
        Body: body,
        [from.startsWith('MG') ? 'MessagingServiceSid' : 'From']: from,
      }).toString(),
    });
  }
}

export class SmsOutbox extends SmsGateway {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  async deliver({ id, requestedAt, to, body }: Sms): Promise<void> {
    await this.outbox.write(requestedAt, `${id}.txt`, `To: ${to}\n\n${body}\n`);
  }
}

async function post(outbound: Outbound, url: string, request: OutboundRequest): Promise<void> {
  // The status alone counts. An answer that failed for its size would send an accepted SMS again.
  const bounds = { timeoutMs: 10_000, maxBytes: 65_536, truncates: true };
  const { status } = await outbound.send(url, { method: 'POST', ...bounds, ...request });
  if (status >= 200 && status < 300) return;
  const text = `the SMS gateway answered ${status}`;
  throw isFinal(status) ? new JobRefused(text) : new Error(text);
}

/** A wrong password or path is the operator's to fix, so the SMS may still be sent. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 404, 407, 408, 425, 429].includes(status);
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
