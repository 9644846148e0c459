import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.js';

export interface ReceivedMail {
  /** The envelope, which decides about the delivery. */
  readonly from: string;
  readonly to: string;
  readonly raw: string;
  /** The mail as an independent parser reads it. */
  readonly parsed: Email;
}

/** A real SMTP server on loopback that stores the mails it receives. */
export interface MailSink {
  /** For `SMTP_URL`. */
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: readonly ReceivedMail[];
  /** Waits for a mail to this address and returns the newest one. */
  mailTo(address: string): Promise<ReceivedMail>;
  /** Answers a command on this address with this reply, e.g. `550 5.1.1 no such user`. */
  refuse(command: 'MAIL' | 'RCPT' | 'DATA', address: string, reply: string): void;
  /** Undoes `answer`. */
  accept(command: 'MAIL' | 'RCPT' | 'DATA', address: string): void;
  /** Accepts the next mail to this address and cuts the connection before the reply. */
  loseAnswer(address: string): void;
  /** Cuts every connection and refuses new ones, as if the process had been killed. */
  kill(): Promise<void>;
  /** Accepts connections again, on the same port. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMailSink(): Promise<MailSink> {
  const mails: ReceivedMail[] = [];
  const refusals = new Map<string, string>();
  const lostAnswers = new Set<string>();
  const sockets = new Set<Socket>();
  /** Mails that were received and are not among `mails` yet. */
  const parsings = new Set<Promise<void>>();
  let port = 0;
  let server: SMTPServer;

  const verdict = (command: string, address: string): Error | null => {
    const reply = refusals.get(`${command} ${address}`);
    if (reply === undefined) return null;
    return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
  };
  const listen = async (): Promise<void> => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onMailFrom: ({ address }, _session, done) => done(verdict('MAIL', address)),
      onRcptTo: ({ address }, _session, done) => done(verdict('RCPT', address)),
      onData(stream, { envelope }, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString();
          const to = envelope.rcptTo[0]!.address;
          const refusal = verdict('DATA', to);
          if (refusal) return done(refusal);
          const parsing = PostalMime.parse(raw).then((parsed) => {
            const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
            mails.push({ from, to, raw, parsed });
            if (!lostAnswers.delete(to)) return done();
            for (const socket of sockets) socket.destroy();
          });
          parsings.add(parsing);
          void parsing.finally(() => parsings.delete(parsing));
        });
      },
    });
    // Errors of a closing connection do not matter.
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.server.address() as AddressInfo);
  };
  const kill = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
    await Promise.all(parsings);
  };

  await listen();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mailTo: (address) =>
      eventually(() => {
        const found = mails.findLast(({ to }) => to === address);
        if (!found) throw new Error(`No mail to ${address} came.`);
        return found;
      }),
    refuse: (command, address, reply) => void refusals.set(`${command} ${address}`, reply),
    accept: (command, address) => void refusals.delete(`${command} ${address}`),
    loseAnswer: (address) => void lostAnswers.add(address),
    kill,
    revive: listen,
    stop: kill,
  };
}
