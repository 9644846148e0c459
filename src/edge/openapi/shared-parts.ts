import { grouped } from '../../kernel/collections.js';
import {
  DatabaseUnavailable,
  InvalidRequest,
  KeysUnavailable,
  Overloaded,
  SealedValueAltered,
  SealedValueUnavailable,
} from '../../kernel/errors.js';
import { InternalError, ServiceReadOnly } from '../errors/edge-errors.js';

type Json = { [key: string]: unknown };

interface Operation {
  readonly parameters?: Json[];
  readonly responses: Record<string, Json>;
}

export const ERRORS_OF_ALL = [
  InternalError,
  InvalidRequest,
  DatabaseUnavailable,
  Overloaded,
  SealedValueUnavailable,
  SealedValueAltered,
  KeysUnavailable,
  ServiceReadOnly,
];

/** Repeated parts were 60 % of a document that a browser reads whole. Error responses are named by status, which takes fewer references. */
export function shareParts(document: Json): void {
  const items = [document['paths'], document['webhooks']].flatMap((each) => Object.values(each as object)) as object[];
  const operations = items.flatMap((item) => Object.values(item) as Operation[]);
  const components = document['components'] as Record<string, Json>;
  const parameters = operations.flatMap(({ parameters: list = [] }) =>
    list.map((part, index): Place => ({ name: part['name'] as string, part, of: list, key: index })),
  );
  const responses = operations.flatMap(({ responses: of }) =>
    Object.entries(of).flatMap(([status, part]): Place[] => {
      const name = errorTypesOf(part) ? status : schemaOf(part);
      return name === null ? [] : [{ name, part, of, key: status }];
    }),
  );
  components['parameters'] = share('parameters', parameters);
  components['responses'] = { ...components['responses'], ...share('responses', responses) };
  placeExamples(components['examples']!, [
    ...Object.values(components['responses'] as Record<string, Json>),
    ...operations.flatMap((each) => Object.values(each.responses)),
  ]);
}

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

interface Place {
  readonly name: string;
  readonly part: Json;
  readonly of: object;
  readonly key: string | number;
}

/** The most used part keeps its name; the others get a number behind it. */
function share(section: 'parameters' | 'responses', places: readonly Place[]): Json {
  const shared: [string, Json][] = [];
  for (const [name, ofName] of grouped(places, (each) => each.name)) {
    const repeated = [...grouped(ofName, ({ part }) => JSON.stringify(part)).values()].filter(
      ({ length }) => length > 1,
    );
    for (const [index, alike] of repeated.toSorted((one, other) => other.length - one.length).entries()) {
      const unique = index === 0 ? name : `${name}-${index + 1}`;
      shared.push([unique, alike[0]!.part]);
      for (const { of, key } of alike) Object.assign(of, { [key]: { $ref: `#/components/${section}/${unique}` } });
    }
  }
  return Object.fromEntries(shared.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function schemaOf({ content }: Json): string | null {
  const media = (content as Record<string, { schema?: { $ref?: string } }> | undefined)?.['application/json'];
  return media?.schema?.$ref?.split('/').pop() ?? null;
}

export function errorTypesOf(response: Json): readonly string[] | null {
  const media = (response['content'] as Record<string, { schema: Json }> | undefined)?.['application/problem+json'];
  const rules = media?.schema['allOf'] as readonly { properties?: { error_type?: { enum: string[] } } }[] | undefined;
  return rules?.[1]?.properties?.error_type?.enum ?? null;
}
