import { type JWTPayload, SignJWT } from 'jose';
import { execFile, execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { SessionVerifier } from '../../openapi/client/src/index.js';
import type { TestApp } from '../support/app.js';
import { Money, newAddress } from '../support/money.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';
import { FaultyNetwork } from './faulty-network.js';
import { runScenario, type Scenario } from './run-scenario.js';
import { signingKeyOf } from './signing-key.js';

// The same scenarios for each client. Those of Python and Go run where their toolchains are.

const scenarios = JSON.parse(readFileSync('test/client/scenarios.json', 'utf8')) as Scenario[];
const SECRETS: readonly [string, string] = [
  'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
];

let network: FaultyNetwork;
let money: Money;
let service: TestApp;
let observer: Observer;
beforeAll(async () => {
  network = await FaultyNetwork.start();
  money = await Money.start({ env: { BASE_URL: network.url } });
  service = money.app;
  network.target = service.url;
  observer = await Observer.of(service);
});
afterAll(async () => {
  await observer?.close();
  await money?.stop();
  await network?.stop();
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** JWTs of a session, valid and forged. */
async function jwtsOf(appId: string, userId: string, jwt: string): Promise<Record<string, string>> {
  const { kid, key } = await signingKeyOf(service, observer, appId);
  const { privateKey: other } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: `${network.url}/${appId}`, sub: userId, jti: 'session_1', iat: now, nbf: now, exp: now + 600 };
  const signed = (changes: JWTPayload, header: object = {}, by: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(by);
  const [head, payload] = jwt.split('.') as [string, string];
  const none = encoded({ ...(JSON.parse(Buffer.from(head, 'base64url').toString()) as object), alg: 'none' });
  return {
    jwt,
    jwt_forged: await signed({}, {}, other),
    jwt_none: `${none}.${payload}.`,
    jwt_ahead: await signed({ nbf: now + 4 }),
    jwt_ended: await signed({ exp: now - 60 }),
    jwt_early: await signed({ nbf: now + 3_600, exp: now + 7_200 }),
    jwt_endless: await signed({ exp: undefined }),
    jwt_audience: await signed({ aud: 'https://other.example' }),
    jwt_hmac: await signed({}, { alg: 'HS256' }, Buffer.from(publicKey)),
    jwt_ps256: await signed({}, { alg: 'PS256' }),
    jwt_unknown_key: await signed({}, { kid: 'jwk_unknown' }, other),
    jwt_broken: `${jwt}\n`,
  };
}

/** Deliveries to an endpoint whose secret is being rotated, signed and forged. */
function webhooks(): Record<string, unknown> {
  const body = JSON.stringify({ id: 'event_1', type: 'user.created', data: {} });
  const hour = 3_600_000;
  const sent = (secret: string, { ahead = 0, signed = body, text = '', stamp = '' } = {}) => {
    const at = new Date(Date.now() + ahead);
    const headers = {
      'webhook-id': 'whd_1',
      'webhook-timestamp': stamp || String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('whd_1', at, signed),
    };
    return { body: text || signed, headers };
  };
  const twice = sent(SECRETS[0]);
  const other = new Webhook(`whsec_${Buffer.from('another secret').toString('base64')}`).sign(
    'whd_1',
    new Date(),
    body,
  );
  return {
    webhook: sent(SECRETS[0]),
    webhook_rotated: sent(SECRETS[1]),
    webhook_twice: {
      body,
      headers: { ...twice.headers, 'webhook-signature': `v2,é ${other} ${twice.headers['webhook-signature']}` },
    },
    webhook_changed: sent(SECRETS[0], { text: `${body} ` }),
    webhook_old: sent(SECRETS[0], { ahead: -hour }),
    webhook_early: sent(SECRETS[0], { ahead: hour }),
    webhook_timeless: sent(SECRETS[0], { stamp: '9'.repeat(5_000) }),
    webhook_text: sent(SECRETS[0], { signed: 'no JSON' }),
    webhook_bare: { body, headers: {} },
  };
}

/** What a run of all scenarios needs: an app of its own with a payer, a session, and webhooks that were sent to it. */
async function preparation() {
  network.reset();
  const app = await service.given.app({ default_wallet_type: 'none' });
  const other = await service.given.app({ default_wallet_type: 'none' });
  const payer = await money.payer('ethereum', 10n, app);
  const jwtOf = async (of: typeof app) => {
    const { user_id } = await service.given.user(of);
    return [user_id, (await signIn(service, of, { user_id })).session_jwt as string] as const;
  };
  const [userId, jwt] = await jwtOf(app);
  const [, otherJwt] = await jwtOf(other);
  await service.call('DELETE', `/v1/auth/users/${userId}/delete`, { key: app.secretKey });
  const values: Record<string, unknown> = {
    app: app.id,
    payer: payer.walletId,
    dest: newAddress('ethereum'),
    ...(await jwtsOf(app.id, userId, jwt)),
    jwt_other: otherJwt,
    ...webhooks(),
  };
  return {
    base_url: network.url,
    secret_key: app.secretKey,
    management_key: service.managementKey,
    webhook_secrets: SECRETS,
    values,
    scenarios,
  };
}

type Preparation = Awaited<ReturnType<typeof preparation>>;

/** What the service and the chain have seen of a client that passes the scenarios, which began at this time. */
async function checkEffects({ values }: Preparation, beginMs: number): Promise<void> {
  const lost = ['answer_lost 1', 'answer_cut 2', 'request_lost 1', 'answer_lost 4', 'answer_lost 5'];
  const sent = lost.map((fault) => {
    const attempts = network.seen.filter(({ headers }) => headers['x-fault'] === fault);
    return attempts.map(({ method, headers, body }) => [method, headers['idempotency-key'], body]);
  });
  for (const attempts of sent) expect(attempts).toEqual([attempts[0], attempts[0]]);
  expect(sent.map(([first]) => first)).toEqual(lost.map(() => ['POST', expect.any(String), expect.any(String)]));
  expect(await money.balance('ethereum', values['dest'] as string)).toBe(123_456_789_012_345_678n);
  // The call of a scenario, the first JWT, and for unknown keys one in 30 seconds.
  const most = 2 + Math.floor((Date.now() - beginMs) / 30_000);
  expect(network.seen.filter(({ path }) => path.includes('/jwks/')).length).toBeLessThanOrEqual(most);
}

/** Has a program run the scenarios. Returns what it prints, and checks what has come of it. */
async function printedBy(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const given = await preparation();
  const begin = Date.now();
  const printed = await output(command, args, cwd, { ...process.env, ...env, SCENARIOS: JSON.stringify(given) });
  if (!/ [1-9]\d* failed|FAIL/.test(printed)) await checkEffects(given, begin);
  return printed;
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
  const given = await preparation();
  const begin = Date.now();
  const sessions = new SessionVerifier({ baseUrl: network.url, appId: given.values['app'] as string });
  const failed: string[] = [];
  for (const each of scenarios)
    await runScenario(given, each, sessions).catch((error: Error) => failed.push(`${each.says}: ${error.message}`));
  expect(failed).toEqual([]);
  await checkEffects(given, begin);
});

(hasPython ? describe : describe.skip)('where Python 3.11 is', () => {
  it('the Python client passes the same', async () => {
    const printed = await printedBy('python3', ['-B', 'test/client/scenarios.py'], '.');
    expect(printed).toBe(`${scenarios.length} scenarios, 0 failed\n`);
  });
});

(hasGo ? describe : describe.skip)('where Go 1.19 is', () => {
  it('the Go client passes the same, and is formatted', async () => {
    expect(await output('gofmt', ['-l', '.'], 'openapi/go', process.env)).toBe('');
    const home = mkdtempSync(join(tmpdir(), 'go-'));
    const env = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: home, GOPATH: home };
    const printed = await printedBy('go', ['test', '-count=1', '-vet=all', '-v', './...'], 'openapi/go', env);
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
