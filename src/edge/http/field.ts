import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformOptions } from 'class-transformer';
import { IsDefined, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';

export interface FieldOptions {
  /** Absent and null mean the same. A field with an initialiser is optional too, and the document states it as the default. */
  readonly optional?: boolean;
  /** `null` is passed on: it clears the setting. */
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

/** An absent setting stays, and `null` clears it. */
export const RESETTABLE = { optional: true, nullable: true } as const;

/** Constraints of class-validator, conversions of class-transformer and the entry in the document. Other decorators may stand beside it. */
export type FieldDecorator = PropertyDecorator & { readonly kind: FieldKind };

interface FieldKind {
  readonly schema: ApiPropertyOptions;
  /** Only the first failing constraint is reported. `each` makes the decorators those of a list. */
  decorators(each: boolean): PropertyDecorator[];
}

export type Model = new () => object;

/** The `groups` of conversions for values that arrive as text, as in a query string. */
export const TEXTUAL = 'textual';

export function field(
  schema: ApiPropertyOptions,
  { optional = false, nullable = false, description, example }: FieldOptions,
  decorators: FieldKind['decorators'],
): FieldDecorator {
  const decorate: PropertyDecorator = (target, property) => {
    const defaultValue = initialValue(target.constructor as Model, property);
    const omissible = optional || defaultValue !== undefined;
    applyDecorators(
      // class-transformer runs conversions in reverse order, so this one receives the results of the conversions below.
      ...(omissible && !nullable
        ? [Transform(({ value }: { value: unknown }) => (value === null ? defaultValue : value))]
        : []),
      // Unconditional, so that a field redeclared in a subclass inherits no condition.
      ValidateIf((_, value) => !(omissible && value === undefined) && !(nullable && value === null)),
      IsDefined({ message: 'must not be null' }),
      ...decorators(false),
      ApiProperty({
        ...schema,
        required: !omissible,
        default: defaultValue,
        description,
        example,
        ...(nullable && { nullable: true }),
      } as ApiPropertyOptions),
    )(target, property);
  };
  return Object.assign(decorate, { kind: { schema, decorators } });
}

/** Reflection does not show initialisers, but a new instance does. */
function initialValue(model: Model, property: string | symbol): unknown {
  return (new model() as Record<string | symbol, unknown>)[property];
}

/** `convert` returns unchanged any value that it cannot convert. */
export function Convert(
  each: boolean,
  convert: (value: unknown) => unknown,
  options?: TransformOptions,
): PropertyDecorator {
  return Transform(
    ({ value }: { value: unknown }) =>
      each && Array.isArray(value) ? value.map((item: unknown) => convert(item)) : convert(value),
    options,
  );
}

/** Errors report `name` as `rule`. A message that depends on the value sees all items of a list. */
export function Satisfies(
  each: boolean,
  name: string,
  validate: (value: unknown) => boolean,
  message: string | ((value: unknown) => string),
): PropertyDecorator {
  const text = typeof message === 'string' ? message : ({ value }: ValidationArguments) => message(value);
  return ValidateBy({ name, validator: { validate } }, { each, message: text });
}
