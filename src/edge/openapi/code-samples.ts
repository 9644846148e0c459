import { OPERATIONS } from '../../../openapi/client/src/operations.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: string | number | boolean;
}

interface Response {
  readonly content?: object;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

export interface SampledDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** The variables that a development start prints, and the options of the client. */
const KEYS = {
  secret_key: { variable: 'SECRET', option: 'secretKey' },
  management_key: { variable: 'MANAGEMENT', option: 'managementKey' },
  public_token: { variable: 'PUBLIC', option: 'publicToken' },
} as const;

interface Call {
  readonly method: string;
  readonly url: string;
  readonly query: readonly (readonly [string, string])[];
  readonly ids: readonly string[];
  readonly scheme: keyof typeof KEYS | undefined;
  readonly body: { readonly isForm: boolean; readonly value: Readonly<Record<string, unknown>> } | undefined;
  readonly name: string | undefined;
  readonly returnsJson: boolean;
}

function* callsOf({ paths, components }: SampledDocument, baseUrl: string): Generator<[Operation, Call]> {
  const names = new Map(Object.entries(OPERATIONS).map(([name, route]) => [route.join(' '), name]));
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item)) {
      const name = names.get(`${method} ${path}`);
      yield [operation, callOf(operation, components, { method, path, baseUrl, name })];
    }
}

export function addCodeSamples(document: SampledDocument, baseUrl: string): void {
  for (const [operation, call] of callsOf(document, baseUrl))
    operation['x-codeSamples'] = [
      { lang: 'Shell', label: 'curl', source: inCurl(call) },
      ...(call.name === undefined
        ? []
        : [{ lang: 'TypeScript', label: 'TypeScript', source: inTypeScript(call, baseUrl) }]),
      { lang: 'Python', label: 'Python', source: inPython(call) },
      { lang: 'Go', label: 'Go', source: inGo(call) },
    ];
}

/** Postman format 2.1, which Bruno and Insomnia read too. Keys are variables, so a shared collection does not contain them. */
export function postmanCollection(document: SampledDocument, baseUrl: string): object {
  const folders = new Map<string, object[]>();
  for (const [{ tags, summary }, { method, url, query, scheme, body }] of callsOf(document, '{{S}}')) {
    const pairs = query.map(([key, value]) => ({ key, value }));
    if (scheme === 'public_token') pairs.push({ key: 'public_token', value: '{{PUBLIC}}' });
    const raw = url + (pairs.length > 0 ? `?${pairs.map(({ key, value }) => `${key}=${value}`).join('&')}` : '');
    const token = isBearer(scheme) ? `{{${KEYS[scheme].variable}}}` : undefined;
    const asText = body && {
      mode: 'raw',
      raw: JSON.stringify(body.value, null, 2),
      options: { raw: { language: 'json' } },
    };
    const asForm = body?.isForm && {
      mode: 'urlencoded',
      urlencoded: Object.entries(body.value).map(([key, value]) => ({ key, value: String(value) })),
    };
    const request = {
      method: method.toUpperCase(),
      url: { raw, host: ['{{S}}'], path: url.split('/').slice(1), query: pairs },
      ...(token && { auth: { type: 'bearer', bearer: [{ key: 'token', value: token, type: 'string' }] } }),
      ...(body && { body: asForm || asText }),
    };
    const folder = folders.get(tags[0]!) ?? [];
    folders.set(tags[0]!, folder);
    folder.push({ name: summary, request });
  }
  return {
    info: {
      name: 'Identity and wallets',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: [...folders].map(([name, item]) => ({ name, item })),
    variable: [
      { key: 'S', value: baseUrl },
      ...Object.values(KEYS).map(({ variable }) => ({ key: variable, value: '', type: 'string' })),
    ],
  };
}

function callOf(
  { parameters = [], requestBody, responses, security }: Operation,
  shared: SampledDocument['components'],
  { method, path, baseUrl, name }: { method: string; path: string; baseUrl: string; name: string | undefined },
): Call {
  const named = <T>(part: T & { readonly $ref?: string }, parts: Readonly<Record<string, T>>): T =>
    part.$ref === undefined ? part : parts[part.$ref.split('/').pop()!]!;
  const all = parameters.map((each) => named<Parameter>(each, shared.parameters));
  const withExample = (where: string) =>
    all.flatMap((each) =>
      each.in === where && each.example !== undefined ? [[each.name, String(each.example)] as const] : [],
    );
  const inPath = new Map(withExample('path'));
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => inPath.get(id!) ?? id!);
  const [media] = Object.entries(requestBody?.content ?? {});
  return {
    method,
    url: baseUrl + ids.reduce((filled, id) => filled.replace(/\{\w+\}/, encodeURIComponent(id)), path),
    query: withExample('query'),
    ids,
    scheme: security.flatMap((each) => Object.keys(each))[0] as Call['scheme'],
    body: media && { isForm: !media[0].includes('json'), value: media[1].example as Record<string, unknown> },
    name,
    returnsJson: 'application/json' in (named<Response>(responses['200'] ?? {}, shared.responses).content ?? {}),
  };
}

