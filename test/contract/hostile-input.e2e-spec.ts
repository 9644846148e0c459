import { type Answer, startApp, type TestApp } from '../support/app.js';
import { readDocument } from '../support/document.js';
import type { GivenApp } from '../support/given.js';
import { unitsOf } from '../support/processor-time.js';
import { tenth } from '../support/sampled.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly pattern?: string;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
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

const document = readDocument<{
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}>();
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

/** A call whose only fault is its input: a valid key, and ids of the right form. */
async function call({ method, path, operation }: Route, body?: unknown, query: Record<string, string> = {}) {
  const credentials = operation.security?.flatMap((alternative) => Object.keys(alternative)) ?? [];
  const credential = credentials.find((name) => name !== 'management_session');
  const key =
    credential === 'management_key' ? app.managementKey : credential === 'secret_key' ? own.secretKey : undefined;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'app_id') return own.id;
    return name === 'provider' ? 'google' : `${PREFIXES[name] ?? name.replace(/_id$/, '')}_${'0'.repeat(26)}`;
  });
  // Not by URLSearchParams, which would repair what is broken on purpose.
  const token =
    credential === 'public_token' ? `${filled.includes('?') ? '&' : '?'}public_token=${own.publicToken}` : '';
  let answer!: Answer;
  const units = await unitsOf(async () => (answer = await app.call(method, `${filled}${token}`, { key, body, query })));
  return { answer, units };
}

const PREFIXES: Readonly<Record<string, string>> = { phone_number_id: 'pn', connection_id: 'oauthconn' };

/** A field of a body: its path as errors name it, its schema, and the body that holds only `value` there. */
interface Place {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  holding(value: unknown): unknown;
  /** The same body without the field. */
  readonly without: unknown;
}

/** Lists of rows of which each fails alone, with status 200: test/modules/migration/migration.e2e-spec.ts. */
const CHECKED_ROW_BY_ROW = ['UserRow'];

function placesIn(schema: Schema, prefix = '', around: Place['holding'] = (value) => value): Place[] {
  const { properties = {}, required = [] } = resolved(schema);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const holding: Place['holding'] = (value) => around({ [name]: value });
    const inner = resolved(property);
    const items = inner.items && resolved(inner.items);
    return [
      { path, schema: inner, isRequired: required.includes(name), holding, without: around({}) },
      ...placesIn(inner, path, holding),
      ...(items && !isCheckedAlone(inner.items!) ? placesIn(items, `${path}[0]`, (value) => holding([value])) : []),
    ];
  });
}

const isCheckedAlone = ({ $ref = '' }: Schema): boolean => CHECKED_ROW_BY_ROW.includes($ref.split('/').at(-1)!);

function resolved(schema: Schema): Schema {
  if (schema.$ref) return resolved(document.components.schemas[schema.$ref.split('/').at(-1)!]!);
  const [some, none] = schema.anyOf ?? [];
  if (some && none?.type === 'null') return { ...resolved(some), type: [...typesOf(resolved(some)), 'null'] };
  const [only] = schema.allOf ?? [];
  return only?.$ref ? { ...resolved(only), ...schema } : schema;
}

const typesOf = ({ type }: Schema) => (type === undefined ? [] : typeof type === 'string' ? [type] : type);

