import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiSchema } from '@nestjs/swagger';
import { Transform, type TransformOptions, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsDefined,
  IsIn,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxDate,
  MaxLength,
  Min,
  MinDate,
  MinLength,
  registerDecorator,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  validateSync,
  type ValidationArguments,
} from 'class-validator';
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
  /** May be left out, or null, which means the same. A field with an initialiser may too, and the initialiser is documented as its default. */
  readonly optional?: boolean;
  /** `null` has a meaning of its own: it clears the setting. */
  readonly nullable?: boolean;
  /** Overrides the comment above the field, which otherwise describes it in the document. */
  readonly description?: string;
  readonly example?: unknown;
}

/**
 * A decorator of a request field: constraints of class-validator, conversions of class-transformer and the field's entry
 * in the document. Further decorators of both libraries may stand beside it. `ListOf` and `AnyOf` take one as an argument.
 */
export type FieldDecorator = PropertyDecorator & { readonly kind: FieldKind };

type Model = new () => object;

/** What makes a field one of its kind, whether it may be left out or not. */
interface FieldKind {
  readonly schema: ApiPropertyOptions;
  /** The decorators of a field of this kind or, with `each`, of a list of them. The first constraint that fails is told. */
  decorators(each: boolean): PropertyDecorator[];
}

/** Conversions with this in their `groups` apply where every value came as text, as in a query string. */
export const TEXTUAL = 'textual';

function field(
  schema: ApiPropertyOptions,
  { optional = false, nullable = false, description, example }: FieldOptions,
  decorators: FieldKind['decorators'],
): FieldDecorator {
  const decorate: PropertyDecorator = (target, property) => {
    // Initialisers cannot be reflected on, but a fresh instance shows them: so a default is written once, in the field.
    const standard = (new (target.constructor as Model)() as Record<string | symbol, unknown>)[property];
    const omissible = optional || standard !== undefined;
    applyDecorators(
      // The library runs conversions in the reverse of this order, so this one sees what the others leave.
      ...(omissible && !nullable
        ? [Transform(({ value }: { value: unknown }) => (value === null ? standard : value))]
        : []),
      // Always there, so that a field declared anew in a subclass takes nothing over from the one it replaces.
      ValidateIf((_, value) => !(omissible && value === undefined) && !(nullable && value === null)),
      IsDefined({ message: 'must not be null' }),
      ...decorators(false),
      ApiProperty({
        ...schema,
        required: !omissible,
        default: standard,
        description,
        example,
        ...(nullable && { nullable: true }),
      } as ApiPropertyOptions),
    )(target, property);
  };
  return Object.assign(decorate, { kind: { schema, decorators } });
}

/** Converts before the constraints judge, and leaves what it cannot convert for them to refuse. */
function Convert(each: boolean, convert: (value: unknown) => unknown, options?: TransformOptions): PropertyDecorator {
  return Transform(
    ({ value }: { value: unknown }) =>
      each && Array.isArray(value) ? value.map((item: unknown) => convert(item)) : convert(value),
    options,
  );
}

/** A constraint of our own. Its name is the rule that its fault names. */
function Satisfies(
  each: boolean,
  code: string,
  validate: (value: unknown) => boolean,
  message: string,
): PropertyDecorator {
  return ValidateBy({ name: code, validator: { validate } }, { each, message });
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

/** An opaque token or JWT. Only its length is checked: whether it means anything is for its owner to say. */
export function Token(options: FieldOptions = {}): FieldDecorator {
  return field(
    { type: 'string', minLength: options.optional ? 0 : 1, maxLength: MAX_LENGTH.token },
    options,
    (each) => [
      // Answers say "no token" by an empty one, and clients send those back.
      Convert(each, (value) => (options.optional && value === '' ? undefined : value)),
      ...Text({ min: 1, max: MAX_LENGTH.token }).kind.decorators(each),
    ],
  );
}

// The library's own constraint lets invisible characters and quoted local parts through.
const EMAIL =
  /^(?=[^@]{1,64}@)[^\s"(),:;<>@[\\\].\p{C}]+(?:\.[^\s"(),:;<>@[\\\].\p{C}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+\p{L}(?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/** One bare e-mail address, trimmed: no display name, comment, quotes or address literal. Not yet in its canonical form. */
export function EmailAddress(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'string', format: 'email', maxLength: MAX_LENGTH.email }, options, (each) => [
    Convert(each, (value) => (typeof value === 'string' ? value.trim() : value)),
    ...string(each, 1, MAX_LENGTH.email),
    Matches(EMAIL, { each, message: 'must be an e-mail address' }),
  ]);
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
  return field({ type: 'string', format: 'uri', maxLength: MAX_LENGTH.url }, options, (each) => [
    ...string(each, 1, MAX_LENGTH.url),
    Satisfies(each, 'format', isHttpUrl, 'must be an absolute http or https URL'),
  ]);
}

/** The URL parser silently drops tabs, line breaks and outer blanks and reads `\` as `/`; here they are faults. */
function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/[^\s\\\p{C}]+$/iu.test(value) && URL.canParse(value);
}

