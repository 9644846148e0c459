import type { Request, Response } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestContext } from '../../../src/edge/http/request-context.js';
import type { OverloadDoor } from '../../../src/edge/http/overload-door.js';
import { SealedValueUnavailable } from '../../../src/kernel/errors.js';
import { createLogger } from '../../../src/services/observability/logger.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';

const OPEN = { note: () => undefined } as unknown as OverloadDoor;

interface Logged {
  readonly failure?: unknown;
  readonly requestId?: string;
  readonly path?: string;
  readonly loggedReadsPercent?: number;
}

/** The line that a request leaves in the log, and the id that its response carries. */
async function logged({ failure, requestId, path = '/', loggedReadsPercent = 100 }: Logged) {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  const observe = requestContext(logger, new HttpMetrics(), OPEN, loggedReadsPercent);
  const server = createServer((request, response) =>
    observe(request as Request, response as unknown as Response, () => {
      Object.assign(request, { failure, route: { path } });
      response.writeHead(failure === undefined ? 200 : 503).end();
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const headers: Record<string, string> = requestId === undefined ? {} : { 'x-request-id': requestId };
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { headers });
  await response.text();
  server.close();
  await once(server, 'close');
  return { line: lines.join(''), requestId: response.headers.get('x-request-id') };
}

/** The `err` of the line that a request leaves in the log when it fails for this reason. */
async function loggedOf(failure: unknown): Promise<unknown> {
  return (JSON.parse((await logged({ failure })).line) as { err: unknown }).err;
}

const RANDOM = 'aB3'.repeat(16);

describe('the request id that a caller sends', () => {
  it.each(['req-42', 'mk_short', 'task_live_2026-11-28T20:00', '4bf92f3577b34da6a3ce929d0e0e4736'])(
    'is kept if it is %s',
    async (requestId) => {
      const answer = await logged({ requestId });
      expect(answer.requestId).toBe(requestId);
      expect(JSON.parse(answer.line)).toMatchObject({ request_id: requestId });
    },
  );

  it.each([
    ['a secret key', `sk_live_${RANDOM}`],
    ['a restricted key', `rk_test_${RANDOM}`],
    ['a public token', `pk_test_${RANDOM}`],
    ['a management key', `mk_${RANDOM}`],
    ['the secret of a webhook endpoint', `whsec_${RANDOM}=`],
    ['a key in capital letters', `sk_live_${RANDOM}`.toUpperCase()],
    ['the beginning of a key', `sk_live_${RANDOM}`.slice(0, 24)],
    ['a text that contains a key', `order/7:sk_live_${RANDOM}=shop`],
    ['an email address', 'ann@example.com'],
    ['a telephone number', '+491511234567'],
  ])('is neither returned nor logged if it is %s', async (_, requestId) => {
    const answer = await logged({ requestId });
    expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(answer.line)).toMatchObject({ request_id: answer.requestId });
    expect(answer.line).not.toContain(requestId);
  });
});

describe('a request that succeeds', () => {
  it('leaves no line if it is a probe', async () => {
    for (const path of ['/livez', '/readyz', '/version', '/metrics']) expect((await logged({ path })).line).toBe('');
    const failed = await logged({ path: '/readyz', failure: new SealedValueUnavailable() });
    expect(JSON.parse(failed.line)).toMatchObject({ route: '/readyz', status: 503 });
  });

  it('leaves a line as often as is set, if it is a read', async () => {
    expect((await logged({ loggedReadsPercent: 0 })).line).toBe('');
    expect((await logged({ loggedReadsPercent: 100 })).line).not.toBe('');
    expect((await logged({ loggedReadsPercent: 0, failure: new SealedValueUnavailable() })).line).not.toBe('');
  });
});

describe('the log line of a request that fails', () => {
  it('names the cause of the failure without its message, which may contain the URL and the key of a chain node', async () => {
    const cause = Object.assign(new TypeError('connect ECONNREFUSED https://node.example/key'), {
      code: 'ECONNREFUSED',
    });
    const logged = await loggedOf(new SealedValueUnavailable({ cause }));
    expect(logged).toMatchObject({ message: expect.any(String), cause: { name: 'TypeError', code: 'ECONNREFUSED' } });
    expect(JSON.stringify(logged)).not.toContain('node.example');
  });

  it('has no cause when the failure has none', async () => {
    expect(await loggedOf(new SealedValueUnavailable())).not.toHaveProperty('cause');
  });
});
