import { Wallet } from 'ethers';
import { KEY_SCOPES } from '../../src/kernel/key-restriction.js';
import { Database } from '../../src/postgres/database.js';
import { readDocument } from '../support/document.js';
import { signIn } from '../support/sign-in.js';
import { Anvil } from '../support/anvil.js';
import { type Answer, startApp, type TestApp } from '../support/app.js';
import { type GivenApp, unique } from '../support/given.js';
import { factsOfModules, type Ids, ofAll } from '../support/module-facts.js';
import { tenth } from '../support/sampled.js';

// Calls every endpoint that takes an id with the key of another app, and with a key of the app that is bound to another user: the response
// is exactly that for an unknown id, and nothing changes. An endpoint without a body here fails the test, so a new endpoint cannot be forgotten.

interface Operation {
  readonly operationId: string;
  readonly security?: readonly Record<string, unknown>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: unknown;
}
const document = readDocument<{
  paths: Record<string, Record<string, Operation>>;
}>();

/** The fields of a valid body besides the ids, for each operation that needs more. `null`: its body takes no id. */
const BODIES: Readonly<Record<string, ((ids: Ids) => Record<string, unknown>) | null>> = {
  ...ofAll(({ bodies }) => bodies),
  'POST /v1/auth/users/create': null,
  'POST /v1/auth/oauth_connections/create': null,
  'DELETE /v1/auth/users/{user_id}/recovery': () => ({}),
  'DELETE /v1/auth/users/emails/{email_id}/delete': () => ({}),
  'DELETE /v1/auth/users/phone_numbers/{phone_number_id}/delete': () => ({}),
  'DELETE /v1/auth/users/webauthn_credentials/{webauthn_credential_id}/delete': () => ({}),
  'DELETE /v1/auth/users/totps/{totp_id}/delete': () => ({}),
  'DELETE /v1/auth/users/wallets/{wallet_id}/delete': () => ({}),
  'POST /v1/auth/oauth/verify': null,
  'POST /v1/auth/magic_links/email/login_or_create': null,
  'POST /v1/auth/magic_links/email/invite': null,
  'POST /v1/auth/magic_links/verify': null,
  'POST /v1/auth/otps/sms/login_or_create': null,
  'POST /v1/auth/otps/email/login_or_create': null,
  'POST /v1/auth/otps/sms/send': null,
  'POST /v1/auth/otps/email/send': null,
  'POST /v1/auth/users/search': ({ user_id }) => ({
    filters: { fields: [{ field: 'user_id', operator: 'eq', value: user_id }] },
  }),
  'PUT /v1/auth/users/{user_id}/update': () => ({ first_name: 'Mallory' }),
  'PUT /v1/auth/oauth_connections/{oauthconn_id}/update': () => ({ client_id: 'mallory' }),
  'POST /v1/auth/sessions/verify': ({ session_token }) => ({ session_token }),
  'DELETE /v1/auth/sessions/delete': ({ session_id }) => ({ session_id }),
  'POST /v1/auth/magic_links/create': ({ user_id }) => ({ user_id }),
  'POST /v1/auth/otps/verify': ({ phone_number_id }) => ({ method_id: phone_number_id, otp: '123456' }),
  'POST /v1/auth/totps/create': ({ user_id }) => ({ user_id }),
  'POST /v1/auth/totps/verify': ({ user_id }) => ({ user_id, totp: '123456' }),
  'POST /v1/auth/totps/recovery': ({ user_id }) => ({ user_id, recovery_code: 'aaaaa-aaaaa' }),
  'POST /v1/auth/totps/recovery_codes': ({ user_id }) => ({ user_id }),
  'POST /v1/auth/wallets/registrations/begin': ({ user_id }) => ({ user_id, ...PROVER }),
  'POST /v1/auth/wallets/registrations/nonce': ({ user_id }) => ({ user_id, ...PROVER }),
  'POST /v1/auth/wallets/verify': ({ challenge_id, challenge }) => ({
    id: challenge_id,
    signature: prover.signMessageSync(challenge!),
  }),
  'POST /v1/auth/wallets/siwe/verify': ({ nonce_id, nonce }) => {
    const text = signInText(nonce!);
    return { id: nonce_id, siwe_challenge: text, signature: prover.signMessageSync(text) };
  },
  'POST /v1/wallets/import/begin': ({ user_id }) => ({ user_id, wallet_type: 'solana' }),
  'POST /v1/wallets/import': ({ import_id }) => ({ id: import_id, encapsulated_key: 'AAAA', ciphertext: 'AAAA' }),
  'POST /v1/wallets/{wallet_id}/export': () => ({ encryption_public_key: 'AAAA' }),
  'POST /v1/wallets/create': ({ user_id }) => ({ user_id, wallet_type: 'solana' }),
  'POST /v1/wallets/balance': ({ wallet_id }) => ({ wallet_id, token_symbol: 'ETH' }),
  'POST /v1/transfers/create': ({ wallet_id }) => ({
    source: wallet_id,
    dest: `0x${'11'.repeat(20)}`,
    source_amount: '1',
    source_currency: 'ethereum',
  }),
  'POST /v1/transfers/create_batch': ({ wallet_id }) => ({
    source: wallet_id,
    items: [{ dest: `0x${'11'.repeat(20)}`, source_amount: '1' }],
    source_currency: 'ethereum',
  }),
  'POST /v1/transfers/confirm_batch': ({ batch_id }) => ({ batch_id }),
  'POST /v1/transfers/{transfer_id}/confirm': () => ({}),
  'POST /v1/wallets/{wallet_id}/sign_message': () => ({ message: 'x' }),
  'POST /v1/wallets/{wallet_id}/sign_typed_data': () => ({
    typed_data: { domain: {}, types: { A: [{ name: 'a', type: 'string' }] }, primaryType: 'A', message: { a: 'x' } },
  }),
  'POST /v1/wallets/{wallet_id}/sign_transaction': () => ({
    eth_transaction: {
      to: `0x${'11'.repeat(20)}`,
      nonce: 0,
      gas: 21_000,
      maxFeePerGas: 1,
      maxPriorityFeePerGas: 1,
      chainId: 1,
    },
  }),
};

