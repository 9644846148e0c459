import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: object;
}

interface Load {
  /** Clients, each of which has one call under way at a time. */
  readonly connections: number;
  /** If absent, each client sends its next call at once. */
  readonly perSecond?: number | undefined;
  readonly seconds: number;
}

interface Answers {
  readonly perSecond: number;
  /** By status. */
  readonly counts: Readonly<Record<string, number>>;
  /** Milliseconds of the calls that were answered 200. */
  readonly p50: number;
  /** The delay of the program's own event loop, p99. */
  readonly lagMs: number;
}

/** Sends these calls in turn, from a process of its own. */
export async function pacedLoad(url: string, calls: readonly Call[], load: Load): Promise<Answers> {
  const { host, port } = new URL(url);
  const requests = calls.map(({ method, path, key, body }) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const fields = [`Host: ${host}`, `Authorization: Bearer ${key}`];
    if (text) fields.push('Content-Type: application/json', `Content-Length: ${text.length}`);
    return [`${method} ${path} HTTP/1.1`, ...fields, '', text].join('\r\n');
  });
  const generator = fork(join(import.meta.dirname, 'paced-load.mjs'));
  generator.send({ port, requests, ...load });
  return ((await once(generator, 'message')) as [Answers])[0];
}
