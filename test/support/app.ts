import 'reflect-metadata';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { DestinationStream, Logger } from 'pino';
import { openDatabase } from '../../src/open-database.js';
import { Config } from '../../src/services/config/config.js';
import { createLogger } from '../../src/services/observability/logger.js';
import { HttpMetrics } from '../../src/services/observability/metrics.js';
import { startService } from '../../src/service.js';
import { KeyWrapper } from '../../src/services/crypto/keyring-key-wrapper.js';
import type { ProviderKeyWrapper } from '../../src/services/crypto/provider-key-wrapper.js';
import { bodyOf, causeIn } from './answers.js';
import { createDatabase } from './database.js';
import { readDocument } from './document.js';
import { patiently, untilAvailable } from './eventually.js';
import { Given } from './given.js';
import { forgetCodes, holdsSecret, storedSecrets } from './issued-secrets.js';
import { startPooler } from './pooler.js';
import { send, type Sent } from './send.js';
import { noteRefusal } from './seen-refusals.js';
import { startVault, type VaultServer } from './vault-server.js';
import { faultsOfStoredEvents } from './stored-events.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each response has been checked against the document
  readonly body: any;
  readonly text: string;
}

export interface Call {
  /** Bearer key: secret or management. */
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
}

export interface TestApp {
  readonly url: string;
  readonly healthUrl: string | undefined;
  readonly databaseUrl: string;
  readonly managementKey: string;
  readonly nest: NestExpressApplication;
  readonly given: Given;
  /** One real HTTP call, without following redirects. The response is checked against openapi/openapi.json. */
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** The body of a call that must succeed. Otherwise the error names the status, the error type and the message. */
  ok(method: string, path: string, call?: Call): Promise<Answer['body']>;
  /** The text of the metrics. Gauges over tables are read before, which a timer does otherwise. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export const MANAGEMENT_KEY = 'mk_testtesttesttesttesttesttesttesttesttest';

let coldVault: Promise<VaultServer> | undefined;

/** Starts the whole service on a free port. Its database is new unless one is given (two replicas on one database). */
export async function startApp({
  env = {},
  databaseUrl,
  localChain,
  log,
}: {
  env?: Record<string, string>;
  databaseUrl?: string;
  /** As a start in development finds it. */
  localChain?: { readonly url: string; readonly chainId: number };
  log?: DestinationStream;
} = {}): Promise<TestApp> {
  const database = databaseUrl ? { url: databaseUrl, drop: async () => undefined } : await createDatabase();
  // One for all services of the file: replicas open the keys of one database.
  const vault = 'hasColdKeys' in globalThis ? await (coldVault ??= startVault()) : undefined;
  const pooler = 'isPooled' in globalThis ? await startPooler(database.url) : undefined;
  const dataDir = mkdtempSync(join(tmpdir(), 'app-'));
  const settings = Config.read({
    NODE_ENV: 'test',
    PORT: '0',
    DATABASE_URL: pooler?.url ?? database.url,
    ...(pooler && { DATABASE_DIRECT_URL: database.url }),
    DATA_DIR: dataDir,
    MANAGEMENT_KEY,
    MASTER_KEYS: `test:${createHash('sha256').update('the master key of the tests').digest('base64')}`,
    PUBLIC_RATE: '100000',
    ALLOW_PRIVATE_NETWORKS: 'true',
    // Tests count the calls that reach a node, and some replace final blocks.
    DEPOSITS: 'off',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...vault?.env,
    ...env,
  });
  const config = localChain ? settings.withEthereum(localChain.url, localChain.chainId) : settings;
  const logged: string[] = [];
  const logger = searchedLogger(config, log, logged);
  // On a busy machine the first connections take longer than the service waits.
  const service = await untilAvailable(async () => startService(config, await openDatabase(config, () => {}), logger));
  // Not while another call runs, which has made its key ready.
  let running = 0;
  const cold = async <T>(call: () => Promise<T>): Promise<T> => {
    if (vault && running === 0) (service.nest.get(KeyWrapper) as ProviderKeyWrapper).forgetAll();
    running++;
    return call().finally(() => running--);
  };
  const call = async (method: string, path: string, { key, body, headers = {}, query }: Call = {}): Promise<Answer> => {
    const url = new URL(path, service.url);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const wanted: Sent = {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const { status, headers: answered, text } = await cold(() => send(url, wanted));
    const answer = answerOf(status, answered, text);
    checkAgainstDocument(method, url.pathname, answer);
    return answer;
  };
  const checkedFetch = async (request: Request): Promise<Response> => {
    const body = request.body ? await request.text() : undefined;
    const wanted = { method: request.method, headers: Object.fromEntries(request.headers), body };
    const { status, headers, text } = await cold(() => send(request.url, wanted));
    checkAgainstDocument(request.method, new URL(request.url).pathname, answerOf(status, headers, text));
    return new Response(text === '' ? null : text, { status, headers });
  };
  return {
    url: service.url,
    healthUrl: service.healthUrl,
    databaseUrl: database.url,
    managementKey: MANAGEMENT_KEY,
    nest: service.nest,
    given: new Given(service.url, checkedFetch, service.nest, MANAGEMENT_KEY),
    call,
    ok: async (method, path, options) =>
      bodyOf(`${method} ${path}`, await patiently(() => call(method, path, options))),
    metrics: async () => {
      await service.nest.get(HttpMetrics).readTables();
      return (await call('GET', '/metrics')).text;
    },
    stop: async () => {
      await service.stop();
      await pooler?.stop();
      if (pooler && pooler.refused.length > 0) throw new Error(`The pooler refused:\n${pooler.refused.join('\n')}`);
      // Of a replica, the owner of the database checks the events.
      const faults = databaseUrl ? [] : await faultsOfStoredEvents(database.url);
      const leaks = [...logged, ...(databaseUrl ? [] : await storedSecrets(database.url))];
      if (!databaseUrl) forgetCodes();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
      if (faults.length > 0) throw new Error(`Stored events differ from their schemas:\n${faults.join('\n')}`);
      if (leaks.length > 0) throw new Error(`A token or code that the service issued is in:\n${leaks.join('\n')}`);
    },
  };
}

/** Adds the lines that hold an issued secret to `found`, also those of a level that is not written. */
function searchedLogger(
  { logLevel, nodeEnv }: Config,
  destination: DestinationStream | undefined,
  found: string[],
): Logger {
  // Development writes codes and links to its log.
  if (nodeEnv === 'development') return createLogger(logLevel, destination);
  const isSilent = logLevel === 'silent';
  const output = destination ?? process.stdout;
  const write = (line: string): void => {
    if (holdsSecret(line)) found.push(`the log: ${line.slice(0, 500)}`);
    const cause = isSilent ? causeIn(line) : null;
    if (cause !== null) process.stderr.write(cause);
    if (!isSilent) output.write(line);
  };
  return createLogger(isSilent ? 'trace' : logLevel, { write });
}

function answerOf(status: number, headers: Headers, text: string): Answer {
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '');
  return { status, headers, text, body: isJson ? JSON.parse(text) : text };
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      { operationId: string; responses: Record<string, { content?: Record<string, { schema?: object }> }> }
    >
  >;
}

const document = readDocument<Document>();
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: 'openapi' });
const routes = Object.entries(document.paths).map(([template, item]) => ({
  template,
  item,
  // A literal path is more specific than one with parameters and is tried first.
  parameters: (template.match(/\{/g) ?? []).length,
  pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
}));
routes.sort((a, b) => a.parameters - b.parameters);
const validators = new Map<string, ValidateFunction>();

/** Fails the test if a response has a status, error type or shape that the document lacks. */
function checkAgainstDocument(method: string, path: string, answer: Answer): void {
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.item[method.toLowerCase()];
  if (!route || !operation) return;
  const name = `${method} ${route.template} ${answer.status}`;
  noteRefusal(operation.operationId, answer);
  const response = operation.responses[String(answer.status)];
  if (!response) throw new Error(`${name} is not in openapi.json: ${answer.text.slice(0, 500)}`);
  const [type] = Object.keys(response.content ?? {});
  if (type === undefined || !/[/+]json/.test(type)) return;
  let validate = validators.get(name);
  if (!validate) {
    const pointer = [
      'paths',
      route.template,
      method.toLowerCase(),
      'responses',
      String(answer.status),
      'content',
      type,
      'schema',
    ]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    validators.set(name, validate);
  }
  if (!validate(answer.body)) {
    throw new Error(
      `${name} differs from openapi.json: ${ajv.errorsText(validate.errors)} in ${answer.text.slice(0, 1000)}`,
    );
  }
}
