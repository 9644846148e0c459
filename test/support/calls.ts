import { encodeBase58, Wallet } from 'ethers';
import { randomBytes, randomInt } from 'node:crypto';
import { generateSync } from 'otplib';
import { Client } from 'pg';
import { newId } from '../../src/kernel/ids.js';
import { Anvil } from './anvil.js';
import { startApp, type TestApp } from './app.js';
import { type GivenApp, unique } from './given.js';
import { keyPair, seal } from './hpke-peer.js';
import { type OpenIdProvider, startIdentityProvider } from './identity-provider.js';
import { codeIn, Inbox, tokenIn } from './inbox.js';
import { type Call, ofAll } from './module-facts.js';
import { newAddress } from './money.js';
import { signIn } from './sign-in.js';

/** The service, and all that its calls need outside of it. */
export interface World {
  readonly service: TestApp;
  readonly env: Readonly<Record<string, string>>;
  readonly anvil: Anvil;
  readonly inbox: Inbox;
  readonly provider: OpenIdProvider;
  readonly database: Client;
  stop(): Promise<void>;
}

export async function startWorld(more: Readonly<Record<string, string>> = {}): Promise<World> {
  const [anvil, inbox, provider] = await Promise.all([Anvil.start(), Inbox.start(), startIdentityProvider()]);
  const env = { ...inbox.env, ETHEREUM_RPC_URL: anvil.url, ETHEREUM_CHAIN_ID: String(anvil.chainId) };
  const service = await startApp({ env: { ...env, ...more, ETHEREUM_FINALITY_DEPTH: '0' } });
  const database = new Client({ connectionString: service.databaseUrl });
  await database.connect();
  const stop = async () => {
    await database.end();
    try {
      await service.stop();
    } finally {
      await Promise.all([anvil.stop(), inbox.stop(), provider.stop()]);
    }
  };
  return { service, env, anvil, inbox, provider, database, stop };
}

const ORIGIN = 'https://app.example.com';

/** An app with the settings that the calls need. */
export async function appIn({ service, provider }: World): Promise<GivenApp> {
  const app = await service.given.app({ allowed_origins: [ORIGIN], ...ofAll(({ settings }) => settings) });
  for (const kind of ['login', 'registration', 'invite'] as const)
    await service.given.redirectUrl(app, kind, `https://app.example/${kind}`);
  const client = { client_id: 'demo', client_secret: 'a-client-secret-of-the-tests' };
  const connection = await service.given.connection(app, { provider: 'company', issuer: provider.issuer, ...client });
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
  return app;
}

const LINK = '/v1/auth/magic_links/email/login_or_create';
const SESSION = { session_expires_in: 60 };
const TYPED = {
  domain: { name: 'Acme' },
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  message: { text: 'x' },
};

