import { ID_PREFIXES, ID_SUFFIX, type Id, type IdKind } from './ids.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface DataField<T> {
  readonly schema: JsonSchema;
  readonly isOptional?: boolean;
  /** Never set: carries the type. */
  readonly type?: T;
}

export interface OptionalDataField<T> extends DataField<T> {
  readonly isOptional: true;
}

export type DataFields = Readonly<Record<string, DataField<unknown>>>;

type OptionalKeys<F extends DataFields> = {
  [K in keyof F]: F[K] extends OptionalDataField<unknown> ? K : never;
}[keyof F];

type TypeOf<F> = F extends DataField<infer T> ? T : never;

export type DataOf<F extends DataFields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: TypeOf<F[K]>;
};

export function idOf<K extends IdKind>(kind: K, description: string): DataField<Id<K>> {
  return field({ type: 'string', pattern: `^${ID_PREFIXES[kind]}_${ID_SUFFIX}$` }, description);
}

export function text(description: string): DataField<string> {
  return field({ type: 'string' }, description);
}

export function integer(description: string): DataField<number> {
  return field({ type: 'integer' }, description);
}

export function flag(description: string): DataField<boolean> {
  return field({ type: 'boolean' }, description);
}

export function oneOf<const V extends readonly string[]>(values: V, description: string): DataField<V[number]> {
  return field({ type: 'string', enum: values }, description);
}

export function listOf<T>(element: DataField<T>, description: string): DataField<readonly T[]> {
  return field({ type: 'array', items: element.schema }, description);
}

export function group<F extends DataFields>(fields: F, description: string): DataField<DataOf<F>> {
  return field(schemaOf(fields), description);
}

export function nullable<T>(member: DataField<T>): DataField<T | null> {
  return { ...member, schema: { ...member.schema, type: [member.schema['type'], 'null'] } };
}

export function optional<T>(member: DataField<T>): OptionalDataField<T> {
  return { ...member, isOptional: true };
}

/** Permits further members, which later versions may add. */
export function schemaOf(fields: DataFields): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
  };
}

function field<T>(schema: JsonSchema, description: string): DataField<T> {
  return { schema: { ...schema, description } };
}
