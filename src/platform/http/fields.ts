import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import type { FieldError } from '../../kernel/domain-error.js';
import { ID_PREFIXES, type IdKind, isId } from '../../kernel/ids.js';
import type { Lifetime } from '../../kernel/lifetime.js';

/** Longest accepted strings, in characters. What is not named here is `text`. */
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

export interface FieldOptions {
  /** May be left out. A field with an initialiser may too, and the initialiser is documented as its default. */
  readonly optional?: boolean;
  /** `null` is a value of its own here; elsewhere it is refused. */
  readonly nullable?: boolean;
  /** Overrides the comment above the field, which otherwise describes it in the document. */
  readonly description?: string;
  readonly example?: unknown;
}

/** A decorator of a request field. It checks, converts and documents; `ListOf` and `AnyOf` take one as an argument. */
export type FieldDecorator = PropertyDecorator & { readonly rule: Rule };

type Model = new () => object;

/** What one kind of field accepts, as a schema for readers and as code for callers. */
interface Rule {
  readonly schema: ApiPropertyOptions;
  /** The converted value. A refused one is told to `reading` and becomes undefined. */
  read(value: unknown, path: string, reading: Reading): unknown;
}

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly nullable: boolean;
  readonly rule: Rule;
}

/** How many of some fields must be there. */
interface Group {
  readonly names: readonly string[];
  readonly exactlyOne: boolean;
}

/** One request being read, and what is wrong with it so far. */
export class Reading {
  readonly faults: FieldError[] = [];

  /** @param isTextual whether every value came as text, as in a query string, so that `true` is a word. */
  constructor(readonly isTextual: boolean) {}

  refuse(field: string, code: string, message: string): undefined {
    this.faults.push({ field, code, message });
  }
}

const declaredFields = new WeakMap<object, Map<string, Field>>();
const declaredGroups = new WeakMap<object, Group[]>();
const models = new WeakMap<object, { readonly fields: readonly Field[]; readonly groups: readonly Group[] }>();

/**
 * An instance of `model` made of the declared fields of `source` and nothing else: whatever is not declared is dropped.
 * All faults are told to `reading`, named by their path (`emails[0].email`).
 */
export function readObject(model: Model, source: object, path: string, reading: Reading): object {
  const { fields, groups } = modelOf(model);
  const object = new model() as Record<string, unknown>;
  const values = source as Readonly<Record<string, unknown>>;
  for (const { name, optional, nullable, rule } of fields) {
    const value = values[name];
    const at = path === '' ? name : `${path}.${name}`;
    if (value === undefined) {
      if (!optional) reading.refuse(at, 'required', 'is required');
    } else if (value === null) {
      if (nullable) object[name] = null;
      else reading.refuse(at, 'null', optional ? 'must not be null; leave it out instead' : 'must not be null');
    } else {
      object[name] = rule.read(value, at, reading);
    }
  }
  for (const { names, exactlyOne } of groups) {
    const given = names.filter((name) => values[name] !== undefined).length;
    if (given === 1 || (given > 1 && !exactlyOne)) continue;
    const at = path === '' ? names[0]! : `${path}.${names[0]!}`;
    const [code, amount] = exactlyOne ? ['exactly_one_of', 'exactly one'] : ['at_least_one_of', 'at least one'];
    reading.refuse(at, code, `is one of ${names.join(', ')}, of which ${amount} must be given`);
  }
  return object;
}

/** The fields a class declares and inherits, found once. */
function modelOf(model: Model) {
  let known = models.get(model);
  if (!known) {
    const fields = new Map<string, Field>();
    const groups: Group[] = [];
    for (const ancestor of lineage(model)) {
      for (const field of declaredFields.get(ancestor)?.values() ?? []) fields.set(field.name, field);
      groups.push(...(declaredGroups.get(ancestor) ?? []));
    }
    known = { fields: [...fields.values()], groups };
    models.set(model, known);
  }
  return known;
}

