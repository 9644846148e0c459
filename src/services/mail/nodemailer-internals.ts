import { createTransport } from 'nodemailer';
import MimeNode from 'nodemailer/lib/mime-node';
import { encode, wrap } from 'nodemailer/lib/qp';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import { connect, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { requireVersion } from '../../postgres/written-for.js';

requireVersion('nodemailer', '10.6');

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** RFC 5321, with domains in ASCII. */
export interface Envelope {
  readonly from: string | false;
  readonly to: readonly string[];
}

export interface MimeHead {
  /** The encoded header, without the empty line that ends it. */
  readonly header: string;
  readonly boundary: string;
  readonly envelope: Envelope;
}

/** The same `baseBoundary` always gives the same boundary. */
export function alternativeHead(
  baseBoundary: string,
  fields: { readonly from: Mailbox; readonly to: Mailbox } & Readonly<Record<string, unknown>>,
): MimeHead {
  const { from, to, ...rest } = fields;
  const node = new MimeNode('multipart/alternative', { baseBoundary });
  node.setHeader({ From: from, To: to, ...rest });
  const header = node.buildHeaders();
  return { header, boundary: node.boundary as string, envelope: node.setEnvelope({ from, to }).getEnvelope() };
}

export function quotedPrintable(text: string): string {
  return wrap(encode(text));
}

export interface ComposedMail {
  readonly envelope: Envelope;
  readonly messageId: string;
  readonly text: string;
}

const CONNECTION_MS = 5_000;

/** Marks the error when the server lacks the extension. */
export const SMTPUTF8 = 'SMTPUTF8';

interface PrivateConnection {
  readonly _supportedExtensions: readonly string[];
  _setEnvelope: (this: PrivateConnection, envelope: Envelope, callback: (error: Error | null) => void) => void;
  _formatError(message: string, type: string, response: false, command: string): Error;
}

// Otherwise nodemailer sends such an address to a server without the extension, which refuses it without a cause, or changes it.
const connections = SMTPConnection.prototype as unknown as PrivateConnection;
const setEnvelope = connections._setEnvelope;
connections._setEnvelope = function (envelope, callback) {
  const isAscii = [envelope.from || '', ...envelope.to].every(
    (address) => Buffer.byteLength(address) === address.length,
  );
  if (isAscii || this._supportedExtensions.includes(SMTPUTF8)) setEnvelope.call(this, envelope, callback);
  else callback(this._formatError('SMTPUTF8 is missing', 'EENVELOPE', false, SMTPUTF8));
};

/** `sendMail` would compose the mails again, which takes as long as the conversation with the server. */
export class ComposedMailPool {
  private readonly pool: SMTPPool;

  constructor(
    url: string,
    private readonly lookup: LookupFunction,
  ) {
    const transport = createTransport({
      pool: true,
      maxConnections: 8,
      // The job repeats a mail. One requeue covers a connection that the server closed while it was idle.
      maxRequeues: 1,
      idleTimeout: 30_000,
      connectionTimeout: CONNECTION_MS,
      greetingTimeout: 5_000,
      socketTimeout: 15_000,
      url,
    });
    this.pool = transport.transporter as SMTPPool;
    // `getSocket` is a function when the URL names a proxy. Otherwise this class opens the socket: nodemailer would use getaddrinfo.
    this.pool.getSocket = transport.getSocket || ((options, done) => this.connect(options, done));
  }

  send({ envelope, messageId, text }: ComposedMail, signal: AbortSignal): Promise<void> {
    const message = {
      // A copy, because nodemailer changes it.
      getEnvelope: () => ({ ...envelope }),
      messageId: () => messageId,
      getHeader: () => messageId,
      createReadStream: () => Readable.from(text),
    };
    return new Promise((resolve, reject) => {
      this.pool.send({ data: { signal }, message } as unknown as Sent, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Addresses with letters outside ASCII before the `@`. Rejects if the server is not reached. */
  takesAllAddresses(): Promise<boolean> {
    const { options } = this.pool;
    return new Promise((resolve, reject) => {
      this.pool.getSocket(options, (error, socket) => {
        if (error) return reject(error);
        const connection = new SMTPConnection({ ...options, ...socket });
        connection.once('error', reject).once('end', () => reject(new Error('the mail server ended the connection')));
        connection.connect(() => {
          resolve((connection as unknown as PrivateConnection)._supportedExtensions.includes(SMTPUTF8));
          connection.quit();
        });
      });
    });
  }

  close(): void {
    this.pool.close();
  }

  private connect({ host = 'localhost', port, secure }: SMTPPool.Options, done: GotSocket): void {
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587), lookup: this.lookup });
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
}

type Sent = Parameters<SMTPPool['send']>[0];
type GotSocket = Parameters<SMTPPool['getSocket']>[1];
