import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  /** The envelope, which is what mail servers act on. */
  readonly from: string;
  readonly to: string;
  readonly raw: string;
  /** As an independent parser understands it. */
  readonly parsed: Email;
}

/** A real SMTP server on loopback that keeps what it is given. */
export interface MailSink {
  /** For `SMTP_URL`. */
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: readonly ReceivedMail[];
  /** The newest mail to this address, waited for if need be. */
  mailTo(address: string, seconds?: number): Promise<ReceivedMail>;
  /** Answers a command on this address with this reply, e.g. `550 5.1.1 no such user`. */
  refuse(command: 'MAIL' | 'RCPT' | 'DATA', address: string, reply: string): void;
  /** Takes it back. */
  accept(command: 'MAIL' | 'RCPT' | 'DATA', address: string): void;
  /** Takes the next mail to this address, and cuts the connection before it says so. */
  loseAnswer(address: string): void;
  /** Cuts every connection, and no new one is taken, as if the process had been killed. */
  kill(): Promise<void>;
  /** Takes connections again, on the same port. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMailSink(): Promise<MailSink> {
  const mails: ReceivedMail[] = [];
  const refusals = new Map<string, string>();
  const lostAnswers = new Set<string>();
  const sockets = new Set<Socket>();
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
          void PostalMime.parse(raw).then((parsed) => {
            const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
            mails.push({ from, to, raw, parsed });
            if (!lostAnswers.delete(to)) return done();
            for (const socket of sockets) socket.destroy();
          });
        });
      },
    });
    // What a dying connection says is of no interest.
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
  };

  await listen();
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async mailTo(address, seconds = 10) {
      for (const deadline = Date.now() + seconds * 1000; ;) {
        const found = mails.findLast(({ to }) => to === address);
        if (found) return found;
        if (Date.now() > deadline) throw new Error(`No mail to ${address} came within ${seconds} s.`);
        await sleep(10);
      }
    },
    refuse: (command, address, reply) => void refusals.set(`${command} ${address}`, reply),
    accept: (command, address) => void refusals.delete(`${command} ${address}`),
    loseAnswer: (address) => void lostAnswers.add(address),
    kill,
    revive: listen,
    stop: kill,
  };
}
