type Schemas = Record<string | symbol, object>;

/** What the compiler plugin of @nestjs/swagger adds to each class of a `*.dto.ts`: the schemas of its properties. */
interface DescribedByPlugin {
  _OPENAPI_METADATA_FACTORY?: () => Schemas;
}

/** Adds to the schemas that the plugin makes for a class. `describe` runs when the document is made, after all modules are loaded. */
export function addToSchemas(model: object, describe: () => Schemas): void {
  const described = model as DescribedByPlugin;
  const byPlugin = described._OPENAPI_METADATA_FACTORY;
  if (!byPlugin) return;
  described._OPENAPI_METADATA_FACTORY = () => {
    const schemas = byPlugin();
    for (const [name, schema] of Object.entries(describe())) schemas[name] = { ...schemas[name], ...schema };
    return schemas;
  };
}

/** Describes properties of a response class that are known only after all modules are loaded. */
export function DescribedLater(describe: () => Readonly<Record<string, object>>): ClassDecorator {
  return (model) => addToSchemas(model, describe);
}