/** The error type for an unknown id at these: a proof that proves nothing. */
const WRONG_PROOFS: Readonly<Record<string, string>> = {
  ...ofAll(({ wrongProofs }) => wrongProofs),
  '/v1/auth/otps/verify': 'invalid_otp',
  '/v1/auth/wallets/verify': 'invalid_wallet_signature',
  '/v1/auth/wallets/siwe/verify': 'invalid_wallet_signature',
  '/v1/wallets/import': 'invalid_wallet_import',
};

/** A wallet owner whose proofs are valid, but for another app. */
const prover = Wallet.createRandom();
const PROVER = { wallet_type: 'ethereum', public_address: prover.address };
const ORIGIN = 'https://app.example.com';
const signInText = (nonce: string): string =>
  `app.example.com wants you to sign in with your Ethereum account:\n${prover.address}\n\n\nURI: ${ORIGIN}\n` +
  `Version: 1\nChain ID: ${anvil.chainId}\nNonce: ${nonce}\nIssued At: ${new Date().toISOString()}`;

const STRANGERS = ['of another app', 'bound to another user', 'bound to a wallet', 'bound to a deleted user'] as const;
type Stranger = (typeof STRANGERS)[number];

let app: TestApp;
let anvil: Anvil;
let owner: GivenApp;
let stranger: GivenApp;
/** The keys that may not see the objects of the user in `real`, by the reason. */
let keys: Readonly<Record<Stranger, string>>;
let real: Ids;
let unknown: Ids;