function inCurl({ method, url, query, scheme, body }: Call): string {
  const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (scheme === 'public_token') pairs.push('public_token=$PUBLIC');
  const parts = [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${url}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}"`,
    ...(isBearer(scheme) ? [`-H "Authorization: Bearer $${KEYS[scheme].variable}"`] : []),
    ...(body?.isForm === false
      ? [`-H 'Content-Type: application/json'`, `-d ${inShell(JSON.stringify(body.value, null, 2))}`]
      : Object.entries(body?.value ?? {}).map(
          ([name, value]) => `--data-urlencode ${inShell(`${name}=${String(value)}`)}`,
        )),
  ];
  return parts.join(' \\\n  ');
}

function inTypeScript({ method, query, ids, scheme, body, name }: Call, baseUrl: string): string {
  const key = scheme ? `, ${KEYS[scheme].option}: process.env.${KEYS[scheme].variable}!` : '';
  const fields = method === 'get' ? Object.fromEntries(query) : body?.value;
  const sent = [...ids, ...(fields && Object.keys(fields).length > 0 ? [fields] : [])];
  return [
    '// Save it as call.mts, beside the client. Then: npx tsx call.mts',
    `import { createClient } from 'identity-and-wallets-client';`,
    '',
    `const client = createClient({ baseUrl: '${baseUrl}'${key} });`,
    `const result = await client.${name}(${sent.map(asTypeScript).join(', ')});`,
    'console.log(result);',
  ].join('\n');
}

function asTypeScript(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
}

function inPython({ method, url, query, scheme, body, returnsJson }: Call): string {
  const pairs = query.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (scheme === 'public_token') pairs.push('"public_token": os.environ["PUBLIC"]');
  return [
    '# It needs: pip install requests',
    ...(scheme ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method}(`,
    `    ${JSON.stringify(url)},`,
    ...(isBearer(scheme) ? [`    headers={"Authorization": f"Bearer {os.environ['${KEYS[scheme].variable}']}"},`] : []),
    ...(pairs.length > 0 ? [`    params={${pairs.join(', ')}},`] : []),
    ...(body ? [`    ${body.isForm ? 'data' : 'json'}=${asPython(body.value, '    ')},`] : []),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    `print(response.${returnsJson ? 'json()' : 'text'})`,
  ].join('\n');
}

function asPython(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Array.isArray(value)
    ? value.map((item) => asPython(item, `${indent}    `))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${asPython(item, `${indent}    `)}`);
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${indent}    ${item},\n`).join('')}${indent}${close}`;
}

function inGo({ method, url, query, scheme, body }: Call): string {
  const pairs = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const token = scheme === 'public_token' ? [`public_token=" + os.Getenv("PUBLIC")`] : [];
  const address = `"${url}${pairs.length + token.length > 0 ? '?' : ''}${[...pairs, ...token].join('&')}${token.length > 0 ? '' : '"'}`;
  const content = body?.isForm
    ? Object.entries(body.value)
        .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
        .join('&')
    : JSON.stringify(body?.value, null, 2);
  return [
    'package main',
    '',
    'import (',
    ...['fmt', 'io', 'net/http', ...(scheme ? ['os'] : []), ...(body ? ['strings'] : [])].map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(body
      ? [`\tbody := strings.NewReader(${content.includes('`') ? JSON.stringify(content) : `\`${content}\``})`]
      : []),
    `\trequest, err := http.NewRequest("${method.toUpperCase()}", ${address}, ${body ? 'body' : 'nil'})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...(isBearer(scheme)
      ? [`\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("${KEYS[scheme].variable}"))`]
      : []),
    ...(body
      ? [`\trequest.Header.Set("Content-Type", "application/${body.isForm ? 'x-www-form-urlencoded' : 'json'}")`]
      : []),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tanswer, _ := io.ReadAll(response.Body)',
    '\tfmt.Println(response.Status, string(answer))',
    '}',
  ].join('\n');
}

const isBearer = (scheme: Call['scheme']): scheme is 'secret_key' | 'management_key' =>
  scheme === 'secret_key' || scheme === 'management_key';

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
