import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../support/app.js';
import { leastUnitsOf } from '../../support/processor-time.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const KIB = 1024;
const path = '/management/v1/apps';

interface Received {
  readonly status: number;
  readonly body: { readonly error_type?: string; readonly detail?: string; readonly errors?: unknown[] };
  readonly port: number | undefined;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

/** One request with exactly these bytes as its body, and nothing a client library would add. */
function send(body: string | Buffer | undefined, { method = 'POST', path: to = path, headers = {}, agent }: Sent = {}) {
  return new Promise<Received>((resolve, reject) => {
    // Node would leave it out for a GET, and what then follows is the next request.
    const length =
      body === undefined || headers['transfer-encoding'] ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      new URL(to, app.url),
      { method, agent, headers: { authorization: `Bearer ${app.managementKey}`, ...length, ...headers } },
      (response) => {
        const port = response.socket.localPort;
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            body: text.startsWith('{') ? JSON.parse(text) : text,
            port,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = { 'content-type': 'application/json' };

describe('the media type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/vnd.acme+json',
  ])('may be %s', async (type) => {
    expect((await send('{"name":"Acme","mode":"test"}', { headers: { 'content-type': type } })).status).toBe(200);
  });

  it.each([
    [undefined],
    [''],
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    ['application/jsonp'],
    ['text/json'],
    ['application/xml, application/json'],
  ])('may not be %s', async (type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const { status, body } = await send('{"name":"Acme","mode":"test"}', { headers });
    expect([status, body.error_type]).toEqual([415, 'unsupported_media_type']);
  });

  it.each(['gzip', 'deflate', 'br', 'gzip, identity', 'x'])('may not come with the coding %s', async (coding) => {
    const { status } = await send(gzipSync('{}'), { headers: { ...json, 'content-encoding': coding } });
    expect(status).toBe(415);
  });

  it('may be a form where an identity provider posts one, and only there', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const callback = '/v1/auth/oauth/callback/oauthconn_x';
    expect((await send('state=a&code=b', { headers: form, path: callback })).status).not.toBe(415);
    // Refused as a page, since a browser sent it.
    for (const [sent, message] of [
      ['state=1&state=2', 'state must not be given more than once.'],
      ['<b>=%00', '&lt;b&gt; must not contain NUL characters.'],
    ] as const) {
      const { status, body } = await send(sent, { headers: form, path: callback });
      expect([status, body]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await send('state=a', { headers: form, path })).status).toBe(415);
  });
});

it('a byte order mark before a body is ignored', async () => {
  const { status } = await send('\ufeff{"name":"Acme","mode":"test"}', { headers: json });
  expect(status).toBe(200);
});

describe('a body that is not there', () => {
  it.each(['GET', 'DELETE'])('is fine on %s, with or without a content type', async (method) => {
    const { secretKey } = await app.given.app();
    const to = method === 'GET' ? '/v1/auth/jwks/default' : '/v1/auth/sessions/delete';
    for (const body of [undefined, '', '{}']) {
      const { status } = await send(body, {
        method,
        path: to,
        headers: { ...json, authorization: `Bearer ${secretKey}` },
      });
      expect(status).toBe(method === 'GET' ? 200 : 400);
    }
  });

  it('lacks its required fields', async () => {
    for (const body of [undefined, '', '{}']) {
      const answer = await send(body, { headers: body === undefined ? {} : json });
      expect(answer.body).toMatchObject({ status: 400, error_type: 'invalid_request' });
      expect(answer.body.errors).toContainEqual({ field: 'name', rule: 'required', message: 'is required' });
    }
  });
});

describe('a body', () => {
  it.each([
    ['broken JSON', '{"name":', 'invalid_json'],
    ['no JSON', 'name=Acme', 'invalid_json'],
    ['an array', '[{"name":"Acme"}]', 'invalid_json'],
    ['null', 'null', 'invalid_json'],
    ['invalid UTF-8', Buffer.from('{"name":"\xff"}', 'latin1'), 'invalid_json'],
    ['an overlong NUL', Buffer.from('{"name":"\xc0\x80"}', 'latin1'), 'invalid_json'],
    ['an encoded surrogate', Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'), 'invalid_json'],
    ['UTF-16', Buffer.from('{"name":"Acme"}', 'utf16le'), 'invalid_json'],
    ['a byte order mark in the middle', '{"name":\ufeff"Acme"}', 'invalid_json'],
    ['two byte order marks', '\ufeff\ufeff{"name":"Acme"}', 'invalid_json'],
    ['NUL in a string', '{"name":"a\\u0000b"}', 'invalid_request'],
    ['a lone surrogate', '{"unknown":["\\udfff"]}', 'invalid_request'],
    ['duplicate names', '{"name":"a","name":"b"}', 'invalid_request'],
    ['a prototype', '{"__proto__":{"mode":"live"},"name":"a"}', 'invalid_request'],
    ['too many levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'invalid_request'],
    ['a number that would be rounded', '{"name":12345678901234567890}', 'invalid_request'],
  ])('of %s is refused within 500 units of work, and the connection goes on', async (_, body, type) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let answer!: Awaited<ReturnType<typeof send>>;
    const spent = await leastUnitsOf(async () => (answer = await send(body, { headers: json, agent })));
    expect(spent).toBeLessThan(500);
    expect([answer.status, answer.body.error_type]).toEqual([400, type]);
    const next = await send('{"name":"Acme","mode":"test"}', { headers: json, agent });
    expect([next.status, next.port]).toEqual([200, answer.port]);
    agent.destroy();
  });

  it('may have unknown fields with numbers of 64 bits', async () => {
    const { status } = await send('{"name":"Acme","mode":"test","trace_id":9223372036854775807}', { headers: json });
    expect(status).toBe(200);
  });

  it('names the field that is wrong', async () => {
    const { body } = await send('{"name":"a","limits":{"x":["\\u0000"]}}', { headers: json });
    expect(body.errors).toEqual([
      { field: 'limits.x[0]', rule: 'characters', message: 'must not contain NUL characters' },
    ]);
    expect(body.detail).toBe('limits.x[0] must not contain NUL characters.');
  });
});

describe('the size of a body', () => {
  const padded = (bytes: number) => `{"name":"Acme","mode":"test"}`.padEnd(bytes, ' ');

  it('may be 256 KiB, with a length or in chunks', async () => {
    const exact = padded(256 * KIB);
    expect((await send(exact, { headers: json })).status).toBe(200);
    expect((await send(exact, { headers: { ...json, 'transfer-encoding': 'chunked' } })).status).toBe(200);
  });

  it.each([
    ['one byte more', 256 * KIB + 1],
    ['10 MB', 10_000_000],
  ])('may not be %s, after which the connection goes on', async (_, bytes) => {
    for (const headers of [json, { ...json, 'transfer-encoding': 'chunked' }]) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const { status, body, port } = await send(padded(bytes), { headers, agent });
      expect([status, body.error_type]).toEqual([413, 'payload_too_large']);
      const next = await send('{"name":"Acme","mode":"test"}', { headers: json, agent });
      expect([next.status, next.port]).toEqual([200, port]);
      agent.destroy();
    }
  });

  it('may be 16 KiB for a form, and not one byte more', async () => {
    const callback = `/v1/auth/oauth/callback/oauthconn_${'0'.repeat(26)}`;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const headers of [form, { ...form, 'transfer-encoding': 'chunked' }])
      for (const [bytes, expected] of [
        [16 * KIB, 400],
        [16 * KIB + 1, 413],
        [260_000, 413],
      ] as const) {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const answer = await send('state='.padEnd(bytes, '+'), { headers, path: callback, agent });
        expect([bytes, answer.status]).toEqual([bytes, expected]);
        const next = await send('{"name":"Acme","mode":"test"}', { headers: json, agent });
        expect([next.status, next.port]).toEqual([200, answer.port]);
        agent.destroy();
      }
  });

  it('closes the connection on a client that announces far too much', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.managementKey}\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{`,
    );
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
    expect(text).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
  });

  it('closes the connection on a client that never stops', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.managementKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    let sent = 0;
    const push = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += 65_536;
    };
    socket.on('drain', push);
    push();
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', resolve));
    socket.resume();
    await closed;
    expect(sent).toBeLessThan(64_000_000);
    expect((await app.call('GET', '/livez')).status).toBe(200);
  });
});