beforeAll(async () => {
  anvil = await Anvil.start();
  app = await startApp({ env: { ETHEREUM_RPC_URL: anvil.url, ETHEREUM_CHAIN_ID: String(anvil.chainId) } });
  const settings = { allowed_origins: [ORIGIN], ...ofAll(({ settings }) => settings) };
  owner = await app.given.app(settings);
  stranger = await app.given.app(settings);
  const user = await app.given.user(owner, { email: `${unique()}@example.com`, phone_number: '+4915112345678' });
  const connection = await app.given.connection(owner, { provider: 'google', client_id: 'c', client_secret: 's' });
  const wallets = await app.call('GET', `/v1/wallets/list?user_id=${user.user_id}`, { key: owner.secretKey });
  const totp = await app.call('POST', '/v1/auth/totps/create', {
    key: owner.secretKey,
    body: { user_id: user.user_id },
  });
  const { session } = await signIn(app, owner, user);
  const [wallet] = wallets.body.wallets;
  await anvil.fund(wallet.public_address, 10n ** 19n);
  const transfer = await app.call('POST', '/v1/transfers/create', {
    key: owner.secretKey,
    body: { source: wallet.id, dest: `0x${'11'.repeat(20)}`, source_amount: '1', source_currency: 'ethereum' },
  });
  const batch = await app.call('POST', '/v1/transfers/create_batch', {
    key: owner.secretKey,
    body: {
      source: wallet.id,
      items: [{ dest: `0x${'11'.repeat(20)}`, source_amount: '1' }],
      source_currency: 'ethereum',
    },
  });
  // Their quotes must outlast all tests.
  await app.nest
    .get(Database)
    .write(`update transfers set expires_at = now() + interval '1 day' where app_id = $1`, [owner.id]);
  const begin = async (path: string, body: unknown) =>
    (await app.call('POST', path, { key: owner.secretKey, body })).body as Ids;
  const challenge = await begin('/v1/auth/wallets/registrations/begin', PROVER);
  const nonce = await begin('/v1/auth/wallets/registrations/nonce', PROVER);
  const place = await begin('/v1/wallets/import/begin', { user_id: user.user_id, wallet_type: 'ethereum' });
  const ofModules = await Promise.all(factsOfModules.flatMap(({ ids }) => ids?.(app, owner, user.user_id) ?? []));
  real = {
    ...(Object.assign({}, ...ofModules) as Ids),
    challenge_id: challenge['id']!,
    challenge: challenge['challenge']!,
    nonce_id: nonce['id']!,
    nonce: nonce['nonce']!,
    import_id: place['id']!,
    user_id: user.user_id,
    email_id: user.email_id,
    phone_number_id: user.phone_number_id,
    oauthconn_id: connection.id,
    totp_id: totp.body.totp_id,
    wallet_id: wallet.id,
    transfer_id: transfer.body.id,
    batch_id: batch.body.batch_id,
    session_id: session!.id,
    session_token: session!.session_token,
  };
  const bind = async (binding: object): Promise<string> =>
    (
      await app.call('POST', `/management/v1/apps/${owner.id}/keys`, {
        key: app.managementKey,
        body: { kind: 'restricted', scopes: KEY_SCOPES, ...binding },
      })
    ).body.key;
  const [another, deleted] = [await app.given.user(owner), await app.given.user(owner)];
  const own = await app.call('GET', `/v1/wallets/list?user_id=${another.user_id}`, { key: owner.secretKey });
  keys = {
    'of another app': stranger.secretKey,
    'bound to another user': await bind({ user_id: another.user_id }),
    'bound to a wallet': await bind({ wallet_ids: [own.body.wallets[0].id] }),
    'bound to a deleted user': await bind({ user_id: deleted.user_id }),
  };
  await app.call('DELETE', `/v1/auth/users/${deleted.user_id}/delete`, { key: owner.secretKey });
  unknown = Object.fromEntries(
    Object.entries(real).map(([name, id]) => [
      name,
      /^[a-z]+_\w{26}$/.test(id) ? id.replace(/_.*/, `_${'0'.repeat(26)}`) : 'x'.repeat(id.length),
    ]),
  );
});
afterAll(async () => {
  await app.stop();
  await anvil.stop();
});

const routes = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, { security }]) => security?.[0] && 'secret_key' in security[0])
    .map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
);

/** Calls an endpoint with a valid key and these ids. Null if it takes no id. */
async function call(
  { name, method, path, operation }: (typeof routes)[number],
  ids: Ids,
  key: string,
): Promise<Answer | null> {
  let takesId = false;
  const fill = (parameter: string): string => {
    const id = ids[parameter];
    if (id === undefined) throw new Error(`${name} takes ${parameter}, which this test has none of.`);
    takesId = true;
    return id;
  };
  let url = path.replace(/\{(\w+)\}/g, (_, parameter: string) => fill(parameter));
  if (operation.parameters?.some((parameter) => parameter.in === 'query' && parameter.name === 'user_id'))
    url += `?user_id=${fill('user_id')}`;
  let body: unknown;
  if (operation.requestBody) {
    const make = BODIES[name];
    if (make === undefined) throw new Error(`${name} has a body this test does not know: add it to BODIES.`);
    if (make === null) return null;
    body = make(ids);
    takesId = true;
  }
  return takesId ? app.call(method, url, { key, body }) : null;
}

