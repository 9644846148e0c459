import type { ApiPropertyOptions } from '@nestjs/swagger';
import {
  IsBoolean,
  IsDate,
  IsIn,
  IsString,
  Matches,
  Max,
  MaxDate,
  MaxLength,
  Min,
  MinDate,
  MinLength,
} from 'class-validator';
import { ID_PREFIXES, ID_SUFFIX, type IdKind, isId, prefixIn } from '../../kernel/ids.js';
import type { Lifetime } from '../../kernel/lifetime.js';
import { isNetwork } from '../../services/limits/client-network.js';
import { Convert, field, type FieldDecorator, type FieldOptions, Satisfies, TEXTUAL } from './field.js';
import { HoldsId } from './id-fields.js';
import { plainCode } from './plain-code.js';

/** Characters. `text` applies where a field states no maximum. */
export const MAX_LENGTH = {
  email: 254,
  name: 256,
  url: 2048,
  token: 8192,
  userAgent: 1024,
  ip: 45,
  message: 65_536,
  notes: 1000,
  customId: 255,
  text: 1024,
} as const;

export interface TextOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
  /** Must be anchored and free of nested repetition, because it runs on hostile input. */
  readonly pattern?: RegExp;
  /** Follows "must be" in errors: `a decimal amount`. */
  readonly patternName?: string;
}

export function Text({
  min = 0,
  max = MAX_LENGTH.text,
  pattern,
  patternName = 'in the documented form',
  ...options
}: TextOptions = {}): FieldDecorator {
  const schema: ApiPropertyOptions = {
    type: 'string',
    ...(min > 0 && { minLength: min }),
    maxLength: max,
    ...(pattern && { pattern: pattern.source }),
  };
  return field(schema, options, (each) => [
    ...string(each, min, max),
    ...(pattern ? [Matches(pattern, { each, message: `must be ${patternName}` })] : []),
  ]);
}

function string(each: boolean, min: number, max: number): PropertyDecorator[] {
  return [
    IsString({ each, message: 'must be a string' }),
    ...(min > 0
      ? [MinLength(min, { each, message: min === 1 ? 'must not be empty' : `must have at least ${min} characters` })]
      : []),
    MaxLength(max, { each, message: `must have at most ${max} characters` }),
  ];
}

/** The document does not state `pattern`: clients that check requests against it would refuse typed blanks. */
export function TypedCode({
  pattern,
  patternName,
  ...options
}: TextOptions & { readonly pattern: RegExp }): FieldDecorator {
  return field({ type: 'string', maxLength: MAX_LENGTH.text }, options, (each) => [
    Convert(each, (value) => (typeof value === 'string' && value.length <= MAX_LENGTH.text ? plainCode(value) : value)),
    ...Text({ pattern, patternName }).kind.decorators(each),
  ]);
}

/** Only the length is checked here. */
export function Token(options: FieldOptions = {}): FieldDecorator {
  return field(
    { type: 'string', minLength: options.optional ? 0 : 1, maxLength: MAX_LENGTH.token },
    options,
    (each) => [
      // Responses state "no token" by an empty string, which clients send back.
      Convert(each, (value) => (options.optional && value === '' ? undefined : value)),
      ...Text({ min: 1, max: MAX_LENGTH.token }).kind.decorators(each),
    ],
  );
}

// class-validator's IsEmail accepts invisible characters and quoted local parts.
const EMAIL =
  /^(?=[^@]{1,64}@)[^\s"(),:;<>@[\\\].\p{C}]+(?:\.[^\s"(),:;<>@[\\\].\p{C}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+\p{L}(?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/** Display names, comments, quotes and address literals are refused. */
export function EmailAddress(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'string', format: 'email', maxLength: MAX_LENGTH.email }, options, (each) => [
    Convert(each, (value) => (typeof value === 'string' ? value.trim() : value)),
    ...string(each, 1, MAX_LENGTH.email),
    Matches(EMAIL, { each, message: 'must be an e-mail address' }),
  ]);
}

const PHONE_NUMBER = /^\+[1-9][0-9]{6,14}$/;

/** E.164. Numbers copied from an address book have marks of the writing direction around them. The identity module checks the country. */
export function PhoneNumber(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'string', maxLength: 16, pattern: PHONE_NUMBER.source }, options, (each) => [
    Convert(each, (value) => (typeof value === 'string' ? value.replace(AROUND, '') : value)),
    ...string(each, 0, 16),
    Matches(PHONE_NUMBER, { each, message: 'must be a phone number in E.164 form, such as +4915112345678' }),
  ]);
}

const AROUND = /^[\s\p{Cf}]{1,32}|[\s\p{Cf}]{1,32}$/gu;

export function HttpUrl(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'string', format: 'uri', maxLength: MAX_LENGTH.url }, options, (each) => [
    ...string(each, 1, MAX_LENGTH.url),
    Satisfies(each, 'format', isHttpUrl, 'must be an absolute http or https URL'),
  ]);
}

/** The URL parser drops tabs, line breaks and outer blanks and reads `\` as `/` without an error. */
function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^\s\\\p{C}]+$/iu.test(value) && URL.canParse(value);
}

