import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, ValidateNested, validateSync } from 'class-validator';
import { field, type FieldDecorator, type FieldOptions, type Model, Satisfies } from './field.js';

export interface ListOptions extends FieldOptions {
  readonly min?: number;
  readonly max: number;
}

/** `@ListOf(HttpUrl(), { max: 20 })`. */
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

/** The class is given lazily, because classes may refer to each other. */
export function Nested(model: () => Model, options: FieldOptions = {}): FieldDecorator {
  // Swagger recognises a lazy type by the function name `type`, which this property gives.
  return field({ type: () => model() }, options, (each) => [
    Type(model),
    // ValidateNested alone accepts a list of objects too.
    Satisfies(each, 'type', (value) => !Array.isArray(value), 'must be an object'),
    ValidateNested({ each, message: 'must be an object' }),
  ]);
}

export interface JsonObjectOptions extends FieldOptions {
  /** Objects and lists in each other, the object itself included. */
  readonly levels?: number;
}

export function JsonObject({ levels, ...options }: JsonObjectOptions = {}): FieldDecorator {
  return field({ type: 'object', additionalProperties: true }, options, (each) => [
    // class-transformer's copy lacks names that objects inherit, such as `toString`.
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    IsObject({ each, message: 'must be an object' }),
    ...(levels === undefined
      ? []
      : [
          Satisfies(
            each,
            'depth',
            (value) => isWithinLevels(value, levels),
            `must not be nested deeper than ${levels} levels`,
          ),
        ]),
  ]);
}

function isWithinLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isWithinLevels(each, levels - 1));
}

export function AnyOf(alternatives: readonly FieldDecorator[], options: FieldOptions = {}): FieldDecorator {
  // oxlint-disable-next-line typescript/no-base-to-string -- alternatives have simple types, so this is the type's name
  const expected = alternatives.map(({ kind }) => String(kind.schema.type)).join(' or ');
  // class-validator has no "or" within a field, so each alternative is the only field of a class.
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
