import MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import type { RenderedMail } from './rendered-mail.js';

export interface Mailbox {
  /** Empty: the address stands alone. */
  readonly name: string;
  readonly address: string;
}

/** A mail with all that stands in its header. */
export interface AddressedMail extends RenderedMail {
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The mail as it is on its way, text and HTML as alternatives (RFC 2046), in one piece. Left to nodemailer's streams it
 * would take twice the processor time, and eight writes to the connection.
 */
export function mimeMessage({ from, to, subject, messageId, date, headers, text, html }: AddressedMail): string {
  const node = new MimeNode('multipart/alternative');
  node.setHeader({ From: from, To: to, Subject: subject, 'Message-ID': messageId, ...headers });
  node.setHeader('Date', date.toUTCString().replace('GMT', '+0000'));
  const header = node.buildHeaders();
  const next = `\r\n--${node.boundary}`;
  return `${header}\r\n${next}\r\n${part('plain', text)}${next}\r\n${part('html', html)}${next}--\r\n`;
}

function part(subtype: 'plain' | 'html', content: string): string {
  const body = wrap(encode(content.replace(/\r\n?|\n/g, '\r\n')));
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${body}`;
}