/** Whether the object exists is not checked here. */
export function IdOf(kinds: IdKind | readonly IdKind[], options: FieldOptions = {}): FieldDecorator {
  const accepted = typeof kinds === 'string' ? [kinds] : kinds;
  const prefixes = accepted.map((kind) => ID_PREFIXES[kind]);
  const pattern = `^${prefixes.length === 1 ? prefixes[0] : `(${prefixes.join('|')})`}_${ID_SUFFIX}$`;
  const expected = (value: unknown): string => {
    const other = prefixIn(value);
    const begins = `must be an id that begins with ${prefixes.map((prefix) => `${prefix}_`).join(' or ')}`;
    return other === null ? begins : `${begins}, not with ${other}_`;
  };
  return field({ type: 'string', pattern }, options, (each) => [
    HoldsId,
    IsString({ each, message: 'must be a string' }),
    Satisfies(each, 'format', (value) => prefixes.some((prefix) => String(value).startsWith(`${prefix}_`)), expected),
    // The prefix is right, but the service creates no such id.
    Satisfies(each, 'exists', (value) => accepted.some((kind) => isId(kind, value)), 'does not exist'),
  ]);
}

export function Network(options: FieldOptions = {}): FieldDecorator {
  const message = 'must be a network such as 192.0.2.0/24 or 2001:db8::/32, with zeros behind its prefix';
  return field({ type: 'string', maxLength: MAX_LENGTH.ip }, options, (each) => [
    ...string(each, 1, MAX_LENGTH.ip),
    Satisfies(each, 'format', (value) => isNetwork(String(value)), message),
  ]);
}

/** How many decimals the currency has is not checked here. */
export function DecimalText(options: FieldOptions = {}): FieldDecorator {
  return Text({
    ...options,
    max: 96,
    pattern: /^(0|[1-9]\d{0,59})(\.\d{1,36})?$/,
    patternName: 'a decimal number such as 0.25',
  });
}

interface Unbounded {
  readonly min?: undefined;
  readonly max?: undefined;
  readonly unit?: undefined;
}

interface Bounded {
  readonly min?: number;
  readonly max?: number;
  /** The plural noun in errors: `minutes`. */
  readonly unit: string;
}

export type WholeNumberOptions = FieldOptions & (Unbounded | Bounded);

/** Text that consists of the number only (`"30"`) is accepted too. */
export function WholeNumber({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  unit = '',
  ...options
}: WholeNumberOptions = {}): FieldDecorator {
  const schema: ApiPropertyOptions = {
    type: 'integer',
    ...(min > Number.MIN_SAFE_INTEGER && { minimum: min }),
    ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
  };
  return field(schema, options, (each) => [
    Convert(each, wholeNumber),
    Satisfies(each, 'type', Number.isSafeInteger, 'must be a whole number'),
    Min(min, { each, message: `must be at least ${counted(min, unit)}` }),
    Max(max, { each, message: `must be at most ${counted(max, unit)}` }),
  ]);
}

export function counted(number: number, unit: string): string {
  return `${number} ${number === 1 ? unit.replace(/^(\w+?)(?:(ie)?s)\b/, (_, stem: string, ie?: string) => (ie ? `${stem}y` : stem)) : unit}`;
}

const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;

function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}

export function MinutesWithin({ min, max }: Lifetime, options: FieldOptions = {}): FieldDecorator {
  return WholeNumber({ ...options, min, max, unit: 'minutes' });
}

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

export function EpochSeconds(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'integer', minimum: 0, maximum: LAST_SECOND }, options, (each) => [
    Convert(each, (value) => {
      const seconds = wholeNumber(value);
      return Number.isSafeInteger(seconds) ? new Date((seconds as number) * 1000) : seconds;
    }),
    IsDate({ each, message: 'must be a time in whole epoch seconds' }),
    MinDate(new Date(0), { each, message: 'must be at least 0 epoch seconds' }),
    MaxDate(new Date(LAST_SECOND * 1000), {
      each,
      message: `must be at most ${LAST_SECOND} epoch seconds, which are not milliseconds`,
    }),
  ]);
}

export function Flag(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'boolean' }, options, (each) => [
    // Only query strings are converted, from the spellings of clients in several languages.
    Convert(each, (value) => FLAGS.get(String(value).toLowerCase()) ?? value, { groups: [TEXTUAL] }),
    IsBoolean({ each, message: 'must be true or false' }),
  ]);
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export interface OneOfOptions extends FieldOptions {
  readonly aliases?: Readonly<Record<string, string>>;
}

/** The list may still grow while modules are loaded. */
export function OneOf(values: readonly string[], { aliases = {}, ...options }: OneOfOptions = {}): FieldDecorator {
  const meanings = new Map<unknown, string>(Object.entries(aliases));
  return field({ type: 'string', enum: values as string[] }, options, (each) => [
    Convert(each, (value) => meanings.get(value) ?? value),
    IsString({ each, message: 'must be a string' }),
    IsIn(values, { each, message: () => `must be one of ${values.join(', ')}` }),
  ]);
}
