import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../src/platform/root.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import type { GivenApp } from '../support/given.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly additionalProperties?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}
interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const document = JSON.parse(readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const routes: Route[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const named = (some: Route[]) => some.map((route): [string, Route] => [`${route.method} ${route.path}`, route]);
const bodySchema = ({ operation }: Route) => operation.requestBody?.content['application/json']?.schema;

let app: TestApp;
let own: GivenApp;
beforeAll(async () => {
  app = await startApp();
  own = await app.given.app();
});
afterAll(() => app.stop());

/** A call that nothing but its input is wrong with: a good key, and ids of the right form. */
async function call({ method, path, operation }: Route, body?: unknown, query: Record<string, string> = {}) {
  const credential = Object.keys(operation.security?.[0] ?? {})[0];
  const key =
    credential === 'management_key' ? app.managementKey : credential === 'secret_key' ? own.secretKey : undefined;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'app_id') return own.id;
    return name === 'provider' ? 'google' : `${PREFIXES[name] ?? name.replace(/_id$/, '')}_${'0'.repeat(26)}`;
  });
  // Written by hand, as URLSearchParams would mend what is broken on purpose.
  const token =
    credential === 'public_token' ? `${filled.includes('?') ? '&' : '?'}public_token=${own.publicToken}` : '';
  const started = performance.now();
  const answer = await app.call(method, `${filled}${token}`, { key, body, query });
  return { answer, milliseconds: performance.now() - started };
}

const PREFIXES: Readonly<Record<string, string>> = { phone_number_id: 'pn', connection_id: 'oauthconn' };

/** A field somewhere in a body: its path as errors name it, its schema, and the body that holds `value` there and nothing else. */
interface Place {
  readonly path: string;
  readonly schema: Schema;
  holding(value: unknown): unknown;
}

function placesIn(schema: Schema, prefix = '', around: Place['holding'] = (value) => value): Place[] {
  return Object.entries(resolved(schema).properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const holding: Place['holding'] = (value) => around({ [name]: value });
    const inner = resolved(property);
    const items = inner.items && resolved(inner.items);
    return [
      { path, schema: inner, holding },
      ...placesIn(inner, path, holding),
      ...(items ? placesIn(items, `${path}[0]`, (value) => holding([value])) : []),
    ];
  });
}

function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const [some, none] = schema.anyOf ?? [];
  if (some && none?.type === 'null') return { ...resolved(some), type: [...typesOf(resolved(some)), 'null'] };
  const [only] = schema.allOf ?? [];
  return only?.$ref ? { ...resolved(only), ...schema } : schema;
}

const typesOf = ({ type }: Schema) => (type === undefined ? [] : typeof type === 'string' ? [type] : type);

/** Values a field of this schema may never have. */
function wrongValues(schema: Schema): unknown[] {
  const types = typesOf(schema);
  const wrong: unknown[] = types.includes('null') ? [] : [null];
  if (schema.anyOf) return [...wrong, [], {}];
  if (types.includes('string')) {
    wrong.push(0, 1, true, false, [], ['x'], {}, { toString: 'x' });
    wrong.push('x'.repeat((schema.maxLength ?? 1024) + 1));
    if (schema.enum) wrong.push('', 'constructor', '__proto__', 'x'.repeat(10_000));
  }
  if (types.includes('integer'))
    wrong.push('', '30m', '1e3', '30.5', 30.5, 1e300, true, [], [30], {}, '9'.repeat(10_000));
  if (types.includes('boolean')) wrong.push('', 'yes', 'true', 0, 1, [], {});
  if (types.includes('array')) wrong.push('', 'x', 1, true, {}, { length: 1 });
  if (types.includes('object')) wrong.push('', 'x', 1, true, [], [[]]);
  return wrong;
}

/** JSON for a value that may hold what `JSON.stringify` would mend. */
const NUL = 'a\\u0000b';
const LONE_SURROGATE = 'a\\ud800b';

/** How long each refusal took. Judged in the median: a busy machine delays some, a slow check all. */
const times: number[] = [];

function expectRefusal({ answer, milliseconds }: { answer: Answer; milliseconds: number }, field?: string): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error_type).toMatch(/^invalid_(request|json)$/);
  if (field !== undefined) {
    expect((answer.body.errors as { field: string }[]).map((fault) => fault.field)).toContain(field);
  }
  times.push(milliseconds);
}

describe('hostile input', () => {
  it.each(named(routes.filter(bodySchema)))('in the body of %s is refused, naming the field', async (_, route) => {
    const places = placesIn(bodySchema(route)!);
    expect(places.length).toBeGreaterThan(0);
    for (const { path, schema, holding } of places) {
      for (const value of wrongValues(schema)) expectRefusal(await call(route, holding(value)), path);
      for (const text of [NUL, LONE_SURROGATE]) {
        expectRefusal(await call(route, JSON.stringify(holding('@')).replace('@', text)), path);
      }
      const name = path.split('.').at(-1)!;
      const twice = JSON.stringify(holding(1)).replace(`"${name}":1`, `"${name}":1,"${name}":1`);
      expectRefusal(await call(route, twice), path);
    }
  });

  it.each(named(routes.filter(bodySchema)))('around the body of %s is refused', async (_, route) => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const bodies = ['{', '[]', 'null', '"text"', '{"__proto__":{}}', '{"a":{"constructor":{"prototype":1}}}', deep];
    for (const body of bodies) expectRefusal(await call(route, body));
    const tooLong = await call(route, `{"a":"${'x'.repeat(300_000)}"}`);
    expect(tooLong.answer.status).toBe(413);
  });

  const withQuery = routes.filter(
    ({ path, operation }) =>
      !path.includes('/callback/') && operation.parameters?.some((parameter) => parameter.in === 'query'),
  );
  it.each(named(withQuery))('in the query of %s is refused, naming the parameter', async (_, route) => {
    for (const { in: where, name, schema } of route.operation.parameters!) {
      if (where !== 'query' || name === 'api_key') continue;
      const wrong = wrongValues(schema)
        // In a query every value is text, and `true` is how a flag is written.
        .filter((value): value is string => typeof value === 'string' && value !== 'true');
      for (const value of [...wrong, '\0']) expectRefusal(await call(route, undefined, { [name]: value }), name);
      const twice = { ...route, path: `${route.path}?${name}=1&${name}=1` };
      expectRefusal(await call(twice), name);
      expectRefusal(await call({ ...route, path: `${route.path}?${name}=%C3` }), name);
    }
  });

  it.each(named(routes.filter(({ path }) => path.includes('{'))))(
    'in the path of %s finds nothing',
    async (_, route) => {
      for (const text of ['x', 'user_', 'x'.repeat(1100), '..%2F..%2Fetc', '%27%3B--', '__proto__', 'constructor']) {
        const { answer } = await call(
          { ...route, path: route.path.replace(/\{\w+\}(?!.*\{)/, text) },
          bodySchema(route) && {},
        );
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
      }
      for (const text of ['%00', '%ED%A0%80', '%', '%C3']) {
        expectRefusal(
          await call({ ...route, path: route.path.replace(/\{\w+\}(?!.*\{)/, text) }, bodySchema(route) && {}),
          'path',
        );
      }
    },
  );
});

it('hostile input is refused within milliseconds', () => {
  const sorted = times.toSorted((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(1_000);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(1_000);
});