function lineage(model: object): object[] {
  const parent = Object.getPrototypeOf(model) as object | null;
  return parent ? [...lineage(parent), model] : [model];
}

function fieldDecorator(rule: Rule, options: FieldOptions): FieldDecorator {
  const decorate: PropertyDecorator = (target, property) => {
    const name = String(property);
    const model = target.constructor as Model;
    // Initialisers cannot be reflected on, but a fresh instance shows them: so a default is written once, in the field.
    const standard = (new model() as Record<string, unknown>)[name];
    const optional = options.optional === true || standard !== undefined;
    const nullable = options.nullable === true;
    const fields = declaredFields.get(model) ?? new Map<string, Field>();
    declaredFields.set(model, fields.set(name, { name, optional, nullable, rule }));
    ApiProperty({
      ...rule.schema,
      required: !optional,
      default: standard,
      description: options.description,
      example: options.example,
      ...(nullable && { nullable: true }),
    } as ApiPropertyOptions)(target, property);
  };
  return Object.assign(decorate, { rule });
}

export interface TextOptions extends FieldOptions {
  readonly min?: number;
  /** 1,024 unless told. */
  readonly max?: number;
  /** Anchored and free of nested repetition: it runs on what anybody sends. */
  readonly pattern?: RegExp;
  /** What the pattern asks for, after "must be": `a decimal amount`. */
  readonly patternName?: string;
}

/** A string. */
export function Text({
  min = 0,
  max = MAX_LENGTH.text,
  pattern,
  patternName,
  ...options
}: TextOptions = {}): FieldDecorator {
  const expected = `must be ${patternName ?? 'in the documented form'}`;
  return fieldDecorator(
    {
      schema: {
        type: 'string',
        ...(min > 0 && { minLength: min }),
        maxLength: max,
        ...(pattern && { pattern: pattern.source }),
      },
      read(value, path, reading) {
        const text = string(value, min, max, path, reading);
        if (text === undefined || !pattern || pattern.test(text)) return text;
        return reading.refuse(path, 'format', expected);
      },
    },
    options,
  );
}

/** An opaque token or JWT. Only its length is checked: whether it means anything is for its owner to say. */
export function Token(options: FieldOptions = {}): FieldDecorator {
  return Text({ ...options, min: 1, max: MAX_LENGTH.token });
}

const EMAIL =
  /^[^\s"(),:;<>@[\\\].\p{C}]+(?:\.[^\s"(),:;<>@[\\\].\p{C}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+\p{L}(?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/** One bare e-mail address, trimmed: no display name, comment, quotes or address literal. Not yet in its canonical form. */
export function EmailAddress(options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH.email },
      read(value, path, reading) {
        const text = string(typeof value === 'string' ? value.trim() : value, 1, MAX_LENGTH.email, path, reading);
        if (text === undefined || (EMAIL.test(text) && text.indexOf('@') <= 64)) return text;
        return reading.refuse(path, 'format', 'must be an e-mail address');
      },
    },
    options,
  );
}

/** A phone number in the shape of E.164. Whether a country numbers like that is checked by who keeps it. */
export function PhoneNumber(options: FieldOptions = {}): FieldDecorator {
  return Text({
    ...options,
    max: 16,
    pattern: /^\+[1-9][0-9]{6,14}$/,
    patternName: 'a phone number in E.164 form, such as +4915112345678',
  });
}

/** An absolute http or https URL, as it was sent. */
export function HttpUrl(options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: { type: 'string', format: 'uri', maxLength: MAX_LENGTH.url },
      read(value, path, reading) {
        const text = string(value, 1, MAX_LENGTH.url, path, reading);
        if (text === undefined || isHttpUrl(text)) return text;
        return reading.refuse(path, 'format', 'must be an absolute http or https URL');
      },
    },
    options,
  );
}

