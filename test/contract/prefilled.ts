import { startApp, type TestApp } from '../support/app.js';
import { readDocument } from '../support/document.js';

type Media = Record<
  string,
  {
    readonly schema?: object;
    readonly example?: unknown;
    readonly examples?: Record<string, { readonly $ref: string } | { readonly value: unknown }>;
  }
>;

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: { readonly example?: string | number };
    readonly example?: string | number;
  }[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Record<string, { readonly description?: string; readonly content?: Media }>;
  readonly 'x-refused-as-prefilled'?: string;
}

export const document = readDocument<{
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly examples: Record<string, { readonly value: unknown }> };
}>();

export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: operation.operationId,
    path,
    method: method.toUpperCase(),
    operation,
  })),
);

/** The keys that a development start prints. */
export type Keys = Readonly<Record<'SECRET' | 'PUBLIC' | 'MANAGEMENT', string>>;

/** A start in development, and the keys that it prints in an empty database. */
export async function startDevelopment(
  options: Parameters<typeof startApp>[0] = {},
): Promise<{ readonly app: TestApp; readonly keys: Keys }> {
  const written: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    const app = await startApp({ ...options, env: { ...options.env, NODE_ENV: 'development', MANAGEMENT_KEY: '' } });
    const printed = [...written.join('').matchAll(/(SECRET|PUBLIC|MANAGEMENT)=(\S+)/g)];
    return { app, keys: Object.fromEntries(printed.map(([, name, value]) => [name, value])) as Keys };
  } finally {
    write.mockRestore();
  }
}

/** Sends the request that Swagger UI prefills, or one with this body instead of the prefilled one. */
export function callPrefilled(
  url: string,
  keys: Keys,
  { path, method, operation }: (typeof operations)[number],
  body = bodyOf(operation),
) {
  const { parameters = [], requestBody, security } = operation;
  const valueOf = (name: string) => String(parameters.find((each) => each.name === name)?.example);
  const target = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name)),
    url,
  );
  for (const { in: place, name, schema, example = schema.example } of parameters)
    if (place === 'query' && example !== undefined) target.searchParams.set(name, String(example));
  const schemes = new Set(security.flatMap((each) => Object.keys(each)));
  if (schemes.has('public_token')) target.searchParams.set('public_token', keys.PUBLIC);
  const key = schemes.has('management_key') ? keys.MANAGEMENT : schemes.has('secret_key') ? keys.SECRET : undefined;
  const [media] = Object.keys(requestBody?.content ?? {});
  return fetch(target, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(media !== undefined && { 'content-type': media }),
    },
    ...(body !== undefined && { body }),
  });
}

function bodyOf({ requestBody }: Operation): string | undefined {
  const [media] = Object.entries(requestBody?.content ?? {});
  if (!media) return undefined;
  const [type, { example }] = media;
  return type.includes('json')
    ? JSON.stringify(example)
    : new URLSearchParams(example as Record<string, string>).toString();
}
