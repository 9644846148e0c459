import { execFile, execFileSync } from 'node:child_process';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import {
  ApiError,
  createClient,
  InvalidJwt,
  InvalidWebhook,
  NetworkError,
  SessionVerifier,
  WebhookVerifier,
} from '../../openapi/client/src/index.js';
import { startApp, type TestApp } from '../support/app.js';
import { signIn } from '../support/sign-in.js';
import { FaultyNetwork } from './faulty-network.js';

// The same scenarios for each client. Those of Python and Go run where their toolchains are.

interface Scenario {
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

const scenarios = JSON.parse(readFileSync('test/client/scenarios.json', 'utf8')) as Scenario[];
const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];

let network: FaultyNetwork;
let service: TestApp;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  service = await startApp({ env: { BASE_URL: network.url } });
  network.target = service.url;
});
afterAll(async () => {
  await service?.stop();
  await network?.stop();
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a run of all scenarios needs: an app of its own, a session, and webhooks that were sent to it. */
async function preparation() {
  const app = await service.given.app({ default_wallet_type: 'none' });
  const other = await service.given.app({ default_wallet_type: 'none' });
  const jwtOf = async (of: typeof app) => {
    const { user_id } = await service.given.user(of);
    return [user_id, (await signIn(service, of, { user_id })).session_jwt as string] as const;
  };
  const [userId, jwt] = await jwtOf(app);
  const [, otherJwt] = await jwtOf(other);
  await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
  const [head, claims] = jwt.split('.') as [string, string];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const forged = createSign('sha256').update(`${head}.${claims}`).sign(privateKey, 'base64url');
  const none = encoded({ ...(JSON.parse(Buffer.from(head, 'base64url').toString()) as object), alg: 'none' });
  const body = JSON.stringify({ id: 'event_1', type: 'user.created', data: {} });
  const sent = (secret: string, at = new Date(), text = body) => ({
    body: text,
    headers: {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('whd_1', at, body),
    },
  });
  return {
    base_url: network.url,
    secret_key: app.secretKey,
    management_key: service.managementKey,
    webhook_secrets: SECRETS,
    values: {
      app: app.id,
      jwt,
      jwt_forged: `${head}.${claims}.${forged}`,
      jwt_none: `${none}.${claims}.`,
      jwt_other: otherJwt,
      webhook: sent(SECRETS[0]!),
      webhook_rotated: sent(SECRETS[1]!),
      webhook_changed: sent(SECRETS[0]!, new Date(), `${body} `),
      webhook_old: sent(SECRETS[0]!, new Date(Date.now() - 3_600_000)),
      webhook_bare: { body, headers: {} },
    } as Record<string, unknown>,
    scenarios,
  };
}

/** The environment of a program that runs the scenarios. */
async function environment(): Promise<NodeJS.ProcessEnv> {
  network.reset();
  return { ...process.env, SCENARIOS: JSON.stringify(await preparation()) };
}

/** Runs a program. Returns what it prints, whether it fails or not. */
const output = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((resolve) =>
    execFile(command, args, { cwd, env, timeout: 200_000 }, (_, out, err) => resolve(out + err)),
  );

const isThere = (command: string, ...args: string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const hasPython = isThere('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 11))');
const hasGo = isThere('go', 'version');

it(`the TypeScript client passes ${scenarios.length} scenarios`, async () => {
  network.reset();
  const given = await preparation();
  const failed: string[] = [];
  for (const each of scenarios)
    await new TypescriptRun(given).run(each).catch((error: Error) => failed.push(`${each.says}: ${error.message}`));
  expect(failed).toEqual([]);
});

(hasPython ? it : it.skip)('the Python client passes the same (needs Python 3.11)', async () => {
  expect(await output('python3', ['-B', 'test/client/scenarios.py'], '.', await environment())).toBe(
    `${scenarios.length} scenarios, 0 failed\n`,
  );
});

(hasGo ? it : it.skip)('the Go client passes the same, and is formatted (needs Go 1.19)', async () => {
  expect(await output('gofmt', ['-l', '.'], 'openapi/go', process.env)).toBe('');
  const home = mkdtempSync(join(tmpdir(), 'go-'));
  const env = { ...(await environment()), GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: home, GOPATH: home };
  const printed = await output('go', ['test', '-count=1', '-vet=all', '-v', './...'], 'openapi/go', env);
  rmSync(home, { recursive: true, force: true });
  expect(printed).toContain(`${scenarios.length} scenarios\n--- PASS: TestScenarios`);
});

it('the clients are those of the document', () => {
  const made = mkdtempSync(join(tmpdir(), 'clients-'));
  execFileSync(process.execPath, ['.ci/client.mjs', made]);
  for (const file of [
    'client/src/methods.ts',
    'client/src/operations.ts',
    'go/operations.go',
    ...['models', 'operations', 'resources'].map((name) => `python/identity_and_wallets/${name}.py`),
  ])
    expect([file, readFileSync(join('openapi', file), 'utf8') === readFileSync(join(made, file), 'utf8')]).toEqual([
      file,
      true,
    ]);
  rmSync(made, { recursive: true });
});

type Given = Awaited<ReturnType<typeof preparation>>;
type AnyCall = (...sent: unknown[]) => Promise<unknown>;

/** Calls by the names of the client, whose types the scenarios do not have. */
class TypescriptRun {
  constructor(private readonly given: Given) {}

  async run(scenario: Scenario): Promise<void> {
    const { base_url: baseUrl, secret_key: secretKey, management_key: managementKey, values } = this.given;
    const { jwt, webhook, iterate, call, ids = [], valid } = scenario;
    if (jwt !== undefined) {
      const sessions = new SessionVerifier({ baseUrl, appId: values['app'] as string });
      const verified = sessions.verify(this.filled(jwt) as string).then(() => true, isOf(InvalidJwt));
      return expect(await verified).toBe(valid);
    }
    if (webhook !== undefined) {
      const { body, headers } = this.filled(webhook) as { body: string; headers: Record<string, string> };
      const webhooks = new WebhookVerifier({ secret: SECRETS as [string, string] });
      const verified = webhooks.verify(body, new Headers(headers)).then(() => true, isOf(InvalidWebhook));
      return expect(await verified).toBe(valid);
    }
    const client = createClient({ baseUrl, secretKey, managementKey });
    const parts = (call ?? iterate!).split('.');
    const verb = parts.pop()!;
    const resource = parts.reduce((node, part) => node[part] as Record<string, unknown>, client as never) as Record<
      string,
      unknown
    >;
    const filledIds = ids.map((id) => this.filled(id));
    if (iterate !== undefined) {
      const all = resource[verb === 'search' && resource['list'] ? 'searchAll' : 'all'] as (
        ...sent: unknown[]
      ) => AsyncIterable<unknown>;
      let count = 0;
      for await (const _ of all(...filledIds, scenario.fields)) count++;
      expect(count).toBe(scenario.count ?? count);
      return expect(count).toBeGreaterThanOrEqual(scenario.least ?? 0);
    }
    const { idempotency_key: idempotencyKey, headers, timeout } = scenario;
    const options = { idempotencyKey, headers, timeoutSeconds: timeout };
    const made = (resource[verb] as AnyCall)(...filledIds, this.filled(scenario.fields), options);
    if ('refused' in scenario || scenario.status !== undefined) return this.check(scenario, made);
    const data = await made;
    for (const [name, path] of Object.entries(scenario.saves ?? {})) values[name] = at(data, path);
    for (const [path, value] of Object.entries(scenario.expects ?? {}))
      expect([path, at(data, path)]).toEqual([path, this.filled(value)]);
    for (const [path, start] of Object.entries(scenario.matches ?? {}))
      expect([path, (at(data, path) as string).startsWith(start)]).toEqual([path, true]);
  }

  private async check({ refused, status, field }: Scenario, made: Promise<unknown>): Promise<void> {
    const error = await made.then(
      () => expect('the call').toBe('refused'),
      (thrown: unknown) => thrown,
    );
    const names = new Map<unknown, string>([
      [NetworkError, 'network'],
      [TypeError, 'argument'],
      [DOMException, 'timeout'],
    ]);
    const [, other] = [...names].find(([type]) => error instanceof (type as typeof Error)) ?? [];
    const kind = error instanceof ApiError ? error.errorType : (other ?? String(error));
    if (refused !== undefined) expect(kind).toBe(refused);
    if (status !== undefined) expect((error as ApiError).status).toBe(status);
    if (field !== undefined) expect((error as ApiError).fields.map((each) => each.field)).toContain(field);
  }

  private filled(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.given.values[value.slice(1)];
    if (Array.isArray(value)) return value.map((each) => this.filled(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.filled(each)]));
  }
}

const isOf =
  (type: new (...sent: never[]) => Error) =>
  (error: unknown): false => {
    if (!(error instanceof type)) throw error;
    return false;
  };

const at = (data: unknown, path: string): unknown =>
  path.split('.').reduce((value, part) => (value as Record<string, unknown>)[part], data);
