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

/** A mail as it is handed over. */
export interface MimeMessage {
  /** Bare addresses (RFC 5321), domains in ASCII. */
  readonly envelope: { readonly from: string | false; readonly to: readonly string[] };
  readonly text: string;
}

/**
 * The mail as it is on its way, text and HTML as alternatives (RFC 2046), in one piece. Left to nodemailer's streams it
 * would take twice the processor time, and eight writes to the connection.
 */
export function mimeMessage({ from, to, subject, messageId, date, headers, text, html }: AddressedMail): MimeMessage {
  // From what names this mail for good, so that one sent again is the same to the byte.
  const baseBoundary = messageId.slice(1, messageId.indexOf('@'));
  const node = new MimeNode('multipart/alternative', { baseBoundary });
  node.setHeader({ From: from, To: to, Subject: subject, 'Message-ID': messageId, ...headers });
  node.setHeader('Date', date.toUTCString().replace('GMT', '+0000'));
  const header = node.buildHeaders();
  const next = `\r\n--${node.boundary}`;
  return {
    envelope: node.setEnvelope({ from, to }).getEnvelope(),
    text: `${header}\r\n${next}\r\n${part('plain', text)}${next}\r\n${part('html', html)}${next}--\r\n`,
  };
}

function part(subtype: 'plain' | 'html', content: string): string {
  const lines = content.replace(/\r\n?|\n/g, '\r\n');
  const [encoding, body] = isSevenBit(lines) ? ['7bit', lines] : ['quoted-printable', wrap(encode(lines))];
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;
}

/** Whether it may go as it is (RFC 2045, 2.7): ASCII without NULs, in lines of 998 characters at most. */
function isSevenBit(text: string): boolean {
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii && !text.includes('\0') && text.split('\r\n').every((line) => line.length <= 998);
}
