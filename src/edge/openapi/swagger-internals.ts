import { requireVersion } from '../../postgres/written-for.js';

requireVersion('@nestjs/swagger', '12.0');

type Schemas = Record<string | symbol, object>;

/** The compiler plugin adds the function to each class of a `*.dto.ts`. */
interface DescribedByPlugin {
  _OPENAPI_METADATA_FACTORY?: () => Schemas;
}

/** The plugin does not run in tests. `describe` runs when the document is made, after all modules are loaded. */
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
