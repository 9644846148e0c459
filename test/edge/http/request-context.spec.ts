import type { Request, Response } from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestContext } from '../../../src/edge/http/request-context.js';
import { SealedValueUnavailable } from '../../../src/kernel/errors.js';
import { createLogger } from '../../../src/services/observability/logger.js';
import { HttpMetrics } from '../../../src/services/observability/metrics.js';

/** The `err` of the line that a request leaves in the log when it fails for this reason. */
async function loggedOf(failure: unknown): Promise<unknown> {
  const lines: string[] = [];
  const observe = requestContext(createLogger('error', { write: (line) => lines.push(line) }), new HttpMetrics());
  const server = createServer((request, response) =>
    observe(request as Request, response as unknown as Response, () => {
      (request as Request).failure = failure;
      response.writeHead(503).end();
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
  server.close();
  await once(server, 'close');
  return (JSON.parse(lines[0]!) as { err: unknown }).err;
}

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
