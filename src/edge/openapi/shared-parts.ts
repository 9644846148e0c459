import { isDeepStrictEqual } from 'node:util';
import { totals } from '../../kernel/collections.js';
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
 * Moves the parts that several operations have alike into the components: error responses by their error types, and parameters by name.
 * A response of one operation only stays in its place, because its name is as long as the list of its types.
 * Repeated at each operation they were 60 % of the document, all of which a browser reads before Swagger UI shows an operation.
 */
export function shareParts(document: Json): void {
  const items = [document['paths'], document['webhooks']].flatMap((each) => Object.values(each as object)) as object[];
  const operations = items.flatMap((item) => Object.values(item) as Operation[]);
  const components = document['components'] as Record<string, Json>;
  components['parameters'] = shareParameters(operations);
  components['responses'] = { ...components['responses'], ...shareErrors(operations) };
}

/** If two parameters have the same name, the components have the one that more operations take. */
function shareParameters(operations: readonly Operation[]): Json {
  const lists = operations.flatMap(({ parameters }) => (parameters ? [parameters] : []));
  const uses = totals(lists.flat().map((each) => [JSON.stringify(each), 1]));
  const shared: Record<string, string> = {};
  for (const [text, count] of [...uses].toSorted(([, one], [, other]) => other - one))
    if (count > 1) shared[nameOf(JSON.parse(text) as Json)] ??= text;
  for (const list of lists)
    for (const [index, each] of list.entries())
      if (shared[nameOf(each)] === JSON.stringify(each))
        list[index] = { $ref: `#/components/parameters/${nameOf(each)}` };
  return sorted(Object.entries(shared).map(([name, text]) => [name, JSON.parse(text)]));
}

const nameOf = (parameter: Json): string => parameter['name'] as string;

function shareErrors(operations: readonly Operation[]): Json {
  const uses = new Map<string, { readonly responses: Record<string, Json>; readonly status: string }[]>();
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      const types = errorTypesOf(response);
      if (!types) continue;
      const name = nameOfErrors(types);
      const [known] = uses.get(name) ?? [];
      if (known && !isDeepStrictEqual(known.responses[known.status], response))
        throw new Error(`Two error responses have the name ${name}.`);
      uses.set(name, [...(uses.get(name) ?? []), { responses, status }]);
    }
  const shared = [...uses].filter(([, places]) => places.length > 1);
  const components = sorted(shared.map(([name, [first]]) => [name, first!.responses[first!.status]]));
  for (const [name, places] of shared)
    for (const { responses, status } of places) responses[status] = { $ref: `#/components/responses/${name}` };
  return components;
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
