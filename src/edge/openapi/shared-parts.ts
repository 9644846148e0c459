import { isDeepStrictEqual } from 'node:util';
import { grouped, totals } from '../../kernel/collections.js';
import { DatabaseUnavailable, InvalidRequest, SealedValueUnavailable } from '../../kernel/errors.js';
import { InternalError } from '../errors/edge-errors.js';

type Json = { [key: string]: unknown };

interface Operation {
  readonly parameters?: Json[];
  readonly responses: Record<string, Json>;
}

/** The errors of every operation. */
export const ERRORS_OF_ALL = [InternalError, InvalidRequest, DatabaseUnavailable, SealedValueUnavailable];

/**
 * Moves the parts that several operations have alike into the components: error responses by their error types, successful ones by their
 * schema, and parameters by name.
 * They were 60 % of the document when each operation repeated them, and a browser reads all of it before Swagger UI shows an operation.
 * A response that only one operation has stays in its place, because its name would be as long as the list of its types.
 */
export function shareParts(document: Json): void {
  const items = [document['paths'], document['webhooks']].flatMap((each) => Object.values(each as object)) as object[];
  const operations = items.flatMap((item) => Object.values(item) as Operation[]);
  const components = document['components'] as Record<string, Json>;
  components['parameters'] = shareParameters(operations);
  components['responses'] = { ...components['responses'], ...shareErrors(operations), ...shareSuccesses(operations) };
  placeExamples(components['examples']!, [
    ...Object.values(components['responses'] as Record<string, Json>),
    ...operations.flatMap(({ responses }) => Object.values(responses)),
  ]);
}

/** Moves an example that one response has into the response. */
function placeExamples(examples: Json, responses: readonly Json[]): void {
  const uses = responses.flatMap((response) => {
    const media = Object.values((response['content'] ?? {}) as Record<string, { examples?: Json }>);
    return media.flatMap((each) => Object.keys(each.examples ?? {}).map((name) => ({ name, of: each.examples! })));
  });
  for (const [name, [use, ...further]] of grouped(uses, (each) => each.name)) {
    if (further.length > 0) continue;
    use!.of[name] = examples[name];
    delete examples[name];
  }
}

/** The most used parameter of a name keeps its name in the components; a less used one has a number behind its name. */
function shareParameters(operations: readonly Operation[]): Json {
  const lists = operations.flatMap(({ parameters }) => (parameters ? [parameters] : []));
  const uses = totals(lists.flat().map((each) => [JSON.stringify(each), 1]));
  const repeated = [...uses].filter(([, count]) => count > 1).toSorted(([, one], [, other]) => other - one);
  const names = new Map<string, string>();
  for (const ofName of grouped(repeated, ([text]) => nameOf(JSON.parse(text) as Json)).values())
    for (const [index, [text]] of ofName.entries())
      names.set(text, `${nameOf(JSON.parse(text) as Json)}${index === 0 ? '' : `-${index + 1}`}`);
  for (const list of lists)
    for (const [index, each] of list.entries()) {
      const name = names.get(JSON.stringify(each));
      if (name !== undefined) list[index] = { $ref: `#/components/parameters/${name}` };
    }
  return sorted([...names].map(([text, name]) => [name, JSON.parse(text)]));
}

const nameOf = (parameter: Json): string => parameter['name'] as string;

function shareErrors(operations: readonly Operation[]): Json {
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const types = errorTypesOf(response);
      return types ? [{ name: nameOfErrors(types), responses, status, response }] : [];
    }),
  );
  const shared: [string, Json][] = [];
  for (const [name, uses] of grouped(errors, (each) => each.name)) {
    const [{ response }] = uses as [(typeof uses)[number]];
    if (uses.some((each) => !isDeepStrictEqual(each.response, response)))
      throw new Error(`Two error responses have the name ${name}.`);
    if (uses.length === 1) continue;
    shared.push([name, response]);
    for (const { responses, status } of uses) responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return sorted(shared);
}

/** The most used response with a schema has its name; a less used one, which has other headers, has a number behind the name. */
function shareSuccesses(operations: readonly Operation[]): Json {
  const uses = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const name = schemaOf(response);
      return name === null ? [] : [{ name, text: JSON.stringify(response), responses, status }];
    }),
  );
  const shared: [string, unknown][] = [];
  for (const [schema, ofSchema] of grouped(uses, ({ name }) => name)) {
    const alike = [...grouped(ofSchema, ({ text }) => text).values()].filter(({ length }) => length > 1);
    for (const [index, same] of alike.toSorted((one, other) => other.length - one.length).entries()) {
      const name = index === 0 ? schema : `${schema}-${index + 1}`;
      shared.push([name, JSON.parse(same[0]!.text)]);
      for (const { responses, status } of same) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return sorted(shared);
}

/** The name of the schema of a JSON response, or null if it has none. */
function schemaOf({ content }: Json): string | null {
  const media = (content as Record<string, { schema?: { $ref?: string } }> | undefined)?.['application/json'];
  return media?.schema?.$ref?.split('/').pop() ?? null;
}

/** The error types of a response, or null if it is none for errors. */
export function errorTypesOf(response: Json): readonly string[] | null {
  const media = (response['content'] as Record<string, { schema: Json }> | undefined)?.['application/problem+json'];
  const rules = media?.schema['allOf'] as readonly { properties?: { error_type?: { enum: string[] } } }[] | undefined;
  return rules?.[1]?.properties?.error_type?.enum ?? null;
}

/** The types that not all operations have, such as `invalid_json-invalid_totp`. Types of another status have other names. */
function nameOfErrors(types: readonly string[]): string {
  const ofAll = ERRORS_OF_ALL.map(({ code }) => code as string);
  const own = types.filter((type) => !ofAll.includes(type));
  return own.length > 0 ? own.join('-') : ofAll.find((type) => types.includes(type))!;
}

function sorted(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
