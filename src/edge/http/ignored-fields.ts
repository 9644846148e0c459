import type { ServerResponse } from 'node:http';
import { fieldsTakenBy } from './class-validator-internals.js';

const HEADER = 'X-Ignored-Fields';
const MAX_LENGTH = 512;
const MAX_NAME = 100;
const MOST_REPORTED = 5;
const MORE = '...';
const READ_BY_GUARD: ReadonlySet<string> = new Set(['public_token']);

/** A property: a WeakMap costs the garbage collector 10 µs a request. */
const RESPONSE = Symbol('response');

interface Parsed {
  [RESPONSE]?: Pick<ServerResponse, 'getHeader' | 'setHeader'>;
}

export function nameIgnoredFields(parsed: Parsed, response: Pick<ServerResponse, 'getHeader' | 'setHeader'>): void {
  parsed[RESPONSE] = response;
}

/** Does so if `nameIgnoredFields` was called for `parsed`. Returns the first names. */
export function reportIgnoredFields(parsed: unknown, request: object): string[] {
  const response = (parsed as Parsed | null | undefined)?.[RESPONSE];
  if (!response) return [];
  const earlier = response.getHeader(HEADER);
  let header = typeof earlier === 'string' ? earlier : '';
  const reported: string[] = [];
  for (const { path } of ignoredIn(parsed, request)) {
    if (READ_BY_GUARD.has(path)) continue;
    if (reported.length < MOST_REPORTED) reported.push(shown(path));
    const isFull = header.length + MAX_NAME > MAX_LENGTH;
    header += `${header === '' ? '' : ', '}${isFull ? MORE : shown(path)}`;
    if (isFull) break;
  }
  if (header !== '') response.setHeader(HEADER, header);
  return reported;
}

/** Names come from the caller: a line break in one would be another header. */
function shown(path: string): string {
  const safe = path.replaceAll(/[^\w.[\]-]/g, '?');
  return safe.length > MAX_NAME ? `${safe.slice(0, MAX_NAME - MORE.length)}${MORE}` : safe;
}

interface IgnoredField {
  /** `device_fingerprint.ipp` or `emails[0].mail`. */
  readonly path: string;
  readonly model: object;
}

export function* ignoredIn(given: unknown, taken: unknown, path = ''): Generator<IgnoredField> {
  // An object of any content is passed on unchanged.
  if (typeof given !== 'object' || given === null || typeof taken !== 'object' || taken === null || given === taken)
    return;
  if (Array.isArray(given)) {
    if (Array.isArray(taken))
      for (const [index, item] of given.entries()) yield* ignoredIn(item, taken[index], `${path}[${index}]`);
    return;
  }
  const model: unknown = taken.constructor;
  if (typeof model !== 'function' || model === Object) return;
  const fields = fieldsTakenBy(model as new () => object);
  for (const [name, value] of Object.entries(given)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (!fields.has(name)) yield { path: at, model };
    // A generator for each text would cost an import a tenth of its memory.
    else if (typeof value === 'object') yield* ignoredIn(value, (taken as Record<string, unknown>)[name], at);
  }
}
