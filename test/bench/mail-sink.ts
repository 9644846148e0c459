import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * A minimal mail server (RFC 5321) for both sides of the benchmark, in the process that makes the load: it shares the
 * processors with the measured servers.
 */
export class MailSink {
  private readonly server = createServer((socket) => converse(socket, (to, mail) => this.take(to, mail)));
  private readonly waiting = new Map<string, (token: string) => void>();

  static async start(): Promise<MailSink> {
    const sink = new MailSink();
    sink.server.listen(0, '127.0.0.1');
    await once(sink.server, 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The token of the link in the next mail to this address. */
  next(address: string): Promise<string> {
    return new Promise((resolve) => this.waiting.set(address, resolve));
  }

  /** Call it after the senders have stopped. */
  stop(): void {
    this.server.close();
  }

  private take(to: string, mail: string): void {
    // Quoted-printable breaks lines anywhere, and writes the equals sign as its number.
    const text = mail.includes('quoted-printable') ? mail.replaceAll('=\r\n', '').replaceAll('=3D', '=') : mail;
    this.waiting.get(to)?.(/[?&]token=([\w-]+)/.exec(text)?.[1] ?? '');
    this.waiting.delete(to);
  }
}

const END_OF_MAIL = '\r\n.\r\n';

function converse(socket: Socket, take: (to: string, mail: string) => void): void {
  let received = '';
  let to = '';
  let isMail = false;
  socket.setNoDelay().setEncoding('latin1').write('220 bench\r\n');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    received += chunk;
    let replies = '';
    for (;;) {
      const mark = isMail ? END_OF_MAIL : '\r\n';
      const end = received.indexOf(mark);
      if (end < 0) break;
      const text = received.slice(0, end);
      received = received.slice(end + mark.length);
      if (isMail) take(to, text);
      else if (text.startsWith('RCPT')) to = /<(.*)>/.exec(text)?.[1] ?? '';
      replies += isMail ? '250 OK\r\n' : replyTo(text.slice(0, 4).toUpperCase());
      isMail = !isMail && text.toUpperCase() === 'DATA';
    }
    if (replies) socket.write(replies);
  });
}

function replyTo(verb: string): string {
  if (verb === 'EHLO') return '250-bench\r\n250 PIPELINING\r\n';
  return { DATA: '354 Go on\r\n', QUIT: '221 Bye\r\n' }[verb] ?? '250 OK\r\n';
}
