import type { NextFunction, Request, Response } from 'express';
import type { FieldError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { characterFault, MAX_NAMES } from './json-text.js';

const ENCODING = 'must be percent-encoded UTF-8';

/** Refuses a path or query that does not decode to storable text. Parses the query once per request. */
export function requestTarget(request: Request, _response: Response, next: NextFunction): void {
  const { url } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const faults: FieldError[] = [];
  decode(path, 'path', faults);
  if (faults.length > 0) throw new InvalidRequest(faults);
  if (mark !== -1) {
    // Express parses the query at each access, and keeps sequences that do not decode.
    Object.defineProperty(request, 'query', {
      value: parseParameters(url.slice(mark + 1)),
      configurable: true,
      enumerable: true,
    });
  }
  next();
}

/** The fields of an `application/x-www-form-urlencoded` text. Duplicates are refused, because parsers differ in which they keep. */
export function parseParameters(text: string): Record<string, string> {
  const parameters = Object.create(null) as Record<string, string>;
  const faults: FieldError[] = [];
  const pairs = text.split('&', MAX_NAMES + 1);
  if (pairs.length > MAX_NAMES) {
    throw new InvalidRequest([
      { field: 'query', rule: 'too_many', message: `must have at most ${MAX_NAMES} parameters` },
    ]);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode((equals === -1 ? pair : pair.slice(0, equals)).replaceAll('+', ' '), 'query', faults);
    if (name === undefined) continue;
    if (name in parameters)
      faults.push({ field: shown(name), rule: 'duplicate', message: 'must not be given more than once' });
    parameters[name] =
      (equals === -1 ? '' : decode(pair.slice(equals + 1).replaceAll('+', ' '), shown(name), faults)) ?? '';
  }
  if (faults.length > 0) throw new InvalidRequest(faults.slice(0, 20));
  return parameters;
}

/** The decoded text, or undefined and an entry in `faults`. Surrogates cannot be percent-encoded and are refused as an encoding. */
function decode(text: string, field: string, faults: FieldError[]): string | undefined {
  try {
    // Node decodes raw bytes above ASCII as Latin-1, which no client intends.
    if (/[^\x20-\x7e]/.test(text)) throw new URIError();
    const decoded = text.includes('%') ? decodeURIComponent(text) : text;
    const message = characterFault(decoded);
    if (message === undefined) return decoded;
    faults.push({ field, rule: 'characters', message });
  } catch {
    faults.push({ field, rule: 'encoding', message: ENCODING });
  }
  return undefined;
}

function shown(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name;
}
