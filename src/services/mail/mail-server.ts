import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  alternativeHead,
  type Envelope,
  type Mailbox,
  quotedPrintable,
  ComposedMailPool,
  SMTPUTF8,
} from './nodemailer-internals.js';
import type { RenderedMail } from './rendered-mail.js';
import { JobRefused } from '../../kernel/jobs.js';
import { HostNames } from '../outbound/host-names.js';

/** Development and tests use it without a server. */
export class Outbox {
  private readonly directory: string;

  constructor(dataDir: string) {
    this.directory = join(dataDir, 'outbox');
  }

  /** The name sorts by time. The file is complete or absent; writing it again replaces it. */
  async write(at: Date, name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const file = join(this.directory, `${at.toISOString().replaceAll(':', '-')}-${name.replace(/[^\w.-]+/g, '')}`);
    await writeFile(`${file}.part`, content, { mode: 0o600 });
    await rename(`${file}.part`, file);
  }
}

export interface AddressedMail extends RenderedMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
}

interface MimeMessage {
  readonly envelope: Envelope;
  readonly text: string;
}

/** Text and HTML as alternatives (RFC 2046), in one piece: nodemailer's streams take twice the processor time and eight writes. */
export function mimeMessage({ from, to, subject, messageId, date, headers, text, html }: AddressedMail): MimeMessage {
  // Derived from the message id, so that a mail that is sent again has the same bytes.
  const baseBoundary = messageId.slice(1, messageId.indexOf('@'));
  const { header, boundary, envelope } = alternativeHead(baseBoundary, {
    from,
    to,
    Subject: subject,
    'Message-ID': messageId,
    ...headers,
    Date: date.toUTCString().replace('GMT', '+0000'),
  });
  const next = `\r\n--${boundary}`;
  return {
    envelope,
    text: `${header}\r\n${next}\r\n${part('plain', text)}${next}\r\n${part('html', html)}${next}--\r\n`,
  };
}

function part(subtype: 'plain' | 'html', content: string): string {
  const lines = content.replace(/\r\n?|\n/g, '\r\n');
  const [encoding, body] = isSevenBit(lines) ? ['7bit', lines] : ['quoted-printable', quotedPrintable(lines)];
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;
}

/** RFC 2045, 2.7. */
function isSevenBit(text: string): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii && !text.includes('\0') && text.split('\r\n').every((line) => line.length <= 998);
}

export abstract class MailServer {
  /** Throws `JobRefused` when the server never accepts the mail, any other error when it still may. */
  abstract deliver(mail: AddressedMail): Promise<void>;

  async close(): Promise<void> {}
}

/** Connections stay open for a while. */
export class SmtpServer extends MailServer {
  private readonly pool: ComposedMailPool;
  private lastDelivery = -Infinity;
  private unavailableUntil = -Infinity;

  constructor(
    url: string,
    private readonly longestDeliveryMs = LONGEST_DELIVERY_MS,
    names: Pick<HostNames, 'lookup'> = new HostNames(),
  ) {
    super();
    this.pool = new ComposedMailPool(url, names.lookup);
  }

  override async deliver(mail: AddressedMail): Promise<void> {
    const begun = performance.now();
    // A job that waits for a silent server uses a worker slot, which other jobs need.
    if (begun < this.unavailableUntil) throw new NotAttempted('the mail server did not answer a moment ago');
    // The pool's timeouts start again with every byte. Cleared, because AbortSignal.timeout would fire for every mail.
    const tooLong = new AbortController();
    const timer = setTimeout(() => tooLong.abort(), this.longestDeliveryMs);
    try {
      await this.pool.send({ ...mimeMessage(mail), messageId: mail.messageId }, tooLong.signal);
      this.lastDelivery = performance.now();
      this.unavailableUntil = -Infinity;
    } catch (error) {
      const reply = replyIn(error);
      const isSilent = !reply.status && !reply.isFinal;
      if (isSilent && this.lastDelivery < begun) this.unavailableUntil = performance.now() + UNAVAILABLE_MS;
      throw reply.isFinal ? new JobRefused(reply.text) : new Error(reply.text);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The mails that the server does not take, as a sentence. Rejects if the server is not reached. */
  async gap(): Promise<string | null> {
    return (await this.pool.takesAllAddresses()) ? null : NO_SMTPUTF8;
  }

  override async close(): Promise<void> {
    this.pool.close();
  }
}

const NO_SMTPUTF8 =
  'the mail server lacks SMTPUTF8 (RFC 6531), which addresses with letters outside ASCII before the @ need';

export class NotAttempted extends Error {}

const UNAVAILABLE_MS = 2_000;
const LONGEST_DELIVERY_MS = 30_000;

/** The server's text is left out, because it may repeat the address or the mail. */
function replyIn(error: unknown): { status: number; isFinal: boolean; text: string } {
  const {
    code,
    command,
    response,
    responseCode: status = 0,
  } = error as Record<string, unknown> & { responseCode?: number };
  if (command === SMTPUTF8) return { status, isFinal: true, text: NO_SMTPUTF8 };
  const enhanced = typeof response === 'string' ? (/^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? '') : '';
  // 530 asks for a login. Like every reply before the sender is named, it is the operator's to fix, so the mail may still be sent.
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

export class MailOutbox extends MailServer {
  constructor(private readonly outbox: Outbox) {
    super();
  }

  override async deliver(mail: AddressedMail): Promise<void> {
    await this.outbox.write(mail.date, `${mail.messageId}.eml`, mimeMessage(mail).text);
  }
}