/** An id of one kind, or of one of several. Says nothing about whether it exists. */
export function IdOf(kinds: IdKind | readonly IdKind[], options: FieldOptions = {}): FieldDecorator {
  const accepted = typeof kinds === 'string' ? [kinds] : kinds;
  const prefixes = accepted.map((kind) => ID_PREFIXES[kind]);
  const pattern = `^${prefixes.length === 1 ? prefixes[0] : `(${prefixes.join('|')})`}_[0-9a-z]{26}$`;
  const expected = `must be an id that begins with ${prefixes.map((prefix) => `${prefix}_`).join(' or ')}`;
  return field({ type: 'string', pattern }, options, (each) => [
    IsString({ each, message: 'must be a string' }),
    Satisfies(each, 'format', (value) => prefixes.some((prefix) => String(value).startsWith(`${prefix}_`)), expected),
    // Of the right kind, but no id was ever made like that.
    Satisfies(each, 'exists', (value) => accepted.some((kind) => isId(kind, value)), 'does not exist'),
  ]);
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
  const schema: ApiPropertyOptions = {
    type: 'integer',
    ...(min > Number.MIN_SAFE_INTEGER && { minimum: min }),
    ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
  };
  return field(schema, options, (each) => [
    Convert(each, wholeNumber),
    Satisfies(each, 'type', Number.isSafeInteger, 'must be a whole number'),
    Min(min, { each, message: `must be at least ${min}` }),
    Max(max, { each, message: `must be at most ${max}` }),
  ]);
}

const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;

function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;
}

/** A duration in minutes within the bounds of `lifetime`. */
export function MinutesWithin({ min, max }: Lifetime, options: FieldOptions = {}): FieldDecorator {
  return WholeNumber({ ...options, min, max });
}

const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** A time in epoch seconds, which becomes a `Date`. */
export function EpochSeconds(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'integer', minimum: 0, maximum: LAST_SECOND }, options, (each) => [
    Convert(each, (value) => {
      const seconds = wholeNumber(value);
      return Number.isSafeInteger(seconds) ? new Date((seconds as number) * 1000) : seconds;
    }),
    IsDate({ each, message: 'must be a time in whole epoch seconds' }),
    MinDate(new Date(0), { each, message: 'must be at least 0' }),
    MaxDate(new Date(LAST_SECOND * 1000), { each, message: `must be at most ${LAST_SECOND}` }),
  ]);
}

/** True or false. */
export function Flag(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'boolean' }, options, (each) => [
    // In a query, and as clients in several languages write it there.
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
  /** Further spellings old clients send, and the value each becomes. */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** One of a few words. */
export function OneOf(values: readonly string[], { aliases = {}, ...options }: OneOfOptions = {}): FieldDecorator {
  const meanings = new Map<unknown, string>(Object.entries(aliases));
  return field({ type: 'string', enum: [...values] }, options, (each) => [
    Convert(each, (value) => meanings.get(value) ?? value),
    IsString({ each, message: 'must be a string' }),
    IsIn(values, { each, message: `must be one of ${values.join(', ')}` }),
  ]);
}

export interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max: number;
}

