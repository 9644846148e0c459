import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { send, textOf } from './send.js';

/**
 * The fault of one call: the request or its response is lost, the node is overloaded, returns an HTML page, a
 * rate-limit error, empty JSON or JSON of another form, receives the call twice, or responds late.
 */
export const FAULTS = [
  'request_lost',
  'answer_lost',
  'unavailable',
  'html',
  'limited',
  'empty',
  'misshapen',
  'twice',
  'late',
] as const;
/** `stale`: the first response to the same call, as from a machine that lags behind. */
export type Fault = (typeof FAULTS)[number] | 'stale';

/** A proxy in front of a chain's node that makes calls fail. */
export class ChainProxy {
  /** Replace it to choose the fault of a call; null: none. */
  fault: (method: string) => Fault | null = () => null;
  /** Replace it to respond in place of the node; undefined: the node responds. */
  answer: (method: string, params: readonly unknown[]) => unknown = () => undefined;
  /** Replace it to refuse a request as a whole; undefined: it is carried out. */
  refuse: (
    methods: readonly string[],
    isBatch: boolean,
  ) => { readonly status: number; readonly body: string } | undefined = () => undefined;
  /** Replace it to change the node's response to a call. */
  change: ((method: string, result: unknown) => unknown) | null = null;
  /** Replace it to make calls wait before anything happens. */
  gate: Promise<void> = Promise.resolve();
  /** The number of calls of each method. */
  readonly calls = new Map<string, number>();
  /** The number of opened connections. */
  connections = 0;
  /** The number of calls with a fault. */
  spoilt = 0;
  private readonly firstAnswers = new Map<string, Answer>();

  private constructor(
    /** Replace it to move the URL to another node. */
    public target: string,
    private readonly server: Server,
    private readonly lateMs: number,
  ) {}

  static async start(target: string, lateMs = 300): Promise<ChainProxy> {
    const server = createServer();
    const proxy = new ChainProxy(target, server, lateMs);
    server.on('connection', () => (proxy.connections += 1));
    server.on('request', (request, response) => {
      // The node is unavailable, or the caller has disconnected: the caller sees a broken connection.
      proxy.pass(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const asked = JSON.parse(body) as Call | Call[];
    // All calls of one request have the fault of the first.
    const calls = [asked].flat();
    for (const { method } of calls) this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    await this.gate;
    const fault = this.fault(calls[0]!.method);
    if (fault !== null) this.spoilt += 1;
    const json = (content: string, status = 200) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(content);
    };
    const refusal = this.refuse(
      calls.map(({ method }) => method),
      Array.isArray(asked),
    );
    if (refusal) return json(refusal.body, refusal.status);
    const answerEach = (answers: readonly object[]) => {
      const whole = calls.map(({ id }, index) => ({ jsonrpc: '2.0', id, ...answers[index] }));
      json(JSON.stringify(Array.isArray(asked) ? whole : whole[0]));
    };
    const answerAll = (answer: object) => answerEach(calls.map(() => answer));
    const results = calls.map(({ method, params }) => this.answer(method, params ?? []));
    if (results.some((result) => result !== undefined)) return answerEach(await this.completed(calls, results));
    switch (fault) {
      case 'request_lost':
        response.destroy();
        return;
      case 'unavailable':
        return json('{"error":"overloaded"}', 503);
      case 'html':
        response
          .writeHead(200, { 'Content-Type': 'text/html' })
          .end('<html><body>Welcome to the hotel network</body></html>');
        return;
      case 'limited':
        return answerAll({ error: { code: -32_005, message: 'daily request count exceeded, request rate limited' } });
      case 'empty':
        return answerAll({});
      case 'misshapen':
        return answerAll({ result: { context: {}, value: ['0xzz', {}, 7] } });
      case 'twice':
        await this.forward(body);
        break;
      case 'late':
        await setTimeout(this.lateMs, undefined, { ref: false });
        break;
      case 'answer_lost':
      case 'stale':
      case null:
        break;
    }
    const name = nameOf(calls);
    const earlier = this.firstAnswers.get(name);
    const answer = fault === 'stale' && earlier ? forCalls(earlier, calls) : await this.forward(body);
    if (!earlier) this.firstAnswers.set(name, answer);
    if (fault === 'answer_lost') response.destroy();
    else json(this.changed(calls, answer.body), answer.status);
  }

  /** The given results, and the node's own where there is none. */
  private completed(calls: readonly Call[], results: readonly unknown[]): Promise<object[]> {
    return Promise.all(
      calls.map(async (call, index) =>
        results[index] === undefined
          ? (JSON.parse((await this.forward(JSON.stringify(call))).body) as object)
          : { result: results[index] },
      ),
    );
  }

  private changed(calls: readonly Call[], body: string): string {
    const { change } = this;
    if (!change) return body;
    const parsed = JSON.parse(body) as { id?: unknown; result?: unknown } | { id?: unknown; result?: unknown }[];
    const changed = [parsed].flat().map((answer) => {
      const method = calls.find(({ id }) => id === answer.id)!.method;
      return { ...answer, result: change(method, answer.result) };
    });
    return JSON.stringify(Array.isArray(parsed) ? changed : changed[0]);
  }

  private async forward(body: string): Promise<Answer> {
    const { status, text } = await send(this.target, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    return { status, body: text };
  }
}

/** A response to earlier calls, with the ids of these. */
function forCalls(answer: Answer, calls: readonly Call[]): Answer {
  const answers = JSON.parse(answer.body) as object | object[];
  const current = [answers].flat().map((each, index) => ({ ...each, id: calls[index]!.id }));
  return { ...answer, body: JSON.stringify(Array.isArray(answers) ? current : current[0]) };
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function nameOf(calls: readonly Call[]): string {
  return JSON.stringify(calls.map(({ method, params }) => [method, params]));
}
