import type { NextFunction, Request, Response } from 'express';
import type { FieldError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { deferFaults } from './deferred-faults.js';
import { characterFault, MAX_NAMES } from './json-text.js';

const ENCODING = 'must be percent-encoded UTF-8';

/** Refuses a path that does not decode to storable text. */
export function requestTarget(request: Request, _response: Response, next: NextFunction): void {
  const { url } = request;
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const text = decoded(path);
  const fault = text === undefined ? ENCODING : characterFault(text);
  if (fault !== undefined)
    throw new InvalidRequest([{ field: 'path', rule: text === undefined ? 'encoding' : 'characters', message: fault }]);
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

/** Parsers differ in which value of a repeated field they keep. Such a field has no value, and a request that takes it is refused. */
export function parseParameters(text: string): Record<string, string | undefined> {
  const parameters = Object.create(null) as Record<string, string | undefined>;
  const refused: FieldError[] = [];
  const deferred = new Map<string, FieldError>();
  const pairs = text.replaceAll('+', ' ').split('&', MAX_NAMES + 1);
  if (pairs.length > MAX_NAMES) {
    throw new InvalidRequest([
      { field: 'query', rule: 'too_many', message: `must have at most ${MAX_NAMES} parameters` },
    ]);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    // No field has such a name.
    if (name === undefined) continue;
    const value = equals === -1 ? '' : decoded(pair.slice(equals + 1));
    const nameFault = characterFault(name);
    const message = nameFault ?? characterFault(value ?? '');
    if (message) refused.push({ field: nameFault ? 'query' : shown(name), rule: 'characters', message });
    const isRepeated = name in parameters;
    if (isRepeated)
      deferred.set(name, { field: shown(name), rule: 'duplicate', message: 'must not be given more than once' });
    else if (value === undefined) deferred.set(name, { field: shown(name), rule: 'encoding', message: ENCODING });
    parameters[name] = isRepeated ? undefined : value;
  }
  if (refused.length > 0) throw new InvalidRequest(refused.slice(0, 20));
  deferFaults(parameters, deferred);
  return parameters;
}

/** Undefined for text that is no percent-encoded UTF-8. Surrogates cannot be percent-encoded. */
function decoded(text: string): string | undefined {
  // Node decodes raw bytes above ASCII as Latin-1, which no client intends.
  if (/[^\x20-\x7e]/.test(text)) return undefined;
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return undefined;
  }
}

function shown(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name;
}