/** A list whose items are each what `item` decorates: `@ListOf(HttpUrl(), { max: 20 })`. */
export function ListOf({ kind }: FieldDecorator, { min = 0, max, ...options }: ListOptions): FieldDecorator {
  const bounds = { ...(min > 0 && { minItems: min }), maxItems: max };
  const isNested = typeof kind.schema.type === 'function';
  const schema = isNested
    ? { ...kind.schema, isArray: true, ...bounds }
    : { type: 'array', items: kind.schema, ...bounds };
  return field(schema as ApiPropertyOptions, options, () => [
    IsArray({ message: 'must be a list' }),
    ArrayMinSize(min, { message: min === 1 ? 'must not be empty' : `must have at least ${min} items` }),
    ArrayMaxSize(max, { message: `must have at most ${max} items` }),
    ...kind.decorators(true),
  ]);
}

/** An object with fields of its own. The class is given lazily, as classes may refer to each other. */
export function Nested(model: () => Model, options: FieldOptions = {}): FieldDecorator {
  // Swagger takes a function for a lazy type by its name, which this property gives it.
  return field({ type: () => model() }, options, (each) => [
    Type(model),
    // Left to itself, the nested check looks into lists as well.
    Satisfies(each, 'type', (value) => !Array.isArray(value), 'must be an object'),
    ValidateNested({ each, message: 'must be an object' }),
  ]);
}

/** A JSON object of any content, as it was sent. */
export function JsonObject(options: FieldOptions = {}): FieldDecorator {
  return field({ type: 'object', additionalProperties: true }, options, (each) => [
    // Not the library's copy, which lacks names that objects inherit, such as `toString`.
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    IsObject({ each, message: 'must be an object' }),
  ]);
}

/** What any of the given decorators accepts, as it was sent. */
export function AnyOf(alternatives: readonly FieldDecorator[], options: FieldOptions = {}): FieldDecorator {
  // oxlint-disable-next-line typescript/no-base-to-string -- alternatives are of plain types, whose names these are
  const expected = alternatives.map(({ kind }) => String(kind.schema.type)).join(' or ');
  // The library knows no "or" within a field, so each alternative is one of a class of its own.
  const models = alternatives.map((alternative) => {
    class Alternative {
      constructor(readonly value?: unknown) {}
    }
    alternative(Alternative.prototype, 'value');
    return Alternative;
  });
  const isAny = (value: unknown) => models.some((Alternative) => validateSync(new Alternative(value)).length === 0);
  const schema = { anyOf: alternatives.map(({ kind }) => kind.schema) } as ApiPropertyOptions;
  return field(schema, options, (each) => [Satisfies(each, 'type', isAny, `must be ${expected}`)]);
}

/** Exactly one of these optional fields must be given. */
export function ExactlyOneOf(...names: [string, string, ...string[]]): ClassDecorator {
  return group(names, 'exactly_one_of', 'exactly one', (given) => given === 1, 'oneOf');
}

/** One or more of these optional fields must be given. */
export function AtLeastOneOf(...names: [string, string, ...string[]]): ClassDecorator {
  return group(names, 'at_least_one_of', 'at least one', (given) => given > 0, 'anyOf');
}

/** What the constraint of a group carries: the field its fault is told of. */
export interface GroupContext {
  readonly toldOf: string;
}

const groupSchemas = Symbol('schemas of the groups of a class');

function group(
  names: readonly [string, ...string[]],
  code: string,
  amount: string,
  isEnough: (given: number) => boolean,
  keyword: 'oneOf' | 'anyOf',
): ClassDecorator {
  return (model) => {
    registerDecorator({
      name: code,
      target: model,
      // Of none of the fields, as the constraints of an optional field that is left out are not asked.
      propertyName: names.join(),
      options: {
        message: `is one of ${names.join(', ')}, of which ${amount} must be given`,
        context: { toldOf: names[0] } satisfies GroupContext,
      },
      validator: {
        validate: (_, { object } = {} as ValidationArguments) =>
          isEnough(names.filter((name) => (object as Record<string, unknown>)[name] !== undefined).length),
      },
    });
    const inherited = (Reflect.getMetadata(groupSchemas, model) ?? []) as object[];
    const allOf = [...inherited, { [keyword]: names.map((name) => ({ required: [name] })) }];
    Reflect.defineMetadata(groupSchemas, allOf, model);
    // ApiSchema's type knows only name and description, but whatever is given becomes part of the schema.
    ApiSchema({ allOf } as Parameters<typeof ApiSchema>[0])(model);
  };
}
