import type { FieldError } from '../../kernel/domain-error.js';
import { InvalidRequest } from '../../kernel/errors.js';
import { deferFaults } from './deferred-faults.js';
import { MalformedJson } from '../errors/edge-errors.js';

const MAX_DEPTH = 20;
/** The cost of converting an object to its class grows with the square of its names. Metadata of 4 KiB has at most 598. */
export const MAX_NAMES = 600;
const MAX_VALUES = 10_000;
const MAX_FAULTS = 20;
/** Names by which careless code, here or in a library, reaches prototypes. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** PostgreSQL stores no NUL in text, and UTF-8 has no lone surrogates, so such text could not be returned unchanged. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Refuses what parsers read differently or lossily. Numbers that change when parsed are refused only in fields that the request takes. */
export function parseJsonObject(text: string, mostValues = MAX_VALUES): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may contain secrets.
    throw new MalformedJson();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('The request body must be a JSON object.');
  }
  const { faults, changedNumbers } = faultsOf(text, mostValues);
  if (faults.length > 0) throw new InvalidRequest([...faults, ...changedNumbers.values()].slice(0, MAX_FAULTS));
  deferFaults(value, changedNumbers);
  return value;
}

export function characterFault(text: string): string | undefined {
  const found = UNSTORABLE.exec(text);
  return found ? `must not contain ${found[0] === '\0' ? 'NUL characters' : 'lone surrogates'}` : undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** One pass over valid JSON, so colons, blanks and literals need no check. */
function faultsOf(text: string, mostValues: number): { faults: FieldError[]; changedNumbers: Map<string, FieldError> } {
  const faults: FieldError[] = [];
  // It has one fault for each field, so that many faults in one field do not hide one in another.
  const changedNumbers = new Map<string, FieldError>();
  let field = '';
  // Names so far of each open object (null for an array), and its current name or index.
  const seen: (Set<string> | null)[] = [];
  const place: (string | number)[] = [];
  let expectsName = false;
  let values = 1;
  let backslash = text.indexOf('\\');

  for (let i = 0; i < text.length && faults.length < MAX_FAULTS; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      const start = i;
      i = text.indexOf('"', start + 1);
      if (backslash !== -1 && backslash < start) backslash = text.indexOf('\\', start);
      const hasEscapes = backslash !== -1 && backslash < i;
      if (hasEscapes) i = endOfString(text, start);
      const raw = text.slice(start + 1, i);
      const string = hasEscapes ? (JSON.parse(text.slice(start, i + 1)) as string) : raw;
      if (expectsName) {
        expectsName = false;
        // Raw, because an escape is safe to print and the character that it stands for may not be.
        place[place.length - 1] = raw;
        if (place.length === 1) field = string;
        const names = seen[seen.length - 1]!;
        if (names.has(string)) faults.push(fault(place, 'duplicate', 'must not be given more than once'));
        else if (FORBIDDEN_NAMES.has(string))
          faults.push(fault(place, 'forbidden_name', 'is not a name that a field may have'));
        names.add(string);
        if (names.size > MAX_NAMES) {
          faults.push(fault(place, 'too_many', `is one name too many: an object may have ${MAX_NAMES}`));
          return { faults, changedNumbers };
        }
      }
      const unstorable = hasEscapes ? characterFault(string) : undefined;
      if (unstorable) faults.push(fault(place, 'characters', unstorable));
    } else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (seen.length === MAX_DEPTH) {
        faults.push(fault(place, 'depth', `must not be nested deeper than ${MAX_DEPTH} levels`));
        return { faults, changedNumbers };
      }
      expectsName = char === OPEN_BRACE;
      seen.push(expectsName ? new Set() : null);
      place.push(expectsName ? '' : 0);
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      seen.pop();
      place.pop();
      expectsName = false;
    } else if (char === COMMA) {
      expectsName = seen[seen.length - 1] !== null;
      if (!expectsName) (place[place.length - 1] as number)++;
      if (++values > mostValues) {
        faults.push(fault(place, 'too_many', `is one value too many: a body may have ${mostValues}`));
        return { faults, changedNumbers };
      }
    } else if ((char >= ZERO && char <= NINE) || char === MINUS) {
      const start = i;
      i = endOfNumber(text, start);
      if (!changedNumbers.has(field) && !survives(text, start, i + 1)) {
        const message = 'is a number that cannot be kept exactly; send it as a string';
        changedNumbers.set(field, fault(place, 'number', message));
      }
    }
  }
  return { faults, changedNumbers };
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}

function endOfNumber(text: string, start: number): number {
  let i = start;
  while (isNumeric(text.charCodeAt(i + 1))) i++;
  return i;
}

function isNumeric(char: number): boolean {
  return (
    (char >= ZERO && char <= NINE) || char === MINUS || char === 0x2b || char === 0x2e || char === 0x65 || char === 0x45
  );
}

/** Integers are not rounded and no number becomes infinite. */
function survives(text: string, start: number, end: number): boolean {
  if (end - start <= 4) return true;
  const literal = text.slice(start, end);
  const number = Number(literal);
  return Number.isFinite(number) && (Number.isSafeInteger(number) || /[.eE]/.test(literal));
}

/** Long paths are cut, because names come from the caller. */
function fault(place: readonly (string | number)[], rule: string, message: string): FieldError {
  let path = '';
  for (const part of place) path += typeof part === 'number' ? `[${part}]` : path === '' ? part : `.${part}`;
  return { field: path.length > 200 ? `${path.slice(0, 200)}…` : path, rule, message };
}
