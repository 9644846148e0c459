import http, { type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import { newId } from '../../../src/kernel/ids.js';
import { OutboundIssuerCheck } from '../../../src/modules/apps/infrastructure/outbound-issuer-check.js';
import { OutboundReceivers } from '../../../src/modules/webhooks/infrastructure/outbound-receivers.js';
import type { NameOptions } from '../../../src/services/outbound/host-names.js';
import { OutboundFailed, UrlNotAllowed } from '../../../src/services/outbound/outbound.errors.js';
import { Outbound } from '../../../src/services/outbound/outbound.js';
import { isPublicAddress } from '../../../src/services/outbound/public-address.js';

const strict = new Outbound({ allowPrivateNetworks: false });
const lenient = new Outbound({ allowPrivateNetworks: true });

/** A resolver that gives each caller the next of its answers, and then the last one. */
class LyingNameServer extends Outbound {
  readonly asked: string[];
  readonly options: NameOptions[];
  constructor(answers: string[][]) {
    const asked: string[] = [];
    const given: NameOptions[] = [];
    super(
      { allowPrivateNetworks: false },
      {
        lookup: (name, options, done) => {
          asked.push(name);
          given.push(options);
          const next = answers.length > 1 ? answers.shift()! : answers[0]!;
          done(
            null,
            next.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
          );
        },
      },
    );
    this.asked = asked;
    this.options = given;
  }
}

class SilentNameServer extends Outbound {
  constructor() {
    super({ allowPrivateNetworks: false }, { lookup: () => undefined });
  }
}

/** A resolver that answers each query when its entry of `answers` is called. */
class SlowNameServer extends Outbound {
  readonly answers: (() => void)[];
  constructor() {
    const answers: (() => void)[] = [];
    super(
      { allowPrivateNetworks: false },
      { lookup: (_name, _options, done) => void answers.push(() => done(null, [{ address: '8.8.8.8', family: 4 }])) },
    );
    this.answers = answers;
  }
}

const servers: Server[] = [];
async function serve(handler: RequestListener): Promise<string> {
  const server = http.createServer(handler);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
/** A server that answers each connection with the same bytes and leaves it open. */
async function serveText(text: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => socket.write(text));
  });
  texts.push({ server, sockets });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const texts: { readonly server: NetServer; readonly sockets: ReadonlySet<Socket> }[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  for (const { server, sockets } of texts.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

describe('an address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'localhost',
    '4000::1',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2606:4700::1111'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('storing a URL', () => {
  it.each([
    'not a url',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:pass@8.8.8.8/',
    'https://user@8.8.8.8/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[fd00:ec2::254]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://localhost/',
  ])('refuses %s', (url) => expect(strict.assertPublicUrl(url)).rejects.toThrow(UrlNotAllowed));

  it('returns the canonical form of a public URL', async () => {
    expect((await strict.assertPublicUrl('HTTPS://8.8.8.8:443/a/../b')).href).toBe('https://8.8.8.8/b');
  });

  it('refuses a name one of whose addresses is private', async () => {
    const outbound = new LyingNameServer([['8.8.8.8', '10.0.0.7']]);
    await expect(outbound.assertPublicUrl('https://provider.example/')).rejects.toThrow(UrlNotAllowed);
  });

  it('accepts a name that does not resolve at the moment', async () => {
    await expect(strict.assertPublicUrl('https://no-such-host.invalid/')).resolves.toBeInstanceOf(URL);
  });

  it('does not wait for a name server that does not respond', async () => {
    await expect(new SilentNameServer().assertPublicUrl('https://provider.example/')).resolves.toBeInstanceOf(URL);
  });

  it('is refused when 32 look-ups of the app are under way, while another app is not', async () => {
    const outbound = new SlowNameServer();
    const [app, other] = [newId('app'), newId('app')];
    const first = Array.from({ length: 32 }, (_, i) => outbound.assertPublicUrl(`https://${i}.slow.example/`, app));
    const refused = [
      () => outbound.assertPublicUrl('https://more.slow.example/', app),
      () => new OutboundReceivers(outbound).faultOf(app, 'https://more.slow.example/'),
      () => new OutboundIssuerCheck(outbound).assertCallable(app, 'https://more.slow.example/'),
    ];
    for (const set of refused) await expect(set()).rejects.toThrow(TooManyRequests);
    expect(outbound.answers).toHaveLength(32);

    const others = outbound.assertPublicUrl('https://other.example/', other);
    outbound.answers[32]!();
    await others;

    // The service no longer waits for the first 32 names, but their look-ups are still under way.
    await Promise.all(first);
    await expect(outbound.assertPublicUrl('https://more.slow.example/', app)).rejects.toThrow(TooManyRequests);
    outbound.answers[0]!();
    const next = outbound.assertPublicUrl('https://next.example/', app);
    outbound.answers[33]!();
    await next;
  });

  it('leaves what is remembered of other names, unlike a call', async () => {
    const outbound = new LyingNameServer([['8.8.8.8'], ['127.0.0.1']]);
    await outbound.assertPublicUrl('https://any.example/');
    await expect(outbound.send('https://any.example/')).rejects.toThrow(UrlNotAllowed);
    expect(outbound.options.map(({ isForgotten = false }) => isForgotten)).toEqual([true, false]);
  });

  it('accepts loopback and http where private networks are allowed, but no credentials', async () => {
    await expect(lenient.assertPublicUrl('http://127.0.0.1:8080/x')).resolves.toBeInstanceOf(URL);
    await expect(lenient.assertPublicUrl('http://a:b@127.0.0.1/')).rejects.toThrow(UrlNotAllowed);
  });

  it('refuses plain http where only private networks are allowed', async () => {
    const outbound = new Outbound({ allowPrivateNetworks: true, allowPlainHttp: false });
    await expect(outbound.assertPublicUrl('http://127.0.0.1/')).rejects.toThrow(UrlNotAllowed);
    await expect(outbound.assertPublicUrl('https://127.0.0.1/')).resolves.toBeInstanceOf(URL);
  });
});

describe('connecting', () => {
  /** @see CVE-2026-104973: the name is checked when stored and means another host when called. */
  it('refuses a name that was public when stored and is private when called', async () => {
    const outbound = new LyingNameServer([['8.8.8.8'], ['127.0.0.1']]);
    await outbound.assertPublicUrl('https://rebinding.example/');
    await expect(outbound.send('https://rebinding.example/')).rejects.toThrow(UrlNotAllowed);
    expect(outbound.asked).toEqual(['rebinding.example', 'rebinding.example']);
  });

  it('sends one DNS query per call, so it connects to the address that was checked', async () => {
    const outbound = new LyingNameServer([['192.0.2.1', '127.0.0.1'], ['127.0.0.1']]);
    await expect(outbound.send('https://rebinding.example/')).rejects.toThrow(UrlNotAllowed);
    expect(outbound.asked).toHaveLength(1);
  });

  it.each(['https://127.0.0.1:1/', 'https://[::ffff:127.0.0.1]:1/', 'https://169.254.169.254/', 'http://8.8.8.8/'])(
    'refuses %s',
    (url) => expect(strict.send(url)).rejects.toThrow(UrlNotAllowed),
  );

  it('does not reveal the address of a name in its refusal', async () => {
    const refusal = await new LyingNameServer([['10.11.12.13']])
      .send('https://inside.example/')
      .catch((error: Error) => error);
    expect((refusal as Error).message).not.toContain('10.11.12.13');
  });
});

describe('a call', () => {
  it('sends method, headers and body, and returns status, headers and text', async () => {
    const origin = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () =>
        response.writeHead(418, { 'X-Seen': `${request.method} ${request.headers['x-asked']}` }).end(`got ${body} é`),
      );
    });
    const answer = await lenient.send(origin, { method: 'POST', headers: { 'X-Asked': 'yes' }, body: 'a=b' });
    expect(answer).toMatchObject({ status: 418, body: 'got a=b é', headers: { 'x-seen': 'POST yes' } });
  });

  it('does not follow redirects', async () => {
    let hits = 0;
    const origin = await serve((_, response) => {
      hits++;
      response.writeHead(302, { Location: '/again' }).end();
    });
    expect((await lenient.send(origin)).status).toBe(302);
    expect(hits).toBe(1);
  });

  it('gives up on a host that does not respond', async () => {
    const origin = await serve(() => undefined);
    const ended: number[] = [];
    const giveUp = async (timeoutMs: number) => {
      await expect(lenient.send(origin, { timeoutMs })).rejects.toMatchObject({
        name: 'OutboundFailed',
        reason: 'timeout',
      });
      ended.push(timeoutMs);
    };
    await Promise.all([giveUp(1_500), giveUp(150)]);
    expect(ended).toEqual([150, 1_500]);
  });

  it('gives up on a name server that does not respond', async () => {
    const sent = new SilentNameServer().send('https://provider.example/', {
      timeoutMs: 150,
    });
    await expect(sent).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('gives up on a host that sends its response slowly', async () => {
    const origin = await serve((_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await expect(lenient.send(origin, { timeoutMs: 200 })).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('fails when the host changes the protocol, instead of waiting without end', async () => {
    const url = await serveText(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    for (const keepsConnection of [false, true])
      await expect(lenient.send(url, { method: 'POST', keepsConnection, timeoutMs: 1_000 })).rejects.toMatchObject({
        reason: 'unreachable',
      });
  });

  it('ends when the host sends interim responses without end', async () => {
    const url = await serveText('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100));
    await expect(lenient.send(url, { timeoutMs: 60_000 })).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('stops reading at the size limit and closes the connection', async () => {
    let sent = 0;
    const closed = new Promise<void>((resolve) => {
      void serve((_, response) => {
        const pour = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
        };
        response.on('drain', pour).on('close', resolve);
        pour();
      }).then(async (origin) => {
        await expect(lenient.send(origin)).rejects.toMatchObject({ reason: 'too_large' });
      });
    });
    await closed;
    expect(sent).toBeLessThan(50 * 1_048_576);
  });

  it('reports a refused connection as unreachable', async () => {
    const failure = await lenient.send('http://127.0.0.1:1/').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundFailed);
    expect(failure).toMatchObject({ reason: 'unreachable' });
  });

  it('is refused at once when 64 calls wait for the host, while another host is called', async () => {
    const waiting: ServerResponse[] = [];
    const slow = await serve((_, response) => void waiting.push(response));
    const quick = await serve((_, response) => response.end('quick'));
    const calls = Array.from({ length: 64 }, () => lenient.send(slow, { timeoutMs: 25_000 }));
    await expect(lenient.send(slow)).rejects.toMatchObject({ reason: 'busy' });
    expect((await lenient.send(quick)).body).toBe('quick');
    while (waiting.length < 64) await new Promise(setImmediate);
    for (const response of waiting) response.end();
    await Promise.all(calls);
    const again = lenient.send(slow);
    while (waiting.length < 65) await new Promise(setImmediate);
    waiting[64]!.end('free');
    expect((await again).body).toBe('free');
  });

  it('of one app is made although 64 of another app wait for the same host', async () => {
    const waiting: ServerResponse[] = [];
    const host = await serve(
      ({ url }, response) => void (url === '/slow' ? waiting.push(response) : response.end('b')),
    );
    const [one, other] = [newId('app'), newId('app')];
    const calls = Array.from({ length: 64 }, () => lenient.send(`${host}/slow`, { timeoutMs: 25_000, appId: one }));
    await expect(lenient.send(host, { appId: one })).rejects.toMatchObject({ reason: 'busy' });
    expect((await lenient.send(host, { appId: other })).body).toBe('b');
    while (waiting.length < 64) await new Promise(setImmediate);
    for (const response of waiting) response.end();
    await Promise.all(calls);
  });
});
