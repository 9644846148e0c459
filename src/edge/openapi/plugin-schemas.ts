import { addToSchemas } from './swagger-internals.js';

/** Describes properties of a response class that are known only after all modules are loaded. */
export function DescribedLater(describe: () => Readonly<Record<string, object>>): ClassDecorator {
  return (model) => addToSchemas(model, describe);
}

/**
 * States the values of a response field in a fixed order. The plugin lists them as the compiler orders its union types, which
 * depends on the order in which files are loaded. `@ApiProperty` would state them too, but move the field to the top.
 */
export function EnumValues(values: readonly string[]): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { enum: [...values] } }));
}

/**
 * States the example of a response field. Needed where name and type say too little, and for optional fields, which examples leave out
 * otherwise. Request fields take the option `example`.
 */
export function Example(value: unknown): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { example: value } }));
}

/** States that a response field is never an empty text. Request fields take the option `min`. */
export function NeverEmpty(): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { minLength: 1 } }));
}
