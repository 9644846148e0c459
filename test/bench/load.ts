import autocannon, { type Request } from 'autocannon';
import type { MeasuredProcess } from './measured-process.js';

const CONNECTIONS = 20;
/** Random requests that each connection repeats: several thousand over all connections. */
const REQUESTS_OF_CONNECTION = 200;
const WARM_UP_SECONDS = 1.5;

export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of the server's processor time a request, of all its threads. */
  readonly cpu: number;
}

/** One call of one server. */
export interface Variant {
  readonly name: string;
  readonly server: MeasuredProcess;
  readonly requests: readonly Request[];
}

/**
 * Keeps 20 connections busy with each variant after a warm-up. The variants alternate every second, so that other work on
 * the machine slows all of them alike. Throws if any response is not 2xx.
 */
export async function compare(variants: readonly Variant[], seconds: number): Promise<Map<string, Measured>> {
  for (const { server, requests } of variants) await load(server, requests, WARM_UP_SECONDS);
  const slices = new Map(variants.map(({ name }) => [name, [] as Slice[]]));
  for (let second = 0; second < seconds; second++) {
    // The order alternates: the first of one slice is the last of the next.
    for (const { name, server, requests } of second % 2 === 0 ? variants : variants.toReversed()) {
      const before = await server.cpu();
      const result = await load(server, requests, 1);
      slices.get(name)!.push({ ...result, cpu: (await server.cpu()) - before });
    }
  }
  return new Map([...slices].map(([name, taken]) => [name, summary(taken)]));
}

type Slice = Awaited<ReturnType<typeof load>> & { readonly cpu: number };

function summary(slices: readonly Slice[]): Measured {
  const total = (of: (slice: Slice) => number): number => slices.reduce((sum, slice) => sum + of(slice), 0);
  const answered = total((slice) => slice['2xx']);
  return {
    perSecond: answered / total(({ duration }) => duration),
    p50: total(({ latency }) => latency.p50) / slices.length,
    p99: Math.max(...slices.map(({ latency }) => latency.p99)),
    cpu: total(({ cpu }) => cpu) / answered,
  };
}

/** Sends each request once and returns the bodies of the answers. */
export async function sendEach(server: MeasuredProcess, requests: readonly Request[]): Promise<unknown[]> {
  const bodies: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < requests.length) {
      const index = next++;
      const { path, ...init } = requests[index]!;
      const response = await fetch(server.url + path, init);
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      bodies[index] = await response.json();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return bodies;
}

export async function load(server: MeasuredProcess, requests: readonly Request[], seconds: number) {
  const result = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (client) =>
      client.setRequests(
        Array.from({ length: REQUESTS_OF_CONNECTION }, () => requests[Math.floor(Math.random() * requests.length)]!),
      ),
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0) throw new Error(`${failed} of ${failed + result['2xx']} calls of ${requests[0]?.path} failed.`);
  return result;
}
