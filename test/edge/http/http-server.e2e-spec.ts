import type { Server } from 'node:http';
import { connect } from 'node:net';
import { startApp, type TestApp } from '../../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** What comes back for exactly these bytes, until the answer is complete by its `Content-Length`. */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [head, body] = text.split('\r\n\r\n');
      const length = /^content-length: (\d+)/im.exec(head!)?.[1] ?? (/transfer-encoding/i.test(head!) ? '' : undefined);
      const isWhole =
        length === '' ? text.endsWith('0\r\n\r\n') : body !== undefined && Buffer.byteLength(body) >= Number(length);
      if (isWhole) socket.destroy();
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}
const request = (...lines: string[]) => [...lines, '', ''].join('\r\n');

describe('a body', () => {
  const LENGTH = 256 * 1024;
  const withoutKey = (path: string, method = 'POST') =>
    request(`${method} ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', `Content-Length: ${LENGTH}`);

  it.each([
    ['POST', '/v1/auth/users/create'],
    ['POST', '/v1/transfers/create'],
    ['DELETE', '/v1/auth/sessions/delete'],
    ['POST', '/management/v1/apps'],
  ])('of %s %s is not waited for when the key is missing', async (method, path) => {
    // Nothing of the body is ever sent.
    expect(await raw(withoutKey(path, method))).toMatch(/^HTTP\/1\.1 401 [^]*"error_type":"unauthorized_credentials"/);
  });

  it('is neither waited for nor kept on any of 500 connections without a key', async () => {
    const part = 'x'.repeat(16 * 1024);
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => raw(withoutKey('/v1/auth/users/create') + part)),
    );
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 401 '))).toEqual([]);
  });

  it('without an end closes its connection when the key is missing', async () => {
    const head = ['POST /v1/auth/users/create HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'];
    expect(await raw(request(...head))).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
  });

  it('is not read where no endpoint is', async () => {
    expect(await raw(withoutKey('/nowhere'))).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('a client that waits for 100 Continue', () => {
  const head = (key: string, body: string, type = 'application/json') =>
    request(
      'POST /management/v1/apps HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${key}`,
      'Expect: 100-continue',
      `Content-Type: ${type}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    );
  const body = '{"name":"Acme","mode":"test"}';

  it.each([
    ['whose key is wrong', () => head('mk_wrong', body), 401],
    ['whose body would be too long', () => head(app.managementKey, ' '.repeat(300_000)), 413],
    ['whose body has a wrong type', () => head(app.managementKey, body, 'text/plain'), 415],
  ] as const)('%s is refused at once, and sends nothing', async (_, bytes, status) => {
    const since = performance.now();
    expect(await raw(bytes())).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, 'i'));
    expect(performance.now() - since).toBeLessThan(4_000);
  });

  it('gets it when the body is read, and keeps its connection', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname, () => socket.write(head(app.managementKey, body)));
    const answers: string[] = [];
    for await (const chunk of socket.setEncoding('utf8')) {
      answers.push(chunk as string);
      if (answers.join('') === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
      if (/"secret_key"|"name":"Acme"/.test(answers.join(''))) break;
    }
    expect(answers.join('')).toMatch(/HTTP\/1\.1 200 (?![^]*connection: close)/i);
  });
});

describe('a request that HTTP itself refuses', () => {
  it.each([
    [
      'with an expectation that the service does not meet',
      417,
      'expectation_failed',
      ['POST /v1/x HTTP/1.1', 'Host: a', 'Expect: magic'],
    ],
    ['without a host', 400, 'invalid_request', ['GET /livez HTTP/1.1']],
    ['with two hosts', 400, 'invalid_request', ['GET /livez HTTP/1.1', 'Host: a', 'Host: b']],
    ['with the same host twice', 400, 'invalid_request', ['GET /livez HTTP/1.1', 'Host: a', 'host: a']],
    ['of a URL that has no end', 400, 'invalid_request', ['GET http://[/ HTTP/1.1', 'Host: a']],
    ['of a URL without a valid host', 400, 'invalid_request', ['GET http://[::1]x/livez HTTP/1.1', 'Host: a']],
    ['that is not HTTP', 400, 'invalid_request', ['hello']],
  ] as const)('%s is a problem', async (_, status, type, lines) => {
    const answer = await raw(request(...lines));
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}/im);
    expect(/\{.*\}/s.exec(body!)?.[0]).toContain(`"error_type":"${type}"`);
  });

  it('names the host as the field that is wrong', async () => {
    expect(await raw(request('GET /livez HTTP/1.1', 'Host: a', 'Host: b'))).toContain('"field":"Host"');
  });

  it('is none that names the whole URL', async () => {
    expect(await raw(request('GET http://a/livez HTTP/1.1', 'Host: a'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('needs no host in HTTP/1.0', async () => {
    expect(await raw(request('GET /livez HTTP/1.0'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('whose headers never end gets an error response', async () => {
    expect(await raw('GET /livez HTTP/1.1\r\nHost: a\r\nX-Slow:')).toMatch(
      /^HTTP\/1\.1 408 [^]*"error_type":"request_timeout"/,
    );
  });
});

it('connections are bounded, and kept alive for longer than proxies keep them', () => {
  const server = app.nest.getHttpServer() as Server;
  expect([server.maxConnections, server.headersTimeout, server.requestTimeout]).toEqual([10_000, 10_000, 30_000]);
  expect(server.keepAliveTimeout).toBe(75_000);
});

describe('a known path with another method', () => {
  it.each([
    ['GET', '/v1/auth/users/search', 'DELETE', 'POST'],
    ['PATCH', '/v1/auth/sessions/verify', 'PATCH', 'POST'],
    ['PUT', '/management/v1/apps', 'PUT', 'GET, HEAD, POST'],
  ])('is refused with 405 and Allow (%s %s)', async (_, path, method, allow) => {
    const { status, headers, body } = await app.call(method, path);
    expect([status, body.error_type]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')).toBe(allow);
  });

  it('is another thing than an unknown path', async () => {
    expect((await app.call('PATCH', '/v1/nowhere')).status).toBe(404);
  });
});
