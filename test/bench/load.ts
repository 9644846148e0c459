import autocannon, { type Request } from 'autocannon';
import type { MeasuredProcess } from './measured-process.js';

const CONNECTIONS = 20;
/** Each connection goes round so many requests drawn at random, so all together several thousand. */
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

/** Keeps 20 connections busy and measures how it went after a warm-up. Throws when any answer is not 2xx. */
export async function measure(
  server: MeasuredProcess,
  requests: readonly Request[],
  seconds: number,
): Promise<Measured> {
  await load(server, requests, WARM_UP_SECONDS);
  const before = await server.cpu();
  const result = await load(server, requests, seconds);
  const cpu = (await server.cpu()) - before;
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: cpu / result['2xx'],
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
