import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';

const BASE_URL = 'https://id.example/identity';
let app: TestApp;
beforeAll(async () => {
  // Endpoints have samples before a node answers.
  const nodes = { ETHEREUM_RPC_URL: 'http://127.0.0.1:1', SOLANA_RPC_URL: 'http://127.0.0.1:1' };
  app = await startApp({ env: { BASE_URL: `${BASE_URL}/`, ...nodes } });
});
afterAll(() => app.stop());

/** What comes back on a plain socket, for requests no HTTP client would send. */
function raw(lines: string[]): Promise<string> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n')),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

describe('operations', () => {
  it('answers liveness, readiness and version without a key and without a limit', async () => {
    for (const path of ['/livez', '/readyz']) {
      // A process that was paused for two seconds is not ready for that moment.
      const { body, headers } = await eventually(async () => {
        const answer = await app.call('GET', path);
        expect(answer.status).toBe(200);
        return answer;
      });
      expect(body).toEqual({ status: 'ok' });
      expect(headers.get('ratelimit')).toBeNull();
    }
    const { body } = await app.call('GET', '/version');
    expect(body).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), revision: expect.any(String) });
    expect(body.built_at).toBeGreaterThanOrEqual(0);
    const info = `build_info{version="${body.version}",revision="${body.revision}"} 1`;
    expect((await app.call('GET', '/metrics')).text).toContain(info);
  });

  it('measures requests by route pattern, never by URL', async () => {
    await app.call('GET', '/errors/invalid_request');
    const { body } = await app.call('GET', '/metrics');
    expect(body).toContain('http_request_duration_seconds_count{method="GET",route="/errors/:type",status="200"}');
    expect(body).not.toContain('/errors/invalid_request');
  });

  it('compares the endpoints of each chain from its start on, also when no call needs them', async () => {
    await eventually(async () => {
      const { text } = await app.call('GET', '/metrics');
      for (const chain of ['ethereum', 'solana'])
        expect(text).toMatch(new RegExp(`^chain_endpoint_errors_total\\{chain="${chain}",endpoint="1"\\} [1-9]`, 'm'));
    });
  });

  it('measures everything that the operations guide names, and has samples from the start, which alerts on an increase need', async () => {
    const { text } = await app.call('GET', '/metrics');
    const measured = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!);
    const pages = join(__dirname, '../../docker/pages');
    const guide = readdirSync(pages, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(join(pages, name), 'utf8'))
      .join('\n');
    const prefixes = new Set(measured.map((name) => name.split('_')[0]));
    const named = [...guide.matchAll(/`[^`]*?\b([a-z]+(?:_[a-z0-9]+)+)(?:\{[^}]*\})?[^`]*`/g)]
      .map(([, name]) => name!)
      .filter((name) => prefixes.has(name.split('_')[0]!) && /^chain_endpoint_|_(?:seconds|total|bytes)$/.test(name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !measured.includes(name))).toEqual([]);
    const ofService = measured.filter((name) => !/^(?:nodejs|process)_/.test(name));
    // A signed checkpoint, a route that was called and a refusal come later, and no deposits are searched for here.
    const later = [
      'audit_checkpoint_age_seconds',
      'http_request_duration_seconds',
      'http_refusals_total',
      'deposits_behind_blocks',
      'deposits_stopped',
    ];
    expect(ofService.filter((name) => !later.includes(name) && !new RegExp(`^${name}[{ ]`, 'm').test(text))).toEqual(
      [],
    );
  });
});

