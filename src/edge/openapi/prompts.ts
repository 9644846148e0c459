import type { SampledDocument } from './code-samples.js';
import { errorTypesOf } from './shared-parts.js';

type Json = Record<string, unknown>;
type Operation = SampledDocument['paths'][string][string] & { description?: string; 'x-prompt'?: string };
type Schema = Json & { $ref?: string; allOf?: Schema[]; properties?: Record<string, Schema>; required?: string[] };

const VARIABLES = { secret_key: 'SECRET', management_key: 'MANAGEMENT', public_token: 'PUBLIC' } as const;

/** Each call as a text for a language model. It names the variable of a key, never the key. */
export function addPrompts({ paths, components }: SampledDocument, baseUrl: string): void {
  const at = <T extends object>(part: T & { $ref?: string }): T => {
    if (part.$ref === undefined) return part;
    const [kind, name] = part.$ref.split('/').slice(2);
    return (components as unknown as Record<string, Record<string, T>>)[kind!]![name!]!;
  };
  const fieldsOf = (schema: Schema): { required: string[]; properties: [string, Schema][] } => {
    const { allOf = [], required = [], properties = {} } = at(schema);
    const parts = allOf.map(fieldsOf);
    return {
      required: [...required, ...parts.flatMap((part) => part.required)],
      properties: [...Object.entries(properties), ...parts.flatMap((part) => part.properties)],
    };
  };
  const lineOf = (name: string, schema: Schema, isRequired: boolean): string => {
    const { type = 'object', enum: values, description = '' } = { ...at(schema), ...schema } as Json;
    const kind = Array.isArray(values)
      ? `one of ${values.map((each) => JSON.stringify(each)).join(', ')}`
      : [type].flat().join(' or ');
    return `- ${name} (${kind}${isRequired ? ', required' : ''}) ${oneLine(String(description))}`.trimEnd();
  };
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item) as [string, Operation][]) {
      const [media] = Object.entries(operation.requestBody?.content ?? {}) as [string, { schema: Schema }][];
      const body = media && fieldsOf(media[1].schema);
      const parameters = (operation.parameters ?? []).map((each) => at(each) as unknown as Json & { schema: Schema });
      const scheme = operation.security.flatMap((each) => Object.keys(each))[0];
      const responses = Object.entries(operation.responses).map(
        ([status, each]) => [status, at(each as Json)] as const,
      );
      const success = Object.values(
        (responses.find(([status]) => status === '200')?.[1]['content'] ?? {}) as Record<string, Json>,
      )[0];
      const errors = responses.flatMap(([status, each]) => {
        const types = errorTypesOf(each);
        return types ? [`- ${status}: ${types.join(', ')}`] : [];
      });
      const sections = [
        `Write code that makes this call.`,
        `# ${operation.summary}\n\n${method.toUpperCase()} ${baseUrl}${path}`,
        operation.description,
        keyLine(scheme),
        titled(
          'Parameters',
          parameters.map((each) => {
            const text = { ...each.schema, description: each['description'] };
            return lineOf(`${String(each['name'])}, in the ${String(each['in'])}`, text, each['required'] === true);
          }),
        ),
        body &&
          titled(
            `Body, ${media[0]}`,
            body.properties.map(([name, schema]) => lineOf(name, schema, body.required.includes(name))),
          ),
        success?.['example'] !== undefined && `## Response 200\n\n${JSON.stringify(success['example'], null, 2)}`,
        titled('Errors: application/problem+json, whose error_type is stable', errors),
        `## With curl\n\n${operation['x-codeSamples']?.[0]?.source}`,
        `Retries, idempotency and paging are described at ${baseUrl}/guide/api.md, all pages at ${baseUrl}/llms.txt.`,
      ];
      operation['x-prompt'] = sections.filter(Boolean).join('\n\n');
    }
}

function keyLine(scheme: string | undefined): string {
  if (scheme === undefined) return 'The call needs no key.';
  const variable = `the environment variable ${VARIABLES[scheme as keyof typeof VARIABLES]}`;
  if (scheme === 'public_token') return `The query parameter public_token has the public token of ${variable}.`;
  return `The header "Authorization: Bearer …" has the key of ${variable}. Only a backend may have it.`;
}

const titled = (title: string, lines: readonly string[]): string | false =>
  lines.length > 0 && `## ${title}\n\n${lines.join('\n')}`;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
