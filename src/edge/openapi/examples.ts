import { ApiExtension } from '@nestjs/swagger';
import { totals } from '../../kernel/collections.js';
import { exampleId } from '../../kernel/examples.js';
import { ID_PREFIXES, type IdKind } from '../../kernel/ids.js';
import { snakeCase } from '../../kernel/snake-case.js';
import { errorTypesOf } from './shared-parts.js';

const REFUSED_AS_PREFILLED = 'x-refused-as-prefilled';

/** A sentence that says why the examples get an error even on development data, such as a value that is valid once. */
export function RefusedAsPrefilled(reason: string): MethodDecorator {
  return ApiExtension(REFUSED_AS_PREFILLED, reason);
}

export type Schema = { readonly [key: string]: unknown } & {
  readonly $ref?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
};

const CREATED_AT = 1_767_225_600;
const TIMES = ['at', 'last_at', 'created_at', 'updated_at', 'started_at', 'last_active_at', 'last_verified_at'];
const KINDS = Object.keys(ID_PREFIXES) as IdKind[];
const KIND_OF_PREFIX = new Map(KINDS.map((kind) => [ID_PREFIXES[kind] as string, kind]));
const KIND_OF_FIELD = new Map(KINDS.map((kind) => [`${snakeCase(kind)}_id`, kind]));

/** The field's own value (`example`, one value, a default), or one that fits type and name; the rest is in `missing`. */
class ExampleValues {
  readonly missing = new Set<string>();
  readonly used = new Set<{ [key: string]: unknown }>();

  constructor(private readonly schemas: Readonly<Record<string, Schema>>) {}

  /** Optional fields only if they state an example. */
  body(schema: Schema): unknown {
    return this.of(schema, '', nameOf(schema));
  }

  parameter(name: string, schema: Schema, operation: string): unknown {
    return this.of(schema, name, operation);
  }

  private of(schema: Schema, name: string, owner: string): unknown {
    if ('example' in schema) {
      this.used.add(schema);
      return schema['example'];
    }
    if (schema.$ref !== undefined) {
      const model = nameOf(schema);
      return this.of(this.schemas[model]!, name, model);
    }
    if ('const' in schema) return schema['const'];
    if ('default' in schema) return schema['default'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
    if (alternatives?.some(isNull) && nameOf(alternatives[0]!) === '') return null;
    if (alternatives && !schema.properties) return this.of(alternatives[0]!, name, owner);
    if (Array.isArray(schema['allOf']) && !schema.properties)
      return Object.assign({}, ...(schema['allOf'] as Schema[]).map((part) => this.of(part, name, owner))) as unknown;
    const types = [schema['type']].flat();
    if (types.includes('array') && types.includes('null')) return null;
    if (types.includes('array')) return [this.of(schema.items!, name, owner)];
    if (types.includes('string')) return this.text(schema, name, owner, types.includes('null'));
    if (types.includes('null')) return null;
    if (types.includes('integer')) return numberOf(schema, name);
    if (types.includes('boolean')) return false;
    const { properties = {}, required = [] } = schema;
    const shown = Object.entries(properties).filter(([key, field]) => required.includes(key) || 'example' in field);
    return Object.fromEntries(shown.map(([key, field]) => [key, this.of(field, key, owner)]));
  }

  private text({ pattern = '', format }: Schema, name: string, owner: string, isNullable: boolean): unknown {
    const kind = kindOfId(name, { pattern });
    if (kind) return exampleId(kind);
    if (isNullable) return null;
    if (format === 'uri') return 'https://app.example.com/';
    this.missing.add(`${owner}.${name}`);
    return 'missing';
  }
}

export function kindOfId(name: string, { pattern, example }: Schema): IdKind | undefined {
  const [, prefix = ''] = /^\^?\(?([a-z]+)[|_]/.exec(pattern || (typeof example === 'string' ? example : '')) ?? [];
  const kind = KIND_OF_PREFIX.get(prefix);
  return kind ?? KIND_OF_FIELD.get(name);
}

/** Epoch seconds; 0 stands for an event that has not happened. */
function numberOf({ minimum = 0 }: Schema, name: string): number {
  if (TIMES.includes(name)) return CREATED_AT;
  if (name === 'expires_at') return CREATED_AT + 3_600;
  return Math.max(Number(minimum), /_at$|_since$/.test(name) ? 0 : 1);
}

const isNull = ({ type }: Schema): boolean => type === 'null';

function nameOf(schema: Schema): string {
  return (schema.$ref ?? '').replace(/^.*\//, '');
}

type Json = { [key: string]: unknown };
type Media = Record<string, { schema?: Schema; example?: unknown; examples?: Json }>;
type Operation = Json & {
  parameters?: (Json & { name: string; schema: Schema })[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};

/** A field does not repeat the example that a response shows. Throws an error that names the fields without an example. */
export function addExamples(document: Json, schemas: Readonly<Record<string, Schema>>, problems: Json): void {
  const [inRequests, inResponses] = [new ExampleValues(schemas), new ExampleValues(schemas)];
  const errors = new Set<string>();
  const [operations, webhooks] = [document['paths'], document['webhooks']].map((items) =>
    Object.values(items as Record<string, Record<string, Operation>>).flatMap((item) => Object.values(item)),
  ) as [Operation[], Operation[]];
  const uses = totals(
    operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((each) => (errorTypesOf(each) ?? []).map((type) => [type, 1] as const)),
    ),
  );
  for (const operation of operations) {
    for (const parameter of operation.parameters ?? []) {
      // A prefilled optional parameter would narrow every call.
      if (parameter['required'] !== true || 'example' in parameter) continue;
      parameter['example'] = inRequests.parameter(parameter.name, parameter.schema, String(operation['operationId']));
    }
    for (const media of Object.values(operation.requestBody?.content ?? {}))
      media.example ??= inRequests.body(media.schema!);
    for (const response of Object.values(operation.responses)) {
      const types = errorTypesOf(response);
      for (const media of Object.values(response.content ?? {}))
        if (types) showError(media, types, uses, errors);
        else if (media.schema && !media.examples) media.example ??= inResponses.body(media.schema);
    }
    const reason = operation[REFUSED_AS_PREFILLED];
    if (typeof reason === 'string')
      operation['description'] = [operation['description'], `The prefilled request is refused: ${reason}`]
        .filter(Boolean)
        .join('\n\n');
  }
  const missing = [...inRequests.missing, ...inResponses.missing];
  if (missing.length > 0)
    throw new Error(`These fields need an example (@Example, or the option \`example\`): ${missing.join(', ')}`);
  // Swagger UI composes the examples of webhooks from the fields.
  for (const { requestBody } of webhooks)
    for (const media of Object.values(requestBody!.content)) inRequests.body(media.schema!);
  for (const field of inResponses.used) if (!inRequests.used.has(field)) delete field['example'];
  const components = document['components'] as Json;
  components['examples'] = Object.fromEntries([...errors].toSorted().map((code) => [code, problems[code]]));
}

/** One example per response, because each type would be a tenth of the document: the most used type, so that few are stored. */
function showError(
  media: Media[string],
  types: readonly string[],
  uses: ReadonlyMap<string, number>,
  errors: Set<string>,
): void {
  const [type] = types.toSorted((one, other) => uses.get(other)! - uses.get(one)!) as [string];
  errors.add(type);
  media.examples = { [type]: reference(type) };
}

const reference = (name: string): Json => ({ $ref: `#/components/examples/${name}` });
