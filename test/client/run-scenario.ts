import { deepStrictEqual } from 'node:assert/strict';
import {
  ApiError,
  createClient,
  InvalidJwt,
  InvalidWebhook,
  NetworkError,
  type SessionVerifier,
  WebhookVerifier,
} from '../../openapi/client/src/index.js';

/** What a client does, and what comes of it. A text that begins with $ stands for a value. */
export interface Scenario {
  readonly says: string;
  readonly call?: string;
  readonly iterate?: string;
  readonly ids?: readonly string[];
  readonly fields?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly idempotency_key?: string;
  readonly timeout?: number;
  readonly refused?: string | null;
  readonly status?: number;
  readonly field?: string;
  readonly saves?: Record<string, string>;
  readonly expects?: Record<string, unknown>;
  readonly matches?: Record<string, string>;
  readonly count?: number;
  readonly least?: number;
  readonly jwt?: string;
  readonly webhook?: string;
  readonly valid?: boolean;
}

/** What a run of all scenarios needs. */
export interface Given {
  readonly base_url: string;
  readonly secret_key: string;
  readonly management_key: string;
  readonly webhook_secrets: readonly [string, string];
  readonly values: Record<string, unknown>;
}

type AnyCall = (...sent: unknown[]) => Promise<unknown>;
type AnyList = (...sent: unknown[]) => AsyncIterable<unknown>;
type Node = Readonly<Record<string, unknown>>;

/** Runs a scenario with the TypeScript client. Throws where it ends in another way. */
export async function runScenario(given: Given, scenario: Scenario, sessions: SessionVerifier): Promise<void> {
  const { base_url: baseUrl, secret_key: secretKey, management_key: managementKey, values } = given;
  const { jwt, webhook, iterate, call, valid } = scenario;
  if (jwt !== undefined) {
    const verified = sessions.verify(filled(jwt, values) as string).then(() => true, isOf(InvalidJwt));
    return deepStrictEqual(await verified, valid);
  }
  if (webhook !== undefined) {
    const { body, headers } = filled(webhook, values) as { body: string; headers: Record<string, string> };
    const webhooks = new WebhookVerifier({ secret: given.webhook_secrets });
    const verified = webhooks.verify(body, new Headers(headers)).then(() => true, isOf(InvalidWebhook));
    return deepStrictEqual(await verified, valid);
  }
  const client: unknown = createClient({ baseUrl, secretKey, managementKey });
  const parts = (call ?? iterate!).split('.');
  const verb = parts.pop()!;
  const resource = parts.reduce((node: Node, part) => node[part] as Node, client as Node);
  const ids = (scenario.ids ?? []).map((id) => filled(id, values));
  if (iterate !== undefined) {
    const all = resource[verb === 'search' && resource['list'] ? 'searchAll' : 'all'] as AnyList;
    let count = 0;
    for await (const _ of all(...ids, scenario.fields)) count++;
    deepStrictEqual(count, scenario.count ?? count);
    return deepStrictEqual(count >= (scenario.least ?? 0), true);
  }
  const { idempotency_key: idempotencyKey, headers, timeout: timeoutSeconds } = scenario;
  const sent = [...ids, filled(scenario.fields, values), { idempotencyKey, headers, timeoutSeconds }];
  const made = (resource[verb] as AnyCall)(...sent);
  if ('refused' in scenario || scenario.status !== undefined) return checkRefusal(scenario, made);
  const data = await made;
  for (const [name, path] of Object.entries(scenario.saves ?? {})) values[name] = at(data, path);
  for (const [path, value] of Object.entries(scenario.expects ?? {}))
    // As JSON, because an array of fetch is not one of the realm of a test.
    deepStrictEqual(JSON.stringify(at(data, path)), JSON.stringify(filled(value, values)));
  for (const [path, start] of Object.entries(scenario.matches ?? {}))
    deepStrictEqual((at(data, path) as string).startsWith(start), true);
}

async function checkRefusal({ refused, status, field }: Scenario, made: Promise<unknown>): Promise<void> {
  const error = await made.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) {
    if (refused !== undefined) deepStrictEqual(error.errorType, refused);
    if (status !== undefined) deepStrictEqual(error.status, status);
    if (field !== undefined) deepStrictEqual(error.fields[0]?.field, field);
    return;
  }
  const kind = error instanceof NetworkError ? 'network' : error instanceof TypeError ? 'argument' : error;
  deepStrictEqual(kind instanceof DOMException ? 'timeout' : kind, refused);
}

function filled(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return values[value.slice(1)];
  if (Array.isArray(value)) return value.map((each) => filled(each, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, values)]));
}

const isOf =
  (type: new (...sent: never[]) => Error) =>
  (error: unknown): false => {
    if (!(error instanceof type)) throw error;
    return false;
  };

const at = (data: unknown, path: string): unknown =>
  path.split('.').reduce((value, part) => (value as Record<string, unknown>)[part], data);
