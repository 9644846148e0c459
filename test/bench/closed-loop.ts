import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './figures.js';
import type { Measured } from './load.js';
import type { MeasuredProcess } from './measured-process.js';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Calls over connections that stay open, with less effort than `fetch` takes: the load shares the processors with the server. */
export class Connections {
  /** Used in rotation, so that no connection is idle until the server closes it. */
  private readonly agent = new Agent({ keepAlive: true, scheduling: 'fifo' });

  constructor(private readonly server: MeasuredProcess) {}

  /** The body of the answer. Throws when it is not 2xx. */
  call<T>({ method, path, headers, body }: Call): Promise<T> {
    const payload = body && JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const options = {
        method,
        agent: this.agent,
        headers: {
          ...headers,
          ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        },
      };
      const sent = request(this.server.url + path, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text) as T);
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
        });
      });
      sent.on('error', reject).end(payload);
    });
  }

  /** Closes all connections. The next call opens new ones. */
  close(): void {
    this.agent.destroy();
  }
}

/** Does each piece of work once, `atOnce` at a time. Throws what the first failure throws. */
export async function each<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const slot = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: atOnce }, slot));
}

/** Measures how a server does pieces of work that can be done only once, the first tenth of them to warm up. */
export async function measureEach<T>(
  server: MeasuredProcess,
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<Measured> {
  const warmUp = Math.ceil(items.length / 10);
  await each(items.slice(0, warmUp), atOnce, work);
  const milliseconds: number[] = [];
  const before = await server.cpu();
  const begun = performance.now();
  await each(items.slice(warmUp), atOnce, async (item) => {
    const started = performance.now();
    await work(item);
    milliseconds.push(performance.now() - started);
  });
  const seconds = (performance.now() - begun) / 1000;
  const cpu = (await server.cpu()) - before;
  return {
    perSecond: milliseconds.length / seconds,
    p50: quantile(milliseconds, 0.5),
    p99: quantile(milliseconds, 0.99),
    cpu: cpu / milliseconds.length,
  };
}

/** Calls at a steady rate, independent of the response times. Returns the milliseconds of each call. */
export async function steadily(perSecond: number, seconds: number, call: () => Promise<unknown>): Promise<number[]> {
  const milliseconds: number[] = [];
  const underWay: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = begun + (n * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    const started = performance.now();
    underWay.push(call().then(() => void milliseconds.push(performance.now() - started)));
  }
  await Promise.all(underWay);
  return milliseconds;
}
