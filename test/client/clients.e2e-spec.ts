import { execFile, execFileSync } from 'node:child_process';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { startApp, type TestApp } from '../support/app.js';
import { signIn } from '../support/sign-in.js';
import { FaultyNetwork } from './faulty-network.js';
import { runScenario, type Scenario } from './run-scenario.js';

// The same scenarios for each client. Those of Python and Go run where their toolchains are.

const scenarios = JSON.parse(readFileSync('test/client/scenarios.json', 'utf8')) as Scenario[];
const SECRETS: readonly [string, string] = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
];

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
    await runScenario(given, each).catch((error: Error) => failed.push(`${each.says}: ${error.message}`));
  expect(failed).toEqual([]);
});

(hasPython ? describe : describe.skip)('where Python 3.11 is', () => {
  it('the Python client passes the same', async () => {
    const printed = await output('python3', ['-B', 'test/client/scenarios.py'], '.', await environment());
    expect(printed).toBe(`${scenarios.length} scenarios, 0 failed\n`);
  });
});

(hasGo ? describe : describe.skip)('where Go 1.19 is', () => {
  it('the Go client passes the same, and is formatted', async () => {
    expect(await output('gofmt', ['-l', '.'], 'openapi/go', process.env)).toBe('');
    const home = mkdtempSync(join(tmpdir(), 'go-'));
    const env = { ...(await environment()), GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: home, GOPATH: home };
    const printed = await output('go', ['test', '-count=1', '-vet=all', '-v', './...'], 'openapi/go', env);
    rmSync(home, { recursive: true, force: true });
    expect(printed).toContain(`${scenarios.length} scenarios\n--- PASS: TestScenarios`);
  });
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
