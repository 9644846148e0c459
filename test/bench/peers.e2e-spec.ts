import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ServiceKeys } from '../../src/kernel/service-keys.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { ensureBuilt } from '../support/built.js';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { PasskeyApp } from '../modules/passkey/passkeys.js';
import { MeasuredProcess, type ProcessOptions, resultOf } from './measured-process.js';

// The benchmarks are not part of this run. These tests start what they compare, so that a change of the service cannot
// leave them behind.

const HERE = import.meta.dirname;

const servers: MeasuredProcess[] = [];
const databases: TestDatabase[] = [];

async function server(file: string, options: Partial<ProcessOptions>): Promise<MeasuredProcess> {
  const started = await MeasuredProcess.server(join(HERE, file), { node: process.execPath, env: {}, ...options });
  servers.push(started);
  return started;
}

async function database(create: () => Promise<TestDatabase>): Promise<string> {
  const created = await create();
  databases.push(created);
  return created.url;
}

afterAll(async () => {
  await Promise.all(servers.map((started) => started.stop()));
  await Promise.all(databases.map(({ drop }) => drop()));
});

describe('the bare peer of the reads', () => {
  let service: TestApp;
  let bare: MeasuredProcess;
  let app: PasskeyApp;
  let userId: string;
  let session: Record<'session_token' | 'session_jwt', string>;

  const ofService = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    comparable(body200(await service.call(method, path, { key: app.app.secretKey, body })));

  async function ofBare(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(bare.url + path, {
      method,
      headers: { authorization: `Bearer ${app.app.secretKey}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    return comparable(JSON.parse(text));
  }

  beforeAll(async () => {
    service = await startApp();
    const tokenHashKey = service.nest.get(ServiceKeys, { strict: false }).derive('token hash').export();
    bare = await server('peers/bare-express.mjs', {
      env: { DATABASE_URL: service.databaseUrl, TOKEN_HASH_KEY: tokenHashKey.toString('base64') },
    });
    app = await PasskeyApp.of(service);
    userId = await app.user({ phone_number: '+4915112345678', first_name: 'Ada' });
    const call = async (path: string, body: unknown) =>
      body200(await service.call('POST', path, { key: app.app.secretKey, body }));
    await call('/v1/wallets/create', { user_id: userId, wallet_type: 'ethereum' });
    await call('/v1/auth/totps/create', { user_id: userId });
    const holder = await app.holder(undefined, userId);
    session = body200(await app.verify(await app.assertion(holder), { session_expires_in: 60 }));
  });

  afterAll(async () => {
    await bare.stop();
    await service.stop();
  });

  it('returns a user with every kind of contents as the service does', async () => {
    const path = `/v1/auth/users/${userId}`;
    const user = await ofService('GET', path);
    for (const list of ['emails', 'phone_numbers', 'wallets', 'totps', 'webauthn_credentials']) {
      expect(user).toHaveProperty(list, [expect.anything()]);
    }
    expect(await ofBare('GET', path)).toEqual(user);
  });

  it.each(['session_token', 'session_jwt'] as const)(
    'returns a session by its %s as the service does',
    async (name) => {
      const call = ['POST', '/v1/auth/sessions/verify', { [name]: session[name] }] as const;
      expect(await ofBare(...call)).toEqual(await ofService(...call));
    },
  );
});

it('the peers of the payments confirm a payment', async () => {
  await ensureBuilt();
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://id.example.com',
    DATABASE_URL: await database(createDatabase),
    MASTER_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    MANAGEMENT_KEY: 'mk_benchbenchbenchbenchbenchbenchbench',
    ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
    ETHEREUM_CHAIN_ID: '31337',
    ETHEREUM_FINALITY_DEPTH: '0',
    TRANSFER_CONFIRM_WAIT_SECONDS: '60',
    LOG_LEVEL: 'error',
  };
  const seed = await resultOf<{ key: string; users: string[]; tokens: string[]; wallets: string[] }>(
    join(HERE, 'seed.mjs'),
    { node: process.execPath, env: { ...env, PORT: '0', USERS: '2' } },
  );
  expect([seed.users.length, seed.tokens.length, seed.wallets.length]).toEqual([2, 2, 2]);
  const service = await server('../../dist/src/main.js', {
    env,
    execArgv: ['--import', join(HERE, 'stub-ethereum-node.mjs')],
  });
  const bare = await server('peers/bare-payments.mjs', {
    env: { DATABASE_URL: await database(createEmptyDatabase), SENDERS: '1' },
  });
  const post = async (url: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${seed.key}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const dest = '0x1111111111111111111111111111111111111111';
  const order = { source: seed.wallets[0], dest, source_amount: '0.001', source_currency: 'ethereum' };
  const transfer = await post(`${service.url}/v1/transfers/create`, { ...order, dest_currency: 'ethereum' });
  expect(await post(`${service.url}/v1/transfers/${String(transfer['id'])}/confirm`, {})).toMatchObject({
    status: 'completed',
  });
  await post(`${bare.url}/payments`, { id: 'a payment', sender: 0, dest, amount: '1000000000000000' });
  expect(await post(`${bare.url}/payments/a%20payment/confirm`, {})).toMatchObject({ status: 'pending' });
});

function body200({ status, body, text }: Answer): Answer['body'] {
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

/** Each side signs its own JWT of a session. */
function comparable(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'session_jwt' ? 'a JWT' : value)));
}
