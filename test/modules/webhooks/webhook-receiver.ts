import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Received {
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's port: the same for requests on one connection. */
  readonly port: number | undefined;
}

/** A receiver on loopback. Each request is kept; `answer` decides the response, 200 by default. */
export async function startReceiver() {
  const requests: Received[] = [];
  let answer: (response: ServerResponse, received: Received) => void = (response) => response.end();
  const handle: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        id: String(request.headers['webhook-id']),
        body: Buffer.concat(chunks).toString(),
        headers: request.headers,
        port: request.socket.remotePort,
      };
      requests.push(received);
      answer(response, received);
    });
  };
  const server = createServer(handle);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    answerWith(next: (response: ServerResponse, received: Received) => void): void {
      answer = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((stopped) => server.close(stopped));
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Verifies a request as the documentation asks a client to, and returns the event. */
export function verified({ body, headers }: Received, secret: string): Record<string, unknown> {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}