describe('an answer', () => {
  it('carries the request id it was given', async () => {
    const { headers, body } = await app.call('GET', '/nowhere', { headers: { 'x-request-id': 'req-42' } });
    expect(headers.get('x-request-id')).toBe('req-42');
    expect(body).toMatchObject({ request_id: 'req-42', instance: 'req-42' });
  });

  it.each(['', 'a b', 'x'.repeat(129), 'ä', '"><script>'])('does not carry the unsafe request id %j', async (id) => {
    const answer = await raw(['GET /nowhere HTTP/1.1', 'Host: a', `X-Request-Id: ${id}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 404/);
    expect(/x-request-id: (.*)\r/i.exec(answer)?.[1]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is never cached', async () => {
    expect((await app.call('GET', '/version')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('a refusal', () => {
  it('is a problem that both RFC 9457 readers and older clients understand', async () => {
    const { status, headers, body } = await app.call('GET', '/nowhere');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(body).toEqual({
      type: `${BASE_URL}/errors/not_found`,
      title: 'Not found',
      status: 404,
      detail: 'There is no such endpoint.',
      instance: body.request_id,
      status_code: 404,
      error_type: 'not_found',
      error_message: 'There is no such endpoint.',
      request_id: expect.any(String),
    });
  });

  it('names its type by a link from BASE_URL, also where Node refuses the request before the application', async () => {
    const refused = async (lines: string[]) => /"type":"([^"]*)"/.exec(await raw(lines))?.[1];
    expect(await refused(['GET /nowhere HTTP/1.1', 'Host: a'])).toBe(`${BASE_URL}/errors/not_found`);
    expect(await refused(['POST /livez HTTP/1.1', 'Host: a'])).toBe(`${BASE_URL}/errors/method_not_allowed`);
    expect(await refused(['GET /livez HTTP/1.1'])).toBe(`${BASE_URL}/errors/invalid_request`);
    expect(await refused(['hello'])).toBe(`${BASE_URL}/errors/invalid_request`);
    expect(await refused(['GET /livez HTTP/1.1', 'Host: a', 'Expect: tea'])).toBe(
      `${BASE_URL}/errors/expectation_failed`,
    );
  });

  it('has a page that explains it', async () => {
    const { status, body } = await app.call('GET', '/errors/unauthorized_credentials');
    expect(status).toBe(200);
    expect(body).toContain('status 401');
    expect((await app.call('GET', '/errors/nonsense')).status).toBe(404);
  });

  it.each([
    ['that is not HTTP', ['hello']],
    ['with headers beyond all bounds', ['GET / HTTP/1.1', 'Host: a', `X-Long: ${'x'.repeat(20_000)}`]],
    ['of two lengths', ['POST / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
  ])('is a problem also for a request %s', async (_, lines) => {
    expect(await raw(lines)).toMatch(
      /^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*X-Request-Id: [0-9a-f-]{36}[^]*"error_type":"invalid_request"/i,
    );
  });

  it('is a refusal for a URL that is not valid percent-encoding', async () => {
    expect(await raw(['GET /v1/auth/users/%E0%A4%A HTTP/1.1', 'Host: a'])).toMatch(/^HTTP\/1\.1 40[01]/);
  });
});

describe('a key', () => {
  const path = '/v1/auth/sessions/list?user_id=x';

  it.each([
    ['missing', []],
    ['of another scheme', ['Authorization: Basic c2s6']],
    ['empty', ['Authorization: Bearer ']],
    ['unknown', [`Authorization: Bearer sk_test_${'a'.repeat(48)}`]],
    ['over-long', [`Authorization: Bearer sk_test_${'a'.repeat(5000)}`]],
    ['with a NUL-like escape', ['Authorization: Bearer sk_test_%00']],
    ['given twice in one header', ['Authorization: Bearer sk_test_a, Bearer sk_test_b']],
  ])('that is %s is 401', async (_, headers) => {
    expect(await raw([`GET ${path} HTTP/1.1`, 'Host: a', ...headers])).toMatch(
      /^HTTP\/1\.1 401 [^]*"error_type":"unauthorized_credentials"/,
    );
  });

  it('given in two headers is 401, even when one of them is good', async () => {
    const { secretKey } = await app.given.app();
    const twice = [`Authorization: Bearer ${secretKey}`, `Authorization: Bearer ${secretKey}`];
    expect(await raw([`GET ${path} HTTP/1.1`, 'Host: a', ...twice])).toMatch(/^HTTP\/1\.1 401 /);
  });

  const unknown = `_test_${'a'.repeat(48)}`;
  const SECRET = '/v1/auth/sessions/list?user_id=x';
  const PUBLIC = '/v1/auth/oauth/google/begin';
  const MANAGEMENT = '/management/v1/apps';
  const AS_SECRET = 'Send it as `Authorization: Bearer sk_…`.';
  const AS_PUBLIC = 'Send it as `?public_token=pk_…`.';
  const AS_MANAGEMENT = 'Send it as `Authorization: Bearer mk_…`.';
  it.each([
    [SECRET, undefined, `The request has no secret key. ${AS_SECRET}`],
    [SECRET, 'Basic c2s6', `The request has \`Authorization: Basic\` instead of a secret key. ${AS_SECRET}`],
    [SECRET, `sk${unknown}`, `The Authorization header lacks the word Bearer before the secret key. ${AS_SECRET}`],
    [SECRET, `Bearer sk${unknown}`, `The secret key is not valid: it is unknown, expired or revoked. ${AS_SECRET}`],
    [SECRET, `Bearer rk${unknown}`, `The secret key is not valid: it is unknown, expired or revoked. ${AS_SECRET}`],
    [
      SECRET,
      `Bearer pk${unknown}`,
      `The request has a key that begins with pk_… instead of a secret key. ${AS_SECRET}`,
    ],
    [
      SECRET,
      'Bearer eyJhbGciOi.e30.x',
      `The request has an access token that is not valid here instead of a secret key. ${AS_SECRET}`,
    ],
    [SECRET, 'Bearer', `The request has a text that is no secret key. ${AS_SECRET}`],
    [PUBLIC, undefined, `The request has no public token. ${AS_PUBLIC}`],
    [PUBLIC, `Bearer sk${unknown}`, `The request has no public token. ${AS_PUBLIC}`],
    [
      `${PUBLIC}?public_token=sk${unknown}`,
      undefined,
      `The request has a key that begins with sk_… instead of a public token. ${AS_PUBLIC}`,
    ],
    [
      `${PUBLIC}?public_token=pk${unknown}`,
      undefined,
      `The public token is not valid: it is unknown, expired or revoked. ${AS_PUBLIC}`,
    ],
    [MANAGEMENT, undefined, `The request has no management key. ${AS_MANAGEMENT}`],
    [
      MANAGEMENT,
      `Bearer sk${unknown}`,
      `The request has a key that begins with sk_… instead of a management key. ${AS_MANAGEMENT}`,
    ],
    [
      MANAGEMENT,
      'Token secret',
      `The request has \`Authorization: Token\` instead of a management key. ${AS_MANAGEMENT}`,
    ],
  ])(
    'at %s that arrives as %s is 401, and the refusal says what arrived and how to send it',
    async (at, authorization, detail) => {
      const { status, headers, body } = await app.call('GET', at, { headers: authorization ? { authorization } : {} });
      expect({ status, challenge: headers.get('www-authenticate'), detail: body.detail }).toEqual({
        status: 401,
        challenge: authorization?.includes('.') ? 'Bearer error="invalid_token"' : 'Bearer',
        detail,
      });
      expect(body.detail).not.toContain('aaaa');
    },
  );
});
