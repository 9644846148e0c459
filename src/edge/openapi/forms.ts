import type { Schema } from './examples.js';

interface Forms {
  readonly field: string;
  readonly forms: () => Readonly<Record<string, object>>;
}

const declared = new Map<string, Forms>();

/** Documents a response class as a union. `forms` runs when the document is made, after all modules are loaded. */
export function FormsBy(field: string, forms: Forms['forms']): ClassDecorator {
  return ({ name }) => void declared.set(name, { field, forms });
}

export function separateForms(schemas: Record<string, Schema>): void {
  for (const [name, { field, forms }] of declared) {
    const common = schemas[name];
    if (!common) continue;
    const named = Object.entries(forms()).map(([value, own]) => {
      const distinguished = { ...common.properties?.[field], enum: [value] };
      const properties = { ...common.properties, [field]: distinguished, ...own } as Readonly<Record<string, Schema>>;
      const required = [...(common.required ?? []), ...Object.keys(own)];
      const form = `${value.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}${name}`;
      schemas[form] = { type: 'object', properties, required };
      return [value, `#/components/schemas/${form}`] as const;
    });
    const { description } = common;
    schemas[name] = {
      ...(description !== undefined && { description }),
      oneOf: named.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: field, mapping: Object.fromEntries(named) },
    };
  }
}
