import { encodeBase58, Wallet } from 'ethers';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { generateSync } from 'otplib';
import { Client } from 'pg';
import { ROOT } from '../../src/edge/root.js';
import { codeIn, Inbox, tokenIn } from '../support/inbox.js';
import { signIn } from '../support/sign-in.js';
import { newAddress } from '../support/money.js';
import { keyPair, seal } from '../support/hpke-peer.js';
import { Anvil } from '../support/anvil.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { type GivenApp, unique } from '../support/given.js';
import { ofAll } from '../support/module-contracts.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';

// Calls every POST of the document with an `Idempotency-Key`, repeats it, and repeats it with another body. A route
// without a call here fails the test, so a new route cannot be forgotten.

interface Operation {
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
const document = JSON.parse(readFileSync(join(ROOT, 'openapi/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const posts = Object.entries(document.paths).flatMap(([path, { post }]) => (post ? [{ path, operation: post }] : []));
const TAKING_NONE = ['/v1/auth/oauth/callback/{connection_id}', '/management/v1/session'];
const takingKeys = posts.filter(({ path }) => !TAKING_NONE.includes(path));

const ORIGIN = 'https://app.example.com';
let app: TestApp;
let replica: TestApp;
let acme: GivenApp;
let anvil: Anvil;
let inbox: Inbox;
let provider: OpenIdProvider;
let database: Client;

beforeAll(async () => {
  [anvil, inbox, provider] = await Promise.all([Anvil.start(), Inbox.start(), startIdentityProvider()]);
  const env = { ...inbox.env, ETHEREUM_RPC_URL: anvil.url, ETHEREUM_CHAIN_ID: String(anvil.chainId) };
  app = await startApp({ env: { ...env, ETHEREUM_FINALITY_DEPTH: '0' } });
  replica = await startApp({ databaseUrl: app.databaseUrl, env: { ...env, ROLE: 'api' } });
  database = new Client({ connectionString: app.databaseUrl });
  await database.connect();
  acme = await app.given.app({ allowed_origins: [ORIGIN], ...ofAll(({ settings }) => settings) });
  for (const kind of ['login', 'registration', 'invite'] as const)
    await app.given.redirectUrl(acme, kind, `https://app.example/${kind}`);
  const client = { client_id: 'demo', client_secret: 'a-client-secret-of-the-tests' };
  const connection = await app.given.connection(acme, { provider: 'company', issuer: provider.issuer, ...client });
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
});
afterAll(async () => {
  await database?.end();
  await replica?.stop();
  await app?.stop();
  await Promise.all([anvil?.stop(), inbox?.stop(), provider?.stop()]);
});

/** A call that succeeds once: the path with its ids, and the body. */
interface Call {
  readonly path?: string;
  readonly body: Record<string, unknown>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
async function made(path: string, body: unknown, key = acme.secretKey): Promise<any> {
  const answer = await app.call('POST', path, { key, body });
  if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}
const email = () => `${unique()}@example.com`;
const user = async () => (await app.given.user(acme)).user_id;
const withEmail = async () => {
  const address = email();
  await app.given.user(acme, { email: address });
  return address;
};
async function walletOf(userId: string) {
  const { body } = await app.call('GET', '/v1/wallets/list', { key: acme.secretKey, query: { user_id: userId } });
  return body.wallets[0] as { id: string; public_address: string };
}
const wallet = async () => walletOf(await user());
async function funded() {
  const owned = await wallet();
  await anvil.fund(owned.public_address, 10n ** 19n);
  return owned;
}
const payment = async () => ({
  source: (await funded()).id,
  dest: newAddress('ethereum'),
  source_amount: '0.1',
  source_currency: 'ethereum',
});
const transfer = async () => (await made('/v1/transfers/create', await payment())).id as string;
async function mailed(path: string, body: Record<string, unknown> & { email: string }) {
  return inbox.after(body.email, () => made(path, body));
}
const LINK = '/v1/auth/magic_links/email/login_or_create';
const linkTo = (address: string) => ({
  email: address,
  login_redirect_url: 'https://app.example/login',
  registration_redirect_url: 'https://app.example/registration',
});
async function oauthToken(): Promise<string> {
  const begun = await app.call('GET', '/v1/auth/oauth/company/begin', { query: { public_token: acme.publicToken } });
  const { url } = await provider.signIn(begun.body.redirect_url, {
    sub: unique(),
    email: email(),
    email_verified: true,
  });
  const back = new URL(url);
  const landed = await app.call('GET', back.pathname + back.search);
  return new URL(landed.headers.get('location')!).searchParams.get('token')!;
}
async function enrolment(): Promise<{ user_id: string; secret: string; recovery_codes: string[] }> {
  return made('/v1/auth/totps/create', { user_id: await user() });
}
async function codeOf(secret: string, steps = 0): Promise<string> {
  const { rows } = await database.query<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`);
  return generateSync({ secret, epoch: Math.floor(rows[0]!.now) + 30 * steps });
}
async function activeTotp() {
  const enrolled = await enrolment();
  const totp = await codeOf(enrolled.secret);
  await made('/v1/auth/totps/verify', { user_id: enrolled.user_id, totp });
  return enrolled;
}
async function importBegun() {
  return made('/v1/wallets/import/begin', { user_id: await user(), wallet_type: 'ethereum' });
}
const TYPED = {
  domain: { name: 'Acme' },
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  message: { text: 'x' },
};
const ethTransaction = () => ({
  to: newAddress('ethereum'),
  nonce: 0,
  gas: 21_000,
  maxFeePerGas: 1,
  maxPriorityFeePerGas: 1,
  chainId: anvil.chainId,
});
const SESSION = { session_expires_in: 60 };

const CALLS: Readonly<Record<string, () => Call | Promise<Call>>> = {
  '/management/v1/apps': () => ({ body: { name: 'One more', mode: 'test' } }),
  '/management/v1/apps/{app_id}/keys': () => ({ body: { kind: 'secret', name: 'one more' } }),
  '/management/v1/apps/{app_id}/redirect_urls': () => ({
    body: { url: `https://${unique()}.example/login`, kind: 'login' },
  }),
  '/management/v1/apps/{app_id}/oauth_connections': () => ({
    body: { provider: unique(), issuer: provider.issuer, client_id: 'c', client_secret: 's' },
  }),
  '/v1/auth/oauth_connections/create': () => ({
    body: { provider: unique(), issuer: provider.issuer, client_id: 'c', client_secret: 's' },
  }),
  '/management/v1/apps/{app_id}/users/{user_id}/deactivate': async () => ({
    path: `/management/v1/apps/${acme.id}/users/${await user()}/deactivate`,
    body: {},
  }),
  '/management/v1/apps/{app_id}/users/{user_id}/reactivate': async () => ({
    path: `/management/v1/apps/${acme.id}/users/${await user()}/reactivate`,
    body: {},
  }),
  '/v1/auth/users/create': () => ({ body: { email: email(), include_user: true } }),
  '/v1/auth/users/search': () => ({ body: { limit: 10 } }),
  '/v1/auth/sessions/verify': async () => ({
    body: { session_token: (await signIn(app, acme, await app.given.user(acme))).session_token },
  }),
  '/v1/auth/oauth/verify': async () => ({ body: { token: await oauthToken(), ...SESSION } }),
  [LINK]: () => ({ body: linkTo(email()) }),
  '/v1/auth/magic_links/email/invite': () => ({
    body: { email: email(), invite_redirect_url: 'https://app.example/invite' },
  }),
  '/v1/auth/magic_links/create': async () => ({ body: { user_id: await user() } }),
  '/v1/auth/magic_links/verify': async () => ({
    body: { token: tokenIn((await mailed(LINK, linkTo(email()))).message), ...SESSION },
  }),
  '/v1/auth/otps/sms/login_or_create': () => ({ body: { phone_number: '+4915199887701' } }),
  '/v1/auth/otps/email/login_or_create': () => ({ body: { email: email() } }),
  '/v1/auth/otps/sms/send': async () => {
    await app.given.user(acme, { phone_number: '+4915199887702' });
    return { body: { phone_number: '+4915199887702' } };
  },
  '/v1/auth/otps/email/send': async () => ({ body: { email: await withEmail() } }),
  '/v1/auth/otps/verify': async () => {
    const { answer, message } = await mailed('/v1/auth/otps/email/login_or_create', { email: email() });
    return { body: { method_id: answer.email_id, otp: codeIn(message), ...SESSION } };
  },
  '/v1/auth/totps/create': async () => ({ body: { user_id: await user() } }),
  '/v1/auth/totps/verify': async () => {
    const { user_id, secret } = await enrolment();
    return { body: { user_id, totp: await codeOf(secret), ...SESSION } };
  },
  '/v1/auth/totps/recovery': async () => {
    const { user_id, recovery_codes } = await activeTotp();
    return { body: { user_id, recovery_code: recovery_codes[0], ...SESSION } };
  },
  '/v1/auth/totps/recovery_codes': async () => ({ body: { user_id: (await activeTotp()).user_id } }),
  '/v1/wallets/create': async () => ({ body: { user_id: await user(), wallet_type: 'solana' } }),
  '/v1/wallets/{wallet_id}/sign_message': async () => ({
    path: `/v1/wallets/${(await wallet()).id}/sign_message`,
    body: { message: 'I agree.' },
  }),
  '/v1/wallets/{wallet_id}/sign_typed_data': async () => ({
    path: `/v1/wallets/${(await wallet()).id}/sign_typed_data`,
    body: { typed_data: TYPED },
  }),
  '/v1/wallets/{wallet_id}/sign_transaction': async () => ({
    path: `/v1/wallets/${(await wallet()).id}/sign_transaction`,
    body: { eth_transaction: ethTransaction() },
  }),
  '/v1/wallets/import/begin': async () => ({ body: { user_id: await user(), wallet_type: 'ethereum' } }),
  '/v1/wallets/import': async () => {
    const { id, encryption_public_key } = await importBegun();
    const { enc, ct } = seal(
      Buffer.from(encryption_public_key, 'base64'),
      Buffer.from(`0x${randomBytes(32).toString('hex')}`),
    );
    return { body: { id, encapsulated_key: enc.toString('base64'), ciphertext: ct.toString('base64') } };
  },
  '/v1/wallets/{wallet_id}/export': async () => ({
    path: `/v1/wallets/${(await wallet()).id}/export`,
    body: { encryption_public_key: keyPair().getPublicKey('base64') },
  }),
  '/v1/auth/wallets/registrations/begin': () => ({
    body: { wallet_type: 'ethereum', public_address: newAddress('ethereum') },
  }),
  '/v1/auth/wallets/registrations/nonce': () => ({
    body: { wallet_type: 'solana', public_address: encodeBase58(randomBytes(32)) },
  }),
  '/v1/auth/wallets/verify': async () => {
    const signer = Wallet.createRandom();
    const begun = await made('/v1/auth/wallets/registrations/begin', {
      wallet_type: 'ethereum',
      public_address: signer.address,
    });
    return { body: { id: begun.id, signature: signer.signMessageSync(begun.challenge), ...SESSION } };
  },
  '/v1/auth/wallets/siwe/verify': async () => {
    const signer = Wallet.createRandom();
    const begun = await made('/v1/auth/wallets/registrations/nonce', {
      wallet_type: 'ethereum',
      public_address: signer.address,
    });
    const text =
      `app.example.com wants you to sign in with your Ethereum account:\n${signer.address}\n\n\nURI: ${ORIGIN}\n` +
      `Version: 1\nChain ID: ${anvil.chainId}\nNonce: ${begun.nonce}\nIssued At: ${new Date().toISOString()}`;
    return { body: { siwe_challenge: text, signature: signer.signMessageSync(text), ...SESSION } };
  },
  '/v1/transfers/create': async () => ({ body: await payment() }),
  '/v1/transfers/{transfer_id}/confirm': async () => ({ path: `/v1/transfers/${await transfer()}/confirm`, body: {} }),
  '/v1/transfers/{transfer_id}/cancel': async () => ({ path: `/v1/transfers/${await transfer()}/cancel`, body: {} }),
  '/v1/wallets/balance': async () => ({ body: { wallet_id: (await funded()).id, token_symbol: 'ETH' } }),
};

/** The routes that spend their input: repeated without a key, they refuse. */
const SPENDING: Readonly<Record<string, string>> = {
  ...ofAll(({ spending }) => spending),
  '/v1/auth/oauth/verify': 'invalid_oauth_token',
  '/v1/auth/magic_links/verify': 'invalid_magic_token',
  '/v1/auth/otps/verify': 'invalid_otp',
  '/v1/auth/totps/verify': 'invalid_totp',
  '/v1/auth/totps/recovery': 'invalid_recovery_code',
  '/v1/auth/wallets/verify': 'invalid_wallet_signature',
  '/v1/auth/wallets/siwe/verify': 'invalid_wallet_signature',
};

interface Prepared {
  send(key: string | undefined, body?: Record<string, unknown>, at?: TestApp): Promise<Answer>;
  readonly body: Record<string, unknown>;
}

async function prepared(template: string): Promise<Prepared> {
  const ofModule = ofAll(({ calls }) => calls)[template];
  const call = ofModule ? async () => ({ body: await ofModule(app, acme) }) : CALLS[template];
  if (!call)
    throw new Error(`POST ${template} is not known to this test: add it to CALLS, or to the module's contract.ts.`);
  const { path = template.replace('{app_id}', acme.id), body }: Call = await call();
  const key = template.startsWith('/management/') ? app.managementKey : acme.secretKey;
  const send: Prepared['send'] = (idempotencyKey, sent = body, at = app) =>
    at.call('POST', path, {
      key,
      body: sent,
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    });
  return { send, body };
}

describe('an Idempotency-Key', () => {
  it('is documented at every POST except the OAuth callback', () => {
    const documented = posts.filter(
      ({ operation }) =>
        operation.parameters?.some(({ name }) => name === 'Idempotency-Key') && '422' in operation.responses,
    );
    expect(documented.map(({ path }) => path)).toEqual(takingKeys.map(({ path }) => path));
  });

  it.each(takingKeys.map(({ path }) => path))('makes a repeated POST %s return the first response', async (path) => {
    const { send, body } = await prepared(path);
    const key = unique();
    const first = await send(key);
    expect([first.status, first.text]).toEqual([200, first.text]);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const [second, third] = [await send(key), await send(key, body, replica)];
    for (const again of [second, third]) {
      expect(again.status).toBe(200);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('x-api-stability')).toBe(first.headers.get('x-api-stability'));
      expect(again.headers.get('deprecation')).toBe(first.headers.get('deprecation'));
    }
    const other = await send(key, { ...body, another_field: 1 });
    expect([other.status, other.body.error_type]).toEqual([422, 'idempotency_key_reused']);
  });

  it.each(Object.entries(SPENDING))(
    'makes a repeated POST %s return its session instead of %s',
    async (path, spent) => {
      const { send } = await prepared(path);
      const key = unique();
      const first = await send(key);
      const again = await send(key);
      expect(again.body.session_token).toMatch(/^\w{20,}/);
      expect(again.body.session_token).toBe(first.body.session_token);
      const live = await app.call('POST', '/v1/auth/sessions/verify', {
        key: acme.secretKey,
        body: { session_token: again.body.session_token },
      });
      expect(live.body.session.user_id).toBe(first.body.user_id);
      expect((await send(undefined)).body.error_type).toBe(spent);
    },
  );

  it.each(Object.keys(SPENDING))('spends nothing at POST %s if the response cannot be stored', async (path) => {
    const { send } = await prepared(path);
    const key = unique();
    const gate = new Client({ connectionString: app.databaseUrl });
    await gate.connect();
    await gate.query('begin; lock table idempotency_keys in share mode');
    const cut = send(key);
    try {
      // The call has done everything but store its response, for which it now waits. Then its connection breaks.
      const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotency_keys%'`;
      while ((await database.query(CUT)).rowCount === 0) await pause(20);
    } finally {
      await gate.end();
    }
    expect((await cut).status).toBe(503);
    const again = await send(key);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await send(key)).headers.get('idempotent-replayed')).toBe('true');
  });

  it.each(Object.keys(SPENDING))(
    'lets simultaneous POST %s on two replicas have one effect and one response',
    async (path) => {
      const { send, body } = await prepared(path);
      const key = unique();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => send(key, body, index % 2 ? app : replica)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    },
  );

  it('keeps the count of wrong attempts, but not the refusal', async () => {
    const { answer, message } = await mailed('/v1/auth/otps/email/login_or_create', { email: email() });
    const right = codeIn(message);
    const wrong = right === '000000' ? '000001' : '000000';
    const verify = (otp: string, key: string) =>
      app.call('POST', '/v1/auth/otps/verify', {
        key: acme.secretKey,
        body: { method_id: answer.email_id, otp },
        headers: { 'idempotency-key': key },
      });
    const key = unique();
    for (let tries = 0; tries < 5; tries++) expect((await verify(wrong, key)).body.error_type).toBe('invalid_otp');
    expect((await verify(right, unique())).body.error_type).toBe('otp_attempts_exceeded');
  });

  it('keeps the count of attempts with a magic link on another device', async () => {
    const user_id = await user();
    const { token } = await made('/v1/auth/magic_links/create', { user_id, device_fingerprint: { ip: '192.0.2.1' } });
    const verify = (ip: string) =>
      app.call('POST', '/v1/auth/magic_links/verify', {
        key: acme.secretKey,
        body: { token, device_fingerprint: { ip } },
        headers: { 'idempotency-key': unique() },
      });
    for (let tries = 0; tries < 5; tries++) expect((await verify('192.0.2.9')).body.error_type).toBe('device_mismatch');
    expect((await verify('192.0.2.1')).body.error_type).toBe('invalid_magic_token');
  });

  it('of a management call belongs to the app in its path', async () => {
    const { send } = await prepared('/management/v1/apps/{app_id}/keys');
    await send(unique());
    const { rows } = await database.query(`select app_id from idempotency_keys where path like '/management/%/keys'`);
    expect(new Set(rows.map(({ app_id }) => app_id))).toEqual(new Set([acme.id]));
  });
});