function withoutRequestId({ status, body }: Answer): unknown {
  const { request_id: _, instance: __, ...rest } = body as Record<string, unknown>;
  return { status, body: rest };
}

/** Names its object by a proof instead of an id. A bound key is refused once the proof has shown its user. */
const PROVEN = 'POST /v1/auth/webauthn/verify';

describe('an id that a key may not see', () => {
  const cases = routes.flatMap((route) => STRANGERS.map((by) => [route.name, by, route] as const));
  it.each<readonly [string, Stranger, (typeof routes)[number]]>(tenth(cases))(
    'at %s with a key %s is treated as an unknown id',
    async (name, by, route) => {
      const foreign = await call(route, real, keys[by]);
      const ofUnknownId = await call(route, unknown, keys[by]);
      if (!foreign || !ofUnknownId) return expect([foreign, ofUnknownId]).toEqual([null, null]);
      const isBound = by !== 'of another app';
      if (isBound && name === PROVEN) return expect(foreign.body.error_type).toBe('outside_binding');
      expect(withoutRequestId(foreign)).toEqual(withoutRequestId(ofUnknownId));
      // A list or search over them is empty; every other endpoint refuses.
      if (/\/(list|search|events)$/.test(route.path) && foreign.status === 200)
        expect(foreign.text).not.toContain(real['user_id']);
      else if (isBound && foreign.status === 403)
        expect(['outside_binding', 'wrong_key_kind', 'wallet_not_owned_by_user']).toContain(foreign.body.error_type);
      else if (WRONG_PROOFS[route.path]) expect(foreign.body.error_type).toBe(WRONG_PROOFS[route.path]);
      else expect([401, 404]).toContain(foreign.status);
    },
  );

  it.each(STRANGERS)('is in no list without a filter that a key %s reads', async (by) => {
    const lists = ['GET /v1/wallets/list', 'GET /v1/transfers/list', 'GET /v1/events', 'POST /v1/auth/users/search'];
    for (const name of lists) {
      const [method, path] = name.split(' ') as [string, string];
      const { text } = await app.call(method, path, { key: keys[by], ...(method === 'POST' && { body: {} }) });
      for (const id of Object.values(real)) expect([name, text]).not.toEqual([name, expect.stringContaining(id)]);
    }
  });

  it('left everything as it was', async () => {
    const user = await app.call('GET', `/v1/auth/users/${real['user_id']}`, { key: owner.secretKey });
    expect(user.body).toMatchObject({
      first_name: '',
      active: true,
      emails: [{ id: real['email_id'] }],
      phone_numbers: [{ id: real['phone_number_id'] }],
    });
    expect(user.body.totps).toMatchObject([{ id: real['totp_id'], verified: false }]);
    expect(user.body.wallets.map(({ id }: { id: string }) => id)).toEqual([real['wallet_id']]);
    const session = await app.call('POST', '/v1/auth/sessions/verify', {
      key: owner.secretKey,
      body: { session_token: real['session_token'] },
    });
    expect(session.status).toBe(200);
    const connection = await app.call('GET', `/v1/auth/oauth_connections/${real['oauthconn_id']}`, {
      key: owner.secretKey,
    });
    expect(connection.body.client_id).toBe('c');
    const transfer = await app.call('GET', `/v1/transfers/${real['transfer_id']}`, { key: owner.secretKey });
    expect(transfer.body.status).toBe('unconfirmed');
    for (const path of ['/v1/auth/wallets/verify', '/v1/auth/wallets/siwe/verify']) {
      const proof = await app.call('POST', path, { key: owner.secretKey, body: BODIES[`POST ${path}`]!(real) });
      expect(proof.status).toBe(200);
    }
  });
});