/** Invalid values for a field of this schema. */
function wrongValues(schema: Schema, isRequired = false): unknown[] {
  const types = typesOf(schema);
  const wrong: unknown[] = isRequired ? [null] : [];
  if (schema.anyOf) {
    const takesObjects = schema.anyOf.some((alternative) => typesOf(alternative).includes('object'));
    return [...wrong, [], ...(takesObjects ? [] : [{}])];
  }
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

/** JSON of a value that `JSON.stringify` would repair. */
const NUL = 'a\\u0000b';
const LONE_SURROGATE = 'a\\ud800b';

/** The work of each refusal. The median is judged: garbage is collected beside some refusals, a slow check delays all. */
const works: number[] = [];

function expectRefusal({ answer, units }: { answer: Answer; units: number }, field?: string): void {
  expect(answer.status).toBe(400);
  expect(answer.body.error_type).toMatch(/^invalid_(request|json)$/);
  if (field !== undefined) {
    expect((answer.body.errors as { field: string }[]).map((fault) => fault.field)).toContain(field);
  }
  works.push(units);
}

/** Bytes that are too many for routes which take more than others. */
const LARGEST_BODIES: Readonly<Record<string, number>> = {
  '/management/v1/apps/{app_id}/users/import': 9_000_000,
};

describe('hostile input', () => {
  it.each(tenth(named(routes.filter(bodySchema))))(
    'in the body of %s is refused, naming the field',
    async (_, route) => {
      const places = placesIn(bodySchema(route)!);
      expect(places.length).toBeGreaterThan(0);
      for (const { path, schema, isRequired, holding } of places) {
        for (const value of wrongValues(schema, isRequired)) expectRefusal(await call(route, holding(value)), path);
        for (const text of [NUL, LONE_SURROGATE]) {
          expectRefusal(await call(route, JSON.stringify(holding('@')).replace('@', text)), path);
        }
        const name = path.split('.').at(-1)!;
        const twice = JSON.stringify(holding(1)).replace(`"${name}":1`, `"${name}":1,"${name}":1`);
        expectRefusal(await call(route, twice), path);
      }
    },
  );

  it.each(tenth(named(routes.filter(bodySchema))))('around the body of %s is refused', async (_, route) => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const bodies = ['{', '[]', 'null', '"text"', '{"__proto__":{}}', '{"a":{"constructor":{"prototype":1}}}', deep];
    for (const body of bodies) expectRefusal(await call(route, body));
    const tooLong = await call(route, `{"a":"${'x'.repeat(LARGEST_BODIES[route.path] ?? 300_000)}"}`);
    expect(tooLong.answer.status).toBe(413);
  });

  const withQuery = routes.filter(
    ({ path, operation }) =>
      !path.includes('/callback/') && operation.parameters?.some((parameter) => parameter.in === 'query'),
  );
  it.each(tenth(named(withQuery)))('in the query of %s is refused, naming the parameter', async (_, route) => {
    for (const { in: where, name, schema } of route.operation.parameters!) {
      if (where !== 'query' || name === 'api_key') continue;
      const wrong = wrongValues(schema)
        // In a query every value is text, so `true` is the text of a flag.
        .filter((value): value is string => typeof value === 'string' && value !== 'true');
      for (const value of [...wrong, '\0']) expectRefusal(await call(route, undefined, { [name]: value }), name);
      const twice = { ...route, path: `${route.path}?${name}=1&${name}=1` };
      expectRefusal(await call(twice), name);
      expectRefusal(await call({ ...route, path: `${route.path}?${name}=%C3` }), name);
    }
  });

  it.each(tenth(named(routes.filter(({ path }) => path.includes('{')))))(
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

describe('a number out of its bounds', () => {
  /** Beyond the bound by one, and the message that names the bound with its unit. */
  const beyond = ({ minimum, maximum }: Schema) => [
    ...(minimum === undefined ? [] : [[minimum - 1, new RegExp(`^must be at least ${minimum} [a-zA-Z(]`)] as const]),
    ...(maximum === undefined ? [] : [[maximum + 1, new RegExp(`^must be at most ${maximum} [a-zA-Z(]`)] as const]),
  ];
  const isBounded = (schema: Schema): boolean => beyond(schema).length > 0;

  const inBodies = routes.flatMap((route) =>
    (bodySchema(route) ? placesIn(bodySchema(route)!) : [])
      .filter(({ schema }) => isBounded(schema))
      .map((place): [string, string, Route, Place] => [place.path, `${route.method} ${route.path}`, route, place]),
  );
  it.each(inBodies)('in the field %s of %s is refused with the unit of the bound', async (path, _, route, place) => {
    for (const [value, message] of beyond(place.schema)) {
      const { answer } = await call(route, place.holding(value));
      expect(answer.body.errors).toContainEqual(
        expect.objectContaining({ field: path, message: expect.stringMatching(message) }),
      );
    }
  });

  const inQueries = routes.flatMap((route) =>
    (route.operation.parameters ?? [])
      .filter(({ in: where, schema }) => where === 'query' && isBounded(schema))
      .map(({ name, schema }): [string, string, Route, Schema] => [
        name,
        `${route.method} ${route.path}`,
        route,
        schema,
      ]),
  );
  it.each(inQueries)(
    'in the parameter %s of %s is refused with the unit of the bound',
    async (name, _, route, schema) => {
      for (const [value, message] of beyond(schema)) {
        const { answer } = await call(route, undefined, { [name]: String(value) });
        expect(answer.body.errors).toContainEqual(
          expect.objectContaining({ field: name, message: expect.stringMatching(message) }),
        );
      }
    },
  );

  it('was tried for many fields and parameters', () => {
    expect(inBodies.length).toBeGreaterThan(30);
    expect(inQueries.length).toBeGreaterThan(10);
  });
});

const HEADERS = [
  'cookie',
  'origin',
  'sec-fetch-site',
  'x-request-id',
  'if-none-match',
  'user-agent',
  'x-forwarded-for',
];
const ODD_HEADERS = ['é', 'oauth_a b=c; =; ;;', '__Host-management_session="a,b\tc"', ', '.repeat(500)];

it.each(tenth(named(routes)))('a header of any text makes no fault of %s', async (_, { method, path }) => {
  for (const value of ODD_HEADERS) {
    const headers = Object.fromEntries(HEADERS.map((name) => [name, value]));
    const { status } = await fetch(new URL(path.replace(/\{\w+\}/g, 'x'), app.url), {
      method,
      redirect: 'manual',
      headers,
      ...(method === 'GET' ? {} : { body: '' }),
    });
    expect([value, status < 500]).toEqual([value, true]);
  }
});

describe('null', () => {
  const outcome = ({ status, body }: Answer) => [status, body.error_type, body.errors];

  it.each(tenth(named(routes.filter((route) => bodySchema(route) && route.method !== 'PATCH'))))(
    'in an optional field of the body of %s means that the field is absent',
    async (_, route) => {
      for (const { isRequired, holding, without } of placesIn(bodySchema(route)!)) {
        if (isRequired) continue;
        const absent = await call(route, without);
        expect(outcome((await call(route, holding(null))).answer)).toEqual(outcome(absent.answer));
      }
    },
  );

  it('keeps the default of a field', async () => {
    const body = { email: 'null@example.com', requires_verification: null, include_user: null, first_name: null };
    const { answer } = await call(
      routes.find(({ path }) => path === '/v1/auth/users/create')!,
      body,
    );
    expect([answer.status, answer.body.status, answer.body.first_name]).toEqual([200, 'active', '']);
  });

  it('clears no setting of a connection where it is changed with the key of the app', async () => {
    const connection = await app.given.connection(own, {
      provider: 'company',
      issuer: 'https://login.example.com',
      client_id: 'c',
      client_secret: 's',
    });
    const { status, body } = await app.call('PUT', `/v1/auth/oauth_connections/${connection.id}/update`, {
      key: own.secretKey,
      body: { issuer: null, team_id: null, client_id: 'd' },
    });
    expect([status, body.issuer, body.client_id]).toEqual([200, 'https://login.example.com', 'd']);
  });
});

describe('an id of the right kind that no id can be', () => {
  const ID = /^\^\(?([a-z|]+)\)?_\[/;
  const malformed = ({ pattern }: Schema) => `${ID.exec(pattern!)![1]!.split('|')[0]}_nosuchid`;

  // The OAuth callback returns a page to a browser.
  const withIds = routes.filter(({ path }) => /\{\w+_id\}/.test(path) && !path.includes('/callback/'));
  it.each(tenth(named(withIds)))('in the path of %s is not found', async (_, route) => {
    for (const { in: where, name, schema } of route.operation.parameters!) {
      if (where !== 'path' || !schema.pattern) continue;
      const path = route.path.replace(`{${name}}`, malformed(schema));
      const { answer } = await call({ ...route, path }, bodySchema(route) && {});
      // If the body is checked first, the id is only one of the faults.
      if (answer.body.errors === undefined)
        expect([answer.status, answer.body.error_type]).toEqual([404, expect.stringMatching(/_not_found$/)]);
      else expect(answer.status).toBe(400);
    }
  });

  const inBodies = routes.flatMap((route) =>
    (bodySchema(route) ? placesIn(bodySchema(route)!) : [])
      .filter(({ schema }) => schema.pattern && ID.test(schema.pattern))
      .map((place): [string, string, Route, Place] => [place.path, `${route.method} ${route.path}`, route, place]),
  );
  it.each(tenth(inBodies))(
    'in the field %s of %s breaks the rule `exists`',
    async (path, _, route, { schema, holding }) => {
      const { answer } = await call(route, holding(malformed(schema)));
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toContainEqual({ field: path, rule: 'exists', message: 'does not exist' });
      const ofAnotherKind = await call(route, holding(`jwk_${'0'.repeat(26)}`));
      expect(ofAnotherKind.answer.body.errors).toContainEqual(expect.objectContaining({ field: path, rule: 'format' }));
    },
  );

  const inQueries = routes.flatMap((route) =>
    (route.operation.parameters ?? [])
      .filter(({ in: where, schema }) => where === 'query' && schema.pattern && ID.test(schema.pattern))
      .map(({ name, schema }): [string, string, Route, Schema] => [
        name,
        `${route.method} ${route.path}`,
        route,
        schema,
      ]),
  );
  it.each(tenth(inQueries))('in the parameter %s of %s breaks the rule `exists`', async (name, _, route, schema) => {
    const { answer } = await call(route, undefined, { [name]: malformed(schema) });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toContainEqual({ field: name, rule: 'exists', message: 'does not exist' });
  });

  it('was tried in many places', () => {
    expect(inBodies.length).toBeGreaterThan(10);
    expect(inQueries.length).toBeGreaterThan(2);
  });
});

it('hostile input is refused within 100 units of work, the median', () => {
  const sorted = works.toSorted((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(100);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(1_000);
});
