import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { JobRefused } from '../../../src/kernel/jobs.js';
import { SmtpServer, type AddressedMail } from '../../../src/services/mail/mail-server.js';
import { type MailSink, startMailSink } from '../../support/smtp-server.js';

const mail: AddressedMail = {
  from: { name: 'Acme', address: 'no-reply@acme.example' },
  to: { name: '', address: 'ann@example.com' },
  messageId: '<0b7e6a52-5b0e-4a3a-9f6c-2f1d3c4b5a69@auth.acme.example>',
  date: new Date(0),
  headers: {},
  subject: 'Hello',
  text: 'Hello\n.\n',
  html: '<p>Hello</p>',
};

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a mail server', () => {
  let sink: MailSink;
  beforeAll(async () => {
    sink = await startMailSink();
  });
  afterAll(() => sink.stop());

  it('receives complete mails, one after another', async () => {
    const server = new SmtpServer(sink.url);
    for (let n = 0; n < 3; n++) await server.deliver(mail);
    expect(sink.mails.map(({ parsed }) => parsed.text?.trimEnd())).toEqual(['Hello\n.', 'Hello\n.', 'Hello\n.']);
    expect(new Set(sink.mails.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(['no-reply@acme.example ann@example.com']),
    );
    await server.close();
  });

  it('is reached only through the proxy that its URL names', async () => {
    let tunnels = 0;
    const proxy = createHttpServer().on('connect', (request, socket: Socket) => {
      tunnels++;
      const { hostname, port } = new URL(`http://${request.url}`);
      const target = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(socket).pipe(target);
      });
      target.on('error', () => socket.destroy());
      socket.on('error', () => target.destroy());
    });
    const url = `${sink.url}?proxy=http://127.0.0.1:${await listening(proxy)}`;
    const server = new SmtpServer(url);
    await server.deliver(mail);
    expect(tunnels).toBe(1);
    await server.close();
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    const delivered = sink.mails.length;
    const cut = new SmtpServer(url);
    await expect(cut.deliver(mail)).rejects.toThrow('the mail server failed');
    expect(sink.mails).toHaveLength(delivered);
    await cut.close();
  });

  describe('without SMTPUTF8', () => {
    const commands: string[] = [];
    const plain = createServer((socket) => {
      socket.write('220 mail.example ESMTP\r\n');
      let isData = false;
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        for (const line of chunk.split('\r\n').slice(0, -1)) {
          if (isData && line !== '.') continue;
          if (!isData) commands.push(line);
          if (line.startsWith('EHLO')) socket.write('250-mail.example\r\n250 8BITMIME\r\n');
          else socket.write(line === 'DATA' ? '354 go on\r\n' : '250 2.0.0 ok\r\n');
          isData = line === 'DATA';
        }
      });
      socket.on('error', () => undefined);
    });
    const to = (address: string): AddressedMail => ({ ...mail, to: { name: '', address } });
    let server: SmtpServer;
    beforeAll(async () => {
      server = new SmtpServer(`smtp://127.0.0.1:${await listening(plain)}`);
    });
    afterAll(async () => {
      await server.close();
      plain.close();
    });

    it('is not given an address that needs it, and says so; other mails go on', async () => {
      await server.deliver(mail);
      const refused = server.deliver(to('grüße@example.com'));
      await expect(refused).rejects.toBeInstanceOf(JobRefused);
      await expect(refused).rejects.toThrow(/lacks SMTPUTF8/);
      await server.deliver(to('ann@bücher.example'));
      expect(commands.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
        'MAIL FROM:<no-reply@acme.example>',
        'RCPT TO:<ann@example.com>',
        'MAIL FROM:<no-reply@acme.example>',
        'RCPT TO:<ann@xn--bcher-kva.example>',
      ]);
    });

    it('says so before a mail is sent', async () => {
      expect(await server.gap()).toMatch(/lacks SMTPUTF8/);
      const full = new SmtpServer(sink.url);
      expect(await full.gap()).toBeNull();
      await full.deliver(to('grüße@example.com'));
      expect(sink.mails.at(-1)).toMatchObject({ to: 'grüße@example.com' });
      await full.close();
    });

    it('is a fault of its own where it does not answer', async () => {
      const away = new SmtpServer('smtp://127.0.0.1:1');
      await expect(away.gap()).rejects.toThrow();
      await away.close();
    });
  });

  it('that answers byte by byte is given up after the longest delivery time', async () => {
    const sockets = new Set<Socket>();
    const trickling = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      const drip = setInterval(() => socket.write('2'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const server = new SmtpServer(`smtp://127.0.0.1:${await listening(trickling)}`, 300);
    await expect(server.deliver(mail)).rejects.toThrow('the mail server failed: EABORT');
    await server.close();
    for (const socket of sockets) socket.destroy();
    trickling.close();
  });
});
