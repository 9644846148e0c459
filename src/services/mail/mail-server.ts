import { createTransport } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { JobRefused } from '../../kernel/jobs.js';
import { HostNames } from '../outbound/host-names.js';
import { type AddressedMail, mimeMessage } from './mime-message.js';
import type { Outbox } from './outbox.js';

/** Takes mails on their way. */
export abstract class MailServer {
  /** Resolves when the mail is in other hands. Throws `JobRefused` when it never will be, anything else when it may yet. */
  abstract deliver(mail: AddressedMail): Promise<void>;

  async close(): Promise<void> {}
}

/** A mail server spoken to by SMTP, over connections that stay open for a while. */
export class SmtpServer extends MailServer {
  private readonly pool: SMTPPool;
  private lastDelivery = -Infinity;
  private awayUntil = -Infinity;

  constructor(
    url: string,
    /** Milliseconds a mail may take. */
    private readonly patienceMs = LONGEST_MS,
    private readonly names: Pick<HostNames, 'lookup'> = new HostNames(),
  ) {
    super();
    const transport = createTransport({
      pool: true,
      maxConnections: 8,
      // Sent again by its job, not in here: once more only, for a connection the server closed while it was idle.
      maxRequeues: 1,
      idleTimeout: 30_000,
      connectionTimeout: CONNECTION_MS,
      greetingTimeout: 5_000,
      socketTimeout: 15_000,
      url,
    });
    this.pool = transport.transporter as SMTPPool;
    // What `sendMail` would do first: it is a function where the URL names a proxy. Without one the socket is made
    // here, because nodemailer falls back to getaddrinfo.
    this.pool.getSocket = transport.getSocket || ((options, done) => this.connect(options, done));
  }

  override async deliver(mail: AddressedMail): Promise<void> {
    const begun = performance.now();
    // Whoever waits for a server that hangs holds up what else waits: SMS, webhooks.
    if (begun < this.awayUntil) throw new Error('the mail server did not answer a moment ago');
    // The timeouts above begin anew with every byte; this one ends the slowest trickle. Not AbortSignal.timeout, which
    // would go off for every mail, delivered or not.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.patienceMs);
    try {
      await this.send(mail, patience.signal);
      this.lastDelivery = performance.now();
      this.awayUntil = -Infinity;
    } catch (error) {
      const reply = replyIn(error);
      const isSilent = !reply.status && !reply.isFinal;
      if (isSilent && this.lastDelivery < begun) this.awayUntil = performance.now() + AWAY_MS;
      throw reply.isFinal ? new JobRefused(reply.text) : new Error(reply.text);
    } finally {
      clearTimeout(timer);
    }
  }

  override async close(): Promise<void> {
    this.pool.close();
  }

  private connect({ host = 'localhost', port, secure }: SMTPPool.Options, done: GotSocket): void {
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587), lookup: this.names.lookup });
    const fail = (error: Error): void => done(error, undefined);
    const giveUp = (): void => void socket.destroy(new Error('the mail server cannot be reached in time'));
    socket
      .setTimeout(CONNECTION_MS)
      .once('error', fail)
      .once('timeout', giveUp)
      .once('connect', () => {
        socket.setTimeout(0).off('error', fail).off('timeout', giveUp);
        done(null, { connection: socket });
      });
  }

  /** As nodemailer itself asks its transports to send: the mail is composed already, and doing that again takes as long as the conversation. */
  private send(mail: AddressedMail, signal: AbortSignal): Promise<void> {
    const { envelope, text } = mimeMessage(mail);
    const message = {
      // Written to while it is spoken of.
      getEnvelope: () => ({ ...envelope }),
      messageId: () => mail.messageId,
      getHeader: () => mail.messageId,
      createReadStream: () => Readable.from(text),
    };
    return new Promise((resolve, reject) => {
      this.pool.send({ data: { signal }, message } as unknown as Sent, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** What the pool reads of a mail. */
type Sent = Parameters<SMTPPool['send']>[0];

type GotSocket = Parameters<SMTPPool['getSocket']>[1];

const CONNECTION_MS = 5_000;
const AWAY_MS = 2_000;
const LONGEST_MS = 30_000;

/** What a failure says, without the words of the server, which may repeat the address or the mail. */
function replyIn(error: unknown): { status: number; isFinal: boolean; text: string } {
  const {
    code,
    command,
    response,
    responseCode: status = 0,
  } = error as Record<string, unknown> & { responseCode?: number };
  const enhanced = typeof response === 'string' ? (/^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? '') : '';
  // 530 asks for a login: the operator's matter, as everything is that the server says before a sender is named.
  const isFinal = (code === 'EENVELOPE' || code === 'EMESSAGE') && (status === 0 || (status >= 500 && status !== 530));
  const words = [
    'the mail server',
    isFinal ? 'refused:' : 'failed:',
    code,
    command !== 'CONN' && command,
    status || '',
    enhanced,
  ];
  return { status, isFinal, text: words.filter(Boolean).join(' ') };
}

/** In place of a mail server: each mail becomes a file that mail programs open. */
export class MailOutbox extends MailServer {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  override async deliver(mail: AddressedMail): Promise<void> {
    await this.outbox.write(mail.date, `${mail.messageId}.eml`, mimeMessage(mail).text);
  }
}
