import { REFUSED_AS_PREFILLED } from './refused-as-prefilled.js';
import { ExampleValues, nameOf, type Schema } from './example-values.js';

type Json = { [key: string]: unknown };
type Media = Record<string, { schema?: Schema; example?: unknown; examples?: Json }>;
type Operation = Json & {
  parameters?: (Json & { name: string; schema: Schema })[];
  requestBody?: { content: Media };
  responses: Record<string, { content?: Media }>;
};

/**
 * Gives every parameter, request and response an example. The examples that fields state themselves are composed; the same body is
 * stored once. Throws an error that names the fields whose schema says too little for an example.
 */
export function addExamples(document: Json, schemas: Readonly<Record<string, Schema>>, problems: Json): void {
  const values = new ExampleValues(schemas);
  const bodies: Json = {};
  const errors = new Set<string>();
  for (const item of Object.values(document['paths'] as Record<string, Record<string, Operation>>))
    for (const operation of Object.values(item)) {
      for (const parameter of operation.parameters ?? []) {
        // A prefilled optional parameter would narrow every call.
        if (parameter['required'] !== true || 'example' in parameter) continue;
        parameter['example'] = values.parameter(parameter.name, parameter.schema, String(operation['operationId']));
      }
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        media.example ??= values.body(media.schema!);
      for (const { content = {} } of Object.values(operation.responses))
        for (const [type, media] of Object.entries(content))
          if (type === 'application/problem+json') showErrors(media, errors);
          else showBody(media, values, bodies);
      const reason = operation[REFUSED_AS_PREFILLED];
      if (typeof reason === 'string')
        operation['description'] = [operation['description'], `The prefilled request is refused: ${reason}`]
          .filter(Boolean)
          .join('\n\n');
    }
  if (values.missing.size > 0)
    throw new Error(
      `These fields need an example (@Example, or the option \`example\`): ${[...values.missing].join(', ')}`,
    );
  const components = document['components'] as Json;
  components['examples'] = {
    ...bodies,
    ...Object.fromEntries([...errors].toSorted().map((code) => [`error_${code}`, problems[code]])),
  };
}

/** One example for each type of error. */
function showErrors(media: Media[string], errors: Set<string>): void {
  const rules = media.schema?.['allOf'] as readonly Schema[];
  const codes = rules[1]!.properties!['error_type']!['enum'] as readonly string[];
  for (const code of codes) errors.add(code);
  media.examples = Object.fromEntries(codes.map((code) => [code, reference(`error_${code}`)]));
}

function showBody(media: Media[string], values: ExampleValues, bodies: Json): void {
  if (!media.schema || 'example' in media || media.examples) return;
  const name = nameOf(media.schema);
  if (name === '') {
    media.example = values.body(media.schema);
    return;
  }
  bodies[name] ??= { value: values.body(media.schema) };
  media.examples = { demo: reference(name) };
}

const reference = (name: string): Json => ({ $ref: `#/components/examples/${name}` });