/** An id of one kind, or of one of several. Says nothing about whether it exists. */
export function IdOf(kinds: IdKind | readonly IdKind[], options: FieldOptions = {}): FieldDecorator {
  const accepted = typeof kinds === 'string' ? [kinds] : kinds;
  const prefixes = accepted.map((kind) => ID_PREFIXES[kind]);
  return fieldDecorator(
    {
      schema: {
        type: 'string',
        pattern: `^${prefixes.length === 1 ? prefixes[0] : `(${prefixes.join('|')})`}_[0-9a-z]{26}$`,
      },
      read(value, path, reading) {
        const text = string(value, 1, MAX_LENGTH.text, path, reading);
        if (text === undefined || accepted.some((kind) => isId(kind, text))) return text;
        return reading.refuse(
          path,
          'format',
          `must be an id that begins with ${prefixes.map((prefix) => `${prefix}_`).join(' or ')}`,
        );
      },
    },
    options,
  );
}

export interface WholeNumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number, also accepted as text when that is nothing but the number (`"30"`). */
export function WholeNumber({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  ...options
}: WholeNumberOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: {
        type: 'integer',
        ...(min > Number.MIN_SAFE_INTEGER && { minimum: min }),
        ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
      },
      read: (value, path, reading) => wholeNumber(value, min, max, path, reading),
    },
    options,
  );
}

/** A duration in minutes within the bounds of `lifetime`. */
export function MinutesWithin({ min, max }: Lifetime, options: FieldOptions = {}): FieldDecorator {
  return WholeNumber({ ...options, min, max });
}

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** A time in epoch seconds, which becomes a `Date`. */
export function EpochSeconds(options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: { type: 'integer', minimum: 0, maximum: LAST_SECOND },
      read(value, path, reading) {
        const seconds = wholeNumber(value, 0, LAST_SECOND, path, reading);
        return seconds === undefined ? undefined : new Date(seconds * 1000);
      },
    },
    options,
  );
}

/** True or false. */
export function Flag(options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: { type: 'boolean' },
      read(value, path, reading) {
        if (typeof value === 'boolean') return value;
        if (reading.isTextual && (value === 'true' || value === 'false')) return value === 'true';
        return reading.refuse(path, 'type', 'must be true or false');
      },
    },
    options,
  );
}

export interface OneOfOptions extends FieldOptions {
  /** Further spellings old clients send, and the value each becomes. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** One of a few words. */
export function OneOf(values: readonly string[], { aliases = {}, ...options }: OneOfOptions = {}): FieldDecorator {
  const meanings = new Map([...Object.entries(aliases), ...values.map((value) => [value, value] as const)]);
  return fieldDecorator(
    {
      schema: { type: 'string', enum: [...values] },
      read(value, path, reading) {
        const text = string(value, 0, MAX_LENGTH.text, path, reading);
        if (text === undefined) return undefined;
        return meanings.get(text) ?? reading.refuse(path, 'one_of', `must be one of ${values.join(', ')}`);
      },
    },
    options,
  );
}

export interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max: number;
}

/** A list whose items are each what `item` decorates: `@ListOf(HttpUrl(), { max: 20 })`. */
export function ListOf({ rule }: FieldDecorator, { min = 0, max, ...options }: ListOptions): FieldDecorator {
  const bounds = { ...(min > 0 && { minItems: min }), maxItems: max };
  const isNested = typeof rule.schema.type === 'function';
  return fieldDecorator(
    {
      schema: (isNested
        ? { ...rule.schema, isArray: true, ...bounds }
        : { type: 'array', items: rule.schema, ...bounds }) as ApiPropertyOptions,
      read(value, path, reading) {
        if (!Array.isArray(value)) return reading.refuse(path, 'type', 'must be a list');
        if (value.length < min)
          return reading.refuse(path, 'too_few', min === 1 ? 'must not be empty' : `must have at least ${min} items`);
        if (value.length > max) return reading.refuse(path, 'too_many', `must have at most ${max} items`);
        return value.map((item: unknown, index) => {
          const at = `${path}[${index}]`;
          return item === null ? reading.refuse(at, 'null', 'must not be null') : rule.read(item, at, reading);
        });
      },
    },
    options,
  );
}

