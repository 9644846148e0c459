/** What the compiler plugin of @nestjs/swagger adds to each class of a `*.dto.ts`: the schemas of its properties. */
interface DescribedByPlugin {
  _OPENAPI_METADATA_FACTORY?: () => Record<string | symbol, object>;
}

/**
 * States the values of a response field in a fixed order. The plugin lists them as the compiler orders its union types, which
 * depends on the order in which files are loaded. `@ApiProperty` would state them too, but move the field to the top.
 */
export function EnumValues(values: readonly string[]): PropertyDecorator {
  return (target, property) => {
    const model = target.constructor as DescribedByPlugin;
    const describe = model._OPENAPI_METADATA_FACTORY;
    if (!describe) return;
    model._OPENAPI_METADATA_FACTORY = () => {
      const schemas = describe();
      return { ...schemas, [property]: { ...schemas[property], enum: [...values] } };
    };
  };
}
