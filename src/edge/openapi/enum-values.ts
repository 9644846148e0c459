import { addToSchemas } from './plugin-schemas.js';

/**
 * States the values of a response field in a fixed order. The plugin lists them as the compiler orders its union types, which
 * depends on the order in which files are loaded. `@ApiProperty` would state them too, but move the field to the top.
 */
export function EnumValues(values: readonly string[]): PropertyDecorator {
  return (target, property) => addToSchemas(target.constructor, () => ({ [property]: { enum: [...values] } }));
}