/** An object with fields of its own. The class is given lazily, as classes may refer to each other. */
export function Nested(model: () => Model, options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      // Swagger takes a function for a lazy type by its name, which this property gives it.
      schema: { type: () => model() },
      read: (value, path, reading) =>
        isObject(value) ? readObject(model(), value, path, reading) : reading.refuse(path, 'type', 'must be an object'),
    },
    options,
  );
}

/** A JSON object of any content, as it was sent. */
export function JsonObject(options: FieldOptions = {}): FieldDecorator {
  return fieldDecorator(
    {
      schema: { type: 'object', additionalProperties: true },
      read: (value, path, reading) => (isObject(value) ? value : reading.refuse(path, 'type', 'must be an object')),
    },
    options,
  );
}

/** What any of the given decorators accepts; the first that does converts it. */
export function AnyOf(alternatives: readonly FieldDecorator[], options: FieldOptions = {}): FieldDecorator {
  // oxlint-disable-next-line typescript/no-base-to-string -- alternatives are of plain types, whose names these are
  const expected = alternatives.map(({ rule }) => String(rule.schema.type)).join(' or ');
  return fieldDecorator(
    {
      schema: { anyOf: alternatives.map(({ rule }) => rule.schema) } as ApiPropertyOptions,
      read(value, path, reading) {
        let attempt: Reading | undefined;
        for (const { rule } of alternatives) {
          attempt = new Reading(reading.isTextual);
          const read = rule.read(value, path, attempt);
          if (attempt.faults.length === 0) return read;
        }
        return reading.refuse(path, 'type', `must be ${expected}`);
      },
    },
    options,
  );
}

/** Exactly one of these optional fields must be given. */
export function ExactlyOneOf(...names: [string, string, ...string[]]): ClassDecorator {
  return group({ names, exactlyOne: true });
}

/** One or more of these optional fields must be given. */
export function AtLeastOneOf(...names: [string, string, ...string[]]): ClassDecorator {
  return group({ names, exactlyOne: false });
}

function group(added: Group): ClassDecorator {
  return (model) => {
    const groups = [...(declaredGroups.get(model) ?? []), added];
    declaredGroups.set(model, groups);
    const allOf = groups.map(({ names, exactlyOne }) => ({
      [exactlyOne ? 'oneOf' : 'anyOf']: names.map((name) => ({ required: [name] })),
    }));
    // ApiSchema's type knows only name and description, but whatever is given becomes part of the schema.
    ApiSchema({ allOf } as Parameters<typeof ApiSchema>[0])(model);
  };
}

function string(value: unknown, min: number, max: number, path: string, reading: Reading): string | undefined {
  if (typeof value !== 'string') return reading.refuse(path, 'type', 'must be a string');
  if (value.length < min) {
    return reading.refuse(path, 'too_short', min === 1 ? 'must not be empty' : `must have at least ${min} characters`);
  }
  if (value.length > max && characters(value) > max) {
    return reading.refuse(path, 'too_long', `must have at most ${max} characters`);
  }
  return value;
}

/** Code points, as JSON Schema counts them; `length` counts some characters twice. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;

function wholeNumber(value: unknown, min: number, max: number, path: string, reading: Reading): number | undefined {
  const number = typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) return reading.refuse(path, 'type', 'must be a whole number');
  if ((number as number) < min) return reading.refuse(path, 'min', `must be at least ${min}`);
  if ((number as number) > max) return reading.refuse(path, 'max', `must be at most ${max}`);
  return number as number;
}

/** The URL parser silently drops tabs, line breaks and outer blanks and reads `\` as `/`; here they are faults. */
function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\\\p{C}]+$/iu.test(text) && URL.canParse(text);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
