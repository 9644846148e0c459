import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/services/root.js';
import { operations } from './prefilled.js';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [part: string]: unknown;
}

const { components } = JSON.parse(readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The properties of a schema and of the schemas in it, by their paths. */
function propertiesOf(schema: Schema, path: string): [string, Schema][] {
  const own = Object.entries(schema.properties ?? {}).map(([name, each]): [string, Schema] => [
    `${path}.${name}`,
    each,
  ]);
  const inner = ['items', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'].flatMap((part) =>
    [schema[part] ?? []].flat().filter((each) => typeof each === 'object'),
  ) as Schema[];
  return [
    ...own,
    ...own.flatMap(([name, each]) => propertiesOf(each, name)),
    ...inner.flatMap((each) => propertiesOf(each, path)),
  ];
}

const SENTENCE = /^[A-Z`].*[.:]$/s;

describe('the document has a text that ends as a sentence', () => {
  it('for each property of the schemas', () => {
    const properties = Object.entries(components.schemas).flatMap(([name, schema]) => propertiesOf(schema, name));
    const without = properties.filter(([, { description = '' }]) => !SENTENCE.test(description));
    expect(without.map(([path, { description }]) => `${path}: ${description}`)).toEqual([]);
    expect(properties.length).toBeGreaterThan(700);
  });

  it('for each response that is no error', () => {
    const responses = operations.flatMap(({ name, operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, { description = '' }]) => [`${name} ${status}`, description] as const),
    );
    expect(responses.filter(([, description]) => !SENTENCE.test(description))).toEqual([]);
    expect(responses.length).toBeGreaterThan(130);
  });

  it('for each parameter', () => {
    const parameters = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? []).map((each) => [`${name} ${each.name}`, each.description ?? ''] as const),
    );
    expect(parameters.filter(([, description]) => !SENTENCE.test(description))).toEqual([]);
    expect(parameters.length).toBeGreaterThan(200);
  });
});
