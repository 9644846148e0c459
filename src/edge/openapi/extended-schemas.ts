import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './examples.js';

/** A smaller schema is repeated. */
const FEWEST_PROPERTIES = 4;

/** The plugin repeats inherited properties in subclasses. Requests stay whole: their rules span the inherited ones. */
export function extendSchemas(schemas: Record<string, Schema>): void {
  const plain = Object.entries(schemas).filter(
    ([name, schema]) => !name.endsWith('Request') && schema.properties && !('allOf' in schema),
  );
  const extended = plain.flatMap(([name, schema]) => {
    const [base] = plain
      .filter(([other, { properties }]) => sizeOf(properties) >= FEWEST_PROPERTIES && isPart(other, name, schemas))
      .toSorted(([a, one], [b, other]) => sizeOf(other.properties) - sizeOf(one.properties) || (a < b ? -1 : 1));
    return base ? [[name, composed(schema, ...base)] as const] : [];
  });
  Object.assign(schemas, Object.fromEntries(extended));
}

function isPart(part: string, whole: string, schemas: Record<string, Schema>): boolean {
  const [{ properties: fewer = {}, required: some = [] }, { properties: all = {}, required: most = [] }] = [
    schemas[part]!,
    schemas[whole]!,
  ];
  // The one with the first name is the base of two equal schemas.
  if (sizeOf(fewer) > sizeOf(all) || (sizeOf(fewer) === sizeOf(all) && part >= whole)) return false;
  return Object.entries(fewer).every(
    ([name, property]) => isDeepStrictEqual(all[name], property) && most.includes(name) === some.includes(name),
  );
}

function composed(
  { properties = {}, required = [], ...rest }: Schema,
  base: string,
  { properties: inherited = {} }: Schema,
): Schema {
  const own = Object.entries(properties).filter(([name]) => !(name in inherited));
  const ownRequired = required.filter((name) => !(name in inherited));
  const { type, ...kept } = rest;
  const part = { type, properties: Object.fromEntries(own), ...(ownRequired.length > 0 && { required: ownRequired }) };
  const reference = { $ref: `#/components/schemas/${base}` };
  return own.length > 0 ? { ...kept, allOf: [reference, part] } : { ...kept, ...reference };
}

const sizeOf = (properties: object = {}): number => Object.keys(properties).length;