/** For each operation of the app that changes something, and for each POST: a call that succeeds once. */
export function callsOf(world: World, app: GivenApp): Readonly<Record<string, () => Call | Promise<Call>>> {
  const { service, anvil, inbox, provider, database } = world;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests reach into answers as clients do
  async function made(path: string, body: unknown, key = app.secretKey): Promise<any> {
    const answer = await service.call('POST', path, { key, body });
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.body;
  }
  const email = () => `${unique()}@example.com`;
  const user = async () => (await service.given.user(app)).user_id;
  const recovering = async (user_id: string) => {
    await made(`${users}/${user_id}/recovery`, { email: email() }, service.managementKey);
    return user_id;
  };
  const withEmail = async () => {
    const address = email();
    await service.given.user(app, { email: address });
    return address;
  };
  async function walletOf(userId: string) {
    const { body } = await service.call('GET', '/v1/wallets/list', { key: app.secretKey, query: { user_id: userId } });
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
  const batch = async () => {
    const { source, source_currency, ...item } = await payment();
    return { source, source_currency, items: [item] };
  };
  async function mailed(path: string, body: Record<string, unknown> & { email: string }) {
    return inbox.after(body.email, () => made(path, body));
  }
  const linkTo = (address: string) => ({
    email: address,
    login_redirect_url: 'https://app.example/login',
    registration_redirect_url: 'https://app.example/registration',
  });
  async function oauthToken(): Promise<string> {
    const begun = await service.call('GET', '/v1/auth/oauth/company/begin', {
      query: { public_token: app.publicToken },
    });
    const { url } = await provider.signIn(begun.body.redirect_url, {
      sub: unique(),
      email: email(),
      email_verified: true,
    });
    const back = new URL(url);
    const landed = await service.call('GET', back.pathname + back.search);
    return new URL(landed.headers.get('location')!).searchParams.get('token')!;
  }
  async function enrolment(): Promise<{ user_id: string; totp_id: string; secret: string; recovery_codes: string[] }> {
    return made('/v1/auth/totps/create', { user_id: await user() });
  }
  async function codeOf(secret: string, steps = 0): Promise<string> {
    const { rows } = await database.query<{ now: number }>(
      `select extract(epoch from clock_timestamp())::float8 as now`,
    );
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
  const ethTransaction = () => ({
    to: newAddress('ethereum'),
    nonce: 0,
    gas: 21_000,
    maxFeePerGas: 1,
    maxPriorityFeePerGas: 1,
    chainId: anvil.chainId,
  });

  const connection = () => ({ provider: unique(), issuer: provider.issuer, client_id: 'c', client_secret: 's' });
  /** The path of a new object of the app. */
  async function managed(kind: string, body: Record<string, unknown>): Promise<string> {
    const path = `/management/v1/apps/${app.id}/${kind}`;
    return `${path}/${(await made(path, body, service.managementKey)).id}`;
  }
  const users = `/management/v1/apps/${app.id}/users`;
  const reachable = () => service.given.user(app, { phone_number: `+4915${randomInt(1e8, 1e9)}` });
  /** A wallet of the user's own, which signs the user in. */
  async function loginWallet(user_id: string): Promise<{ user_id: string; id: string }> {
    const signer = Wallet.createRandom();
    const address = { wallet_type: 'ethereum', public_address: signer.address };
    const { id, challenge } = await made('/v1/auth/wallets/registrations/begin', { user_id, ...address });
    return made('/v1/auth/wallets/verify', { id, signature: signer.signMessageSync(challenge) });
  }

  const ofModules = Object.entries(ofAll(({ calls }) => calls)).map(
    ([name, call]) => [name, () => call(service, app)] as const,
  );
  return {
    ...Object.fromEntries(ofModules),
    'POST /management/v1/apps': () => ({ body: { name: 'One more', mode: 'test' } }),
    'POST /management/v1/apps/{app_id}/keys': () => ({ body: { kind: 'secret', name: 'one more' } }),
    'POST /management/v1/apps/{app_id}/redirect_urls': () => ({
      body: { url: `https://${unique()}.example/login`, kind: 'login' },
    }),
    'POST /management/v1/apps/{app_id}/oauth_connections': () => ({ body: connection() }),
    'POST /v1/auth/oauth_connections/create': () => ({ body: connection() }),
    'POST /management/v1/apps/{app_id}/users/{user_id}/deactivate': async () => ({
      path: `/management/v1/apps/${app.id}/users/${await user()}/deactivate`,
      body: {},
    }),
    'POST /management/v1/apps/{app_id}/users/{user_id}/reactivate': async () => {
      const path = `/management/v1/apps/${app.id}/users/${await user()}`;
      await made(`${path}/deactivate`, {}, service.managementKey);
      return { path: `${path}/reactivate`, body: {} };
    },
    'POST /v1/auth/users/create': () => ({ body: { email: email(), include_user: true } }),
    'POST /v1/auth/users/search': () => ({ body: { limit: 10 } }),
    'POST /v1/auth/sessions/verify': async () => ({
      body: { session_token: (await signIn(service, app, await service.given.user(app))).session_token },
    }),
    'POST /v1/auth/oauth/verify': async () => ({ body: { token: await oauthToken(), ...SESSION } }),
    [`POST ${LINK}`]: () => ({ body: linkTo(email()) }),
    'POST /v1/auth/magic_links/email/invite': () => ({
      body: { email: email(), invite_redirect_url: 'https://app.example/invite' },
    }),
    'POST /v1/auth/magic_links/create': async () => ({ body: { user_id: await user() } }),
    'POST /v1/auth/magic_links/verify': async () => ({
      body: { token: tokenIn((await mailed(LINK, linkTo(email()))).message), ...SESSION },
    }),
    'POST /v1/auth/otps/sms/login_or_create': () => ({ body: { phone_number: '+4915199887701' } }),
    'POST /v1/auth/otps/email/login_or_create': () => ({ body: { email: email() } }),
    'POST /v1/auth/otps/sms/send': async () => {
      await service.given.user(app, { phone_number: '+4915199887702' });
      return { body: { phone_number: '+4915199887702' } };
    },
    'POST /v1/auth/otps/email/send': async () => ({ body: { email: await withEmail() } }),
    'POST /v1/auth/otps/verify': async () => {
      const { answer, message } = await mailed('/v1/auth/otps/email/login_or_create', { email: email() });
      return { body: { method_id: answer.email_id, otp: codeIn(message), ...SESSION } };
    },
    'POST /v1/auth/totps/create': async () => ({ body: { user_id: await user() } }),
    'POST /v1/auth/totps/verify': async () => {
      const { user_id, secret } = await enrolment();
      return { body: { user_id, totp: await codeOf(secret), ...SESSION } };
    },
    'POST /v1/auth/totps/recovery': async () => {
      const { user_id, recovery_codes } = await activeTotp();
      return { body: { user_id, recovery_code: recovery_codes[0], ...SESSION } };
    },
    'POST /v1/auth/totps/recovery_codes': async () => ({ body: { user_id: (await activeTotp()).user_id } }),
    'POST /v1/wallets/create': async () => ({ body: { user_id: await user(), wallet_type: 'solana' } }),
    'POST /v1/wallets/{wallet_id}/sign_message': async () => ({
      path: `/v1/wallets/${(await wallet()).id}/sign_message`,
      body: { message: 'I agree.' },
    }),
    'POST /v1/wallets/{wallet_id}/sign_typed_data': async () => ({
      path: `/v1/wallets/${(await wallet()).id}/sign_typed_data`,
      body: { typed_data: TYPED },
    }),
    'POST /v1/wallets/{wallet_id}/sign_transaction': async () => ({
      path: `/v1/wallets/${(await wallet()).id}/sign_transaction`,
      body: { eth_transaction: ethTransaction() },
    }),
    'POST /v1/wallets/import/begin': async () => ({ body: { user_id: await user(), wallet_type: 'ethereum' } }),
    'POST /v1/wallets/import': async () => {
      const { id, encryption_public_key } = await importBegun();
      const { enc, ct } = seal(
        Buffer.from(encryption_public_key, 'base64'),
        Buffer.from(`0x${randomBytes(32).toString('hex')}`),
      );
      return { body: { id, encapsulated_key: enc.toString('base64'), ciphertext: ct.toString('base64') } };
    },
    'POST /v1/wallets/{wallet_id}/export': async () => ({
      path: `/v1/wallets/${(await wallet()).id}/export`,
      body: { encryption_public_key: keyPair().getPublicKey('base64') },
    }),
    'POST /v1/auth/wallets/registrations/begin': () => ({
      body: { wallet_type: 'ethereum', public_address: newAddress('ethereum') },
    }),
    'POST /v1/auth/wallets/registrations/nonce': () => ({
      body: { wallet_type: 'solana', public_address: encodeBase58(randomBytes(32)) },
    }),
    'POST /v1/auth/wallets/verify': async () => {
      const signer = Wallet.createRandom();
      const begun = await made('/v1/auth/wallets/registrations/begin', {
        wallet_type: 'ethereum',
        public_address: signer.address,
      });
      return { body: { id: begun.id, signature: signer.signMessageSync(begun.challenge), ...SESSION } };
    },
    'POST /v1/auth/wallets/siwe/verify': async () => {
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
    'POST /v1/transfers/create': async () => ({ body: await payment() }),
    'POST /v1/transfers/create_batch': async () => ({ body: await batch() }),
    'POST /v1/transfers/confirm_batch': async () => ({
      body: { batch_id: (await made('/v1/transfers/create_batch', await batch())).batch_id },
    }),
    'POST /v1/transfers/{transfer_id}/confirm': async () => ({
      path: `/v1/transfers/${await transfer()}/confirm`,
      body: {},
    }),
    'POST /v1/transfers/{transfer_id}/cancel': async () => ({
      path: `/v1/transfers/${await transfer()}/cancel`,
      body: {},
    }),
    'POST /v1/wallets/balance': async () => ({ body: { wallet_id: (await funded()).id, token_symbol: 'ETH' } }),
    'POST /management/v1/apps/{app_id}/policies/evaluate': async () => ({
      body: { operation: 'sign_message', wallet_id: (await funded()).id, message: 'Hello' },
    }),
    'POST /management/v1/apps/{app_id}/users/search': () => ({ body: { limit: 10 } }),
    'POST /management/v1/apps/{app_id}/templates/preview': () => ({ body: { kind: 'invite' } }),
    'POST /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}/test': async () => ({
      path: `${await managed('oauth_connections', connection())}/test`,
      body: {},
    }),
    'POST /management/v1/apps/{app_id}/transfers/{transfer_id}/cancel': async () => ({
      path: `/management/v1/apps/${app.id}/transfers/${await transfer()}/cancel`,
      body: {},
    }),
    'DELETE /management/v1/apps/{app_id}/sessions/{sess_id}': async () => ({
      path: `/management/v1/apps/${app.id}/sessions/${(await signIn(service, app, await service.given.user(app))).session!.id}`,
    }),
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/sessions': async () => {
      const owner = await service.given.user(app);
      await signIn(service, app, owner);
      return { path: `/management/v1/apps/${app.id}/users/${owner.user_id}/sessions` };
    },
    'POST /management/v1/apps/{app_id}/users': () => ({ body: { email: email() } }),
    'POST /management/v1/apps/{app_id}/users/invite': () => ({
      body: { email: email(), invite_redirect_url: 'https://app.example/invite' },
    }),
    'PATCH /management/v1/apps/{app_id}/users/{user_id}': async () => ({
      path: `${users}/${await user()}`,
      body: { first_name: 'Ann' },
    }),
    'DELETE /management/v1/apps/{app_id}/users/{user_id}': async () => ({ path: `${users}/${await user()}` }),
    'POST /management/v1/apps/{app_id}/users/{user_id}/emails': async () => ({
      path: `${users}/${await user()}/emails`,
      body: { email: email() },
    }),
    'POST /management/v1/apps/{app_id}/users/{user_id}/phone_numbers': async () => ({
      path: `${users}/${await user()}/phone_numbers`,
      body: { phone_number: `+4915${randomInt(1e8, 1e9)}` },
    }),
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/emails/{email_id}': async () => {
      const { user_id, email_id } = await reachable();
      return { path: `${users}/${user_id}/emails/${email_id}` };
    },
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/phone_numbers/{phone_number_id}': async () => {
      const { user_id, phone_number_id } = await reachable();
      return { path: `${users}/${user_id}/phone_numbers/${phone_number_id}` };
    },
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/totps/{totp_id}': async () => {
      const { user_id, totp_id } = await enrolment();
      return { path: `${users}/${user_id}/totps/${totp_id}` };
    },
    'DELETE /management/v1/apps/{app_id}/users/{user_id}/recovery': async () => ({
      path: `${users}/${await recovering(await user())}/recovery`,
    }),
    'POST /management/v1/apps/{app_id}/users/{user_id}/unlock': async () => ({
      path: `${users}/${await user()}/unlock`,
      body: {},
    }),
    'POST /management/v1/apps/{app_id}/messages/{message_id}/resend': async () => {
      await made('/v1/auth/otps/email/send', { email: await withEmail() });
      const messages = `/management/v1/apps/${app.id}/messages`;
      const { body } = await service.call('GET', messages, { key: service.managementKey });
      return { path: `${messages}/${body.messages[0].id}/resend`, body: {} };
    },
    'POST /management/v1/apps/{app_id}/jobs/{job_id}/retry': async () => {
      const id = newId('job');
      await database.query(
        `insert into jobs (app_id, id, kind, attempt, error, died_at) values ($1, $2, 'of a test', 56, 'refused', now())`,
        [app.id, id],
      );
      return { path: `/management/v1/apps/${app.id}/jobs/${id}/retry`, body: {} };
    },
    'GET /management/v1/apps/{app_id}/wallets/{wallet_id}': async () => ({
      path: `/management/v1/apps/${app.id}/wallets/${(await wallet()).id}`,
    }),
    'PATCH /management/v1/apps/{app_id}': () => ({ body: { name: 'Acme & Sons' } }),
    'DELETE /management/v1/apps/{app_id}': async () => {
      const { id } = await made('/management/v1/apps', { name: 'Gone', mode: 'test' }, service.managementKey);
      return { path: `/management/v1/apps/${id}` };
    },
    'DELETE /management/v1/apps/{app_id}/keys/{key_id}': async () => ({
      path: await managed('keys', { kind: 'secret', name: 'one more' }),
    }),
    'DELETE /management/v1/apps/{app_id}/redirect_urls/{rurl_id}': async () => ({
      path: await managed('redirect_urls', { url: `https://${unique()}.example/login`, kind: 'login' }),
    }),
    'PATCH /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}': async () => ({
      path: await managed('oauth_connections', connection()),
      body: { client_id: 'd' },
    }),
    'DELETE /management/v1/apps/{app_id}/oauth_connections/{oauthconn_id}': async () => ({
      path: await managed('oauth_connections', connection()),
    }),
    'PUT /v1/auth/oauth_connections/{oauthconn_id}/update': async () => ({
      path: `/v1/auth/oauth_connections/${(await made('/v1/auth/oauth_connections/create', connection())).id}/update`,
      body: { client_id: 'd' },
    }),
    'DELETE /v1/auth/oauth_connections/{oauthconn_id}/delete': async () => ({
      path: `/v1/auth/oauth_connections/${(await made('/v1/auth/oauth_connections/create', connection())).id}/delete`,
    }),
    'PUT /v1/auth/users/{user_id}/update': async () => ({
      path: `/v1/auth/users/${await user()}/update`,
      body: { first_name: 'Ann' },
    }),
    'DELETE /v1/auth/users/{user_id}/delete': async () => ({ path: `/v1/auth/users/${await user()}/delete` }),
    'DELETE /v1/auth/users/{user_id}/recovery': async () => {
      const address = email();
      const send = () => made('/v1/auth/otps/email/login_or_create', { email: address });
      const { answer, message } = await inbox.after(address, send);
      const proof = { method_id: answer.email_id, otp: codeIn(message), ...SESSION };
      const { user_id, session_token } = await made('/v1/auth/otps/verify', proof);
      return { path: `/v1/auth/users/${await recovering(user_id)}/recovery`, body: { session_token } };
    },
    'DELETE /v1/auth/users/emails/{email_id}/delete': async () => ({
      path: `/v1/auth/users/emails/${(await reachable()).email_id}/delete`,
    }),
    'DELETE /v1/auth/users/phone_numbers/{phone_number_id}/delete': async () => ({
      path: `/v1/auth/users/phone_numbers/${(await reachable()).phone_number_id}/delete`,
    }),
    'DELETE /v1/auth/users/totps/{totp_id}/delete': async () => ({
      path: `/v1/auth/users/totps/${(await enrolment()).totp_id}/delete`,
    }),
    'DELETE /v1/auth/users/wallets/{wallet_id}/delete': async () => {
      const { user_id, id } = await loginWallet(await user());
      await loginWallet(user_id);
      await made('/v1/wallets/create', { user_id, wallet_type: 'solana' });
      return { path: `/v1/auth/users/wallets/${id}/delete` };
    },
    'DELETE /v1/auth/sessions/delete': async () => ({
      body: { session_token: (await signIn(service, app, await service.given.user(app))).session_token },
    }),
  };
}
