import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * What happens to one request: it is lost before the service sees it, its response is lost, its response is cut in the
 * middle or comes byte by byte, nothing ever answers, or a response that the service did not write.
 */
export type Fault =
  | 'request_lost'
  | 'answer_lost'
  | 'answer_cut'
  | 'dripping'
  | 'silent'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The status that the client received, or null. */
  status: number | null;
  replayed: boolean;
}

/** A network between a client and the service that can fail. */
export class FaultyNetwork {
  /** Faults of the next requests, in their order. */
  faults: Fault[] = [];
  /** Faults of every request after them. */
  always: Fault | null = null;
  /** All requests that clients sent. */
  seen: Seen[] = [];
  /** The service; set it after its start, because the service needs the public address first. */
  target = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FaultyNetwork> {
    const server = createServer();
    const network = new FaultyNetwork(server);
    server.on('request', (request, response) => {
      network.pass(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Works again, and forgets what it has seen. */
  reset(): void {
    this.faults = [];
    this.always = null;
    this.seen = [];
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** A request may name its fault, such as `answer_lost 1`, or `503 1 60` with its `Retry-After`. The first one with this text has it. */
  private namedBy(text: string | string[] | undefined): Fault | undefined {
    if (typeof text !== 'string' || this.seen.filter(({ headers }) => headers['x-fault'] === text).length > 1)
      return undefined;
    const [name, , ...after] = text.split(' ');
    const headers = { 'retry-after': after.join(' ') || '0', location: 'https://elsewhere.example.com/' };
    if (!/^\d+$/.test(name!)) return name as Fault;
    const notOfTheService = { 'content-type': 'application/problem+json' };
    return name === '502'
      ? { status: 502, headers: notOfTheService, body: '["no problem document"' }
      : { status: Number(name), headers };
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = 'GET', url: path = '/', headers } = request;
    const seen: Seen = { method, path, headers, body, status: null, replayed: false };
    this.seen.push(seen);
    const fault = this.namedBy(headers['x-fault']) ?? this.faults.shift() ?? this.always;
    if (fault === 'silent') return;
    if (fault === 'request_lost') return void response.destroy();
    if (typeof fault === 'object' && fault !== null) {
      seen.status = fault.status;
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    }
    const { host = '', connection: _connection, 'content-length': _length, ...forwarded } = headers;
    const answer = await fetch(new URL(path, this.target), {
      method,
      redirect: 'manual',
      headers: { ...(forwarded as Record<string, string>), 'x-forwarded-host': host },
      ...(body !== '' && { body }),
    });
    const text = Buffer.from(await answer.arrayBuffer());
    seen.replayed = answer.headers.has('idempotent-replayed');
    if (fault === 'answer_lost') return void response.destroy();
    const { 'transfer-encoding': _encoding, connection: _closed, ...kept } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, { ...kept, 'content-length': text.length });
    if (fault === 'dripping') return drip(response, text);
    if (fault === 'answer_cut') {
      return void response.write(text.subarray(0, text.length / 2), () => response.destroy());
    }
    seen.status = answer.status;
    response.end(text);
  }
}

async function drip(response: ServerResponse, text: Buffer): Promise<void> {
  for (const byte of text) {
    response.write(Buffer.from([byte]));
    await setTimeout(100);
    if (response.destroyed) return;
  }
  response.end();
}
