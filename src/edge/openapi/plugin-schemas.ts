import { addToSchemas } from './swagger-internals.js';

/** Describes properties that are known only after all modules are loaded. */
export function DescribedLater(describe: () => Readonly<Record<string, object>>): ClassDecorator {
  return (model) => addToSchemas(model, describe);
}

/** The plugin's order of values depends on the order of files; `@ApiProperty` would move the field to the top. */
export function EnumValues(values: readonly string[]): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { enum: [...values] } }));
}

/** Optional response fields have no example otherwise. Request fields take the option `example`. */
export function Example(value: unknown): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { example: value } }));
}

/** Response fields need it; request fields take the option `min`. */
export function NeverEmpty(): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { minLength: 1 } }));
}
