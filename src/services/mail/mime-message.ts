import { alternativeHead, type Envelope, type Mailbox, quotedPrintable } from './nodemailer-internals.js';
import type { RenderedMail } from './rendered-mail.js';

/** A mail with everything that its header needs. */
export interface AddressedMail extends RenderedMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail in the form in which SMTP carries it. */
export interface MimeMessage {
  readonly envelope: Envelope;
  readonly text: string;
}

/**
 * Composes the mail, with text and HTML as alternatives (RFC 2046), in one piece. nodemailer's streams would take twice the
 * processor time and eight writes to the connection.
 */
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

/** Whether it needs no encoding (RFC 2045, 2.7): ASCII without NULs, in lines of 998 characters at most. */
function isSevenBit(text: string): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii && !text.includes('\0') && text.split('\r\n').every((line) => line.length <= 998);
}
