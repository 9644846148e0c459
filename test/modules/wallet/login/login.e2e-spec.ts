import { createKeyPairSignerFromPrivateKeyBytes, getBase58Decoder, signBytes } from '@solana/kit';
import { encodeBase58, type HDNodeWallet, Wallet as EthersWallet } from 'ethers';
import { randomBytes } from 'node:crypto';
import type { AppId, UserId } from '../../../../src/kernel/ids.js';
import { ProveAddress } from '../../../../src/modules/identity/index.js';
import { PostgresRetention } from '../../../../src/postgres/retention.js';
import { Anvil } from '../../../support/anvil.js';
import { ChainProxy } from '../../../support/chain-proxy.js';
import { type Answer, startApp, type TestApp } from '../../../support/app.js';
import { patiently } from '../../../support/eventually.js';
import { type GivenApp, unique } from '../../../support/given.js';
import { Observer, openConnections } from '../../../support/observer.js';
import { signIn, signedInAs } from '../../../support/sign-in.js';

type Fields = Readonly<Record<string, unknown>>;

/** A user's wallet, with its key and software: ethers, or Solana's own. */
interface Key {
  readonly wallet_type: 'ethereum' | 'solana';
  readonly public_address: string;
  sign(text: string): Promise<string>;
}

function ethereumKey(wallet: HDNodeWallet | EthersWallet = EthersWallet.createRandom()): Key {
  return { wallet_type: 'ethereum', public_address: wallet.address, sign: (text) => wallet.signMessage(text) };
}
async function solanaKey(): Promise<Key> {
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  return {
    wallet_type: 'solana',
    public_address: address,
    sign: async (text) => getBase58Decoder().decode(await signBytes(keyPair.privateKey, Buffer.from(text))),
  };
}

let anvil: Anvil;
let service: TestApp;
let replica: TestApp;
let observer: Observer;
let app: GivenApp;
let other: GivenApp;
beforeAll(async () => {
  anvil = await Anvil.start();
  const env = { DATABASE_POOL_SIZE: '30', ETHEREUM_RPC_URL: anvil.url, ETHEREUM_CHAIN_ID: String(anvil.chainId) };
  service = await startApp({ env });
  replica = await startApp({ databaseUrl: service.databaseUrl, env: { ...env, ROLE: 'api' } });
  for (const each of [service, replica]) await openConnections(each, 25);
  observer = await Observer.of(service);
  const settings = {
    default_wallet_type: 'none',
    allowed_origins: ['https://app.example.com', 'http://localhost:3000'],
  };
  app = await service.given.app(settings);
  other = await service.given.app(settings);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
  await anvil?.stop();
});

const post =
  (path: string) =>
  (body: Fields, { at = service, of = app }: { at?: TestApp; of?: GivenApp } = {}): Promise<Answer> =>
    patiently(() => at.call('POST', `/v1/auth/wallets/${path}`, { key: of.secretKey, body }));
const begin = post('registrations/begin');
const beginNonce = post('registrations/nonce');
const verify = post('verify');
const verifySiwe = post('siwe/verify');
const remove = (walletId: string, of = app) =>
  patiently(() => service.call('DELETE', `/v1/auth/users/wallets/${walletId}/delete`, { key: of.secretKey }));
const userOf = (userId: string) => service.call('GET', `/v1/auth/users/${userId}`, { key: app.secretKey });
const named = ({ wallet_type, public_address }: Key) => ({ wallet_type, public_address });
const refusal = ({ status, body }: Answer): [number, string] => [status, body.error_type];
const outcomes = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? '200' : `${status} ${body.error_type}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
};

/** A challenge for the key, and the body that answers it. */
async function answered(key: Key, fields: Fields = {}) {
  const { status, body } = await begin({ ...named(key), ...fields });
  expect(status).toBe(200);
  return { begun: body, proof: { ...named(key), signature: await key.sign(body.challenge) } };
}
/** Logs in for good. */
async function logIn(key: Key, fields: Fields = {}) {
  const { proof } = await answered(key);
  const { status, body } = await verify({ ...proof, ...fields });
  expect(status).toBe(200);
  return body;
}

describe('beginning a registration', () => {
  it('returns a challenge, and a user for the person who proves the address', async () => {
    const key = ethereumKey();
    const { body } = await begin(named(key));
    expect(body).toEqual({
      id: expect.stringMatching(/^walletrr_/),
      app_id: app.id,
      challenge: expect.stringContaining(key.public_address),
      user_id: expect.stringMatching(/^user_/),
      user_created: true,
      ...named(key),
      expires_at: body.created_at + 600,
      created_at: expect.any(Number),
      updated_at: body.created_at,
    });
    const again = (await begin(named(key))).body;
    expect([again.user_id, again.user_created]).toEqual([body.user_id, false]);
    expect(again.challenge).not.toBe(body.challenge);
  });

  it('answers a nonce of letters and digits, each time another', async () => {
    const key = await solanaKey();
    const { body } = await beginNonce({ ...named(key), wallet_type: 'SOL' });
    expect(body).toMatchObject({ nonce: expect.stringMatching(/^[A-Za-z0-9]{32}$/), ...named(key) });
    expect(body).not.toHaveProperty('challenge');
    expect((await beginNonce(named(key))).body.nonce).not.toBe(body.nonce);
  });

  it('keeps one account for an address, however many begin at once', async () => {
    const key = ethereumKey();
    const answers = await Promise.all(Array.from({ length: 24 }, () => begin(named(key))));
    expect(new Set(answers.map(({ body }) => body.user_id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.user_created)).toHaveLength(1);
  });

  it('takes an address in lower case for the same', async () => {
    const key = ethereumKey();
    const { body } = await begin({ ...named(key), public_address: key.public_address.toLowerCase() });
    expect(body.public_address).toBe(key.public_address);
  });

  it.each([
    ['ethereum', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756CC2'],
    ['ethereum', 'C02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
    ['ethereum', '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'],
    ['solana', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
    ['solana', encodeBase58(Buffer.alloc(31, 7))],
    ['solana', encodeBase58(Buffer.alloc(33, 7))],
    // Points for which signatures can be made without a key: of order 1, 2, 4 and 8, and one written otherwise.
    ['solana', encodeBase58(Buffer.from(`01${'00'.repeat(31)}`, 'hex'))],
    ['solana', encodeBase58(Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex'))],
    ['solana', '11111111111111111111111111111111'],
    ['solana', encodeBase58(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85', 'hex'))],
    ['solana', encodeBase58(Buffer.from(`ee${'ff'.repeat(31)}`, 'hex'))],
    ['solana', 'ä'.repeat(40)],
  ])('refuses as an address of %s: %s', async (wallet_type, public_address) => {
    expect(refusal(await begin({ wallet_type, public_address }))).toEqual([400, 'invalid_public_address']);
  });

  it('refuses an unknown user and a user of another app alike', async () => {
    const theirs = await service.given.user(other);
    for (const user_id of [theirs.user_id, 'user_00000000000000000000000000']) {
      expect(refusal(await begin({ ...named(ethereumKey()), user_id }))).toEqual([404, 'user_not_found']);
    }
  });
});

describe.each([
  ['ethereum', 'eth_wallet', () => Promise.resolve(ethereumKey())],
  ['solana', 'sol_wallet', solanaKey],
])('logging in with a wallet of %s', (wallet_type, delivery_channel, newKey) => {
  it('answers the wallet and a session with its factor; the next time the same wallet', async () => {
    const key = await newKey();
    const { begun, proof } = await answered(key);
    const { status, body } = await verify({ ...proof, session_expires_in: 60 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^wallet_/),
      app_id: app.id,
      user_id: begun.user_id,
      ...named(key),
      verified: true,
      is_default: false,
      is_read_only: true,
      is_imported: true,
    });
    const [factor] = body.session.factors;
    expect(factor).toEqual({
      type: 'wallet',
      delivery_channel,
      method: {
        method_id: body.id,
        method_type: 'wallet',
        wallet_id: body.id,
        wallet_type,
        wallet_public_address: key.public_address,
        last_verified_at: expect.any(Number),
      },
    });
    expect(body.session_token).toBe(body.session.session_token);
    const user = (await userOf(begun.user_id)).body;
    expect(user.wallets).toMatchObject([{ id: body.id, is_read_only: true }]);

    const second = await answered(key);
    expect([second.begun.user_id, second.begun.user_created]).toEqual([begun.user_id, false]);
    const joined = (await verify({ ...second.proof, session_token: body.session_token })).body;
    expect([joined.id, joined.session.id]).toEqual([body.id, body.session.id]);
    expect((await verify({ ...(await answered(key)).proof })).body).toMatchObject({ session: null, session_token: '' });
  });

  it('accepts any open challenge of the address, by its id or without, each once', async () => {
    const key = await newKey();
    const [first, second, third] = [await answered(key), await answered(key), await answered(key)];
    const { signature } = second.proof;
    expect((await verify(first.proof)).status).toBe(200);
    expect((await verify({ id: second.begun.id, signature })).status).toBe(200);
    expect((await verify({ public_address: key.public_address, signature: third.proof.signature })).status).toBe(200);
    for (const { proof } of [first, second, third])
      expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
  });

  it('refuses a signature by another key, on another text, of another address or app, or none', async () => {
    const [key, stranger] = [await newKey(), await newKey()];
    const { begun, proof } = await answered(key);
    const theirs = await answered(stranger);
    const tries: [Fields, GivenApp?][] = [
      [{ ...proof, signature: await stranger.sign(begun.challenge) }],
      [{ ...proof, signature: await key.sign(`${begun.challenge} `) }],
      [{ ...proof, signature: await key.sign(theirs.begun.challenge) }],
      [{ ...proof, signature: `${proof.signature.slice(0, -2)}${proof.signature.endsWith('11') ? '22' : '11'}` }],
      [{ ...proof, signature: proof.signature.slice(0, -2) }],
      [{ ...proof, signature: 'x' }],
      [{ ...proof, ...named(stranger) }],
      [{ ...proof, id: theirs.begun.id }],
      [{ id: theirs.begun.id, signature: proof.signature }],
      [proof, other],
      [{ id: begun.id, signature: proof.signature }, other],
    ];
    for (const [body, of] of tries)
      expect(refusal(await verify(body, { of }))).toEqual([400, 'invalid_wallet_signature']);
    const elsewhere = await verify({ ...proof, public_address: `${proof['public_address']}1` });
    expect(refusal(elsewhere)).toEqual([400, 'invalid_public_address']);
    expect((await verify(proof)).status).toBe(200);
  });
});

describe('a challenge', () => {
  it('stays open while other callers begin more for the address, which share a bounded number of challenges', async () => {
    const key = ethereumKey();
    const held = await answered(key);
    const strangers = await Promise.all(Array.from({ length: 40 }, () => service.given.user(app)));
    const more = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        begin({ ...named(key), ...(i % 2 && { user_id: strangers[i >> 1]!.user_id }) }),
      ),
    );
    expect(outcomes(more)).toEqual({ 200: 80 });
    for (const { body } of more) expect(body.expires_at).toBeGreaterThanOrEqual(held.begun.expires_at);
    const own = await service.given.user(app);
    const { session_token } = await signIn(service, app, own);
    const attached = await answered(key, own);
    for (const { user_id } of strangers) for (let i = 0; i < 2; i++) await begin({ ...named(key), user_id });
    expect((await verify({ ...attached.proof, session_token })).body.user_id).toBe(own.user_id);
    expect((await verify(held.proof)).status).toBe(200);
    const [open] = await observer.rows<{ count: number }>(
      'select count(*)::int from wallet_registrations where public_address = $1 and not attaches',
      [key.public_address],
    );
    expect(open!.count).toBeLessThanOrEqual(33);
  });

  it('is spent once, however many verify it at once on two replicas', async () => {
    for (const key of [ethereumKey(), await solanaKey()]) {
      const { proof } = await answered(key);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          verify({ ...proof, session_expires_in: 60 }, { at: i % 2 === 0 ? service : replica }),
        ),
      );
      expect(outcomes(answers)).toEqual({ 200: 1, '400 invalid_wallet_signature': 49 });
      const [counts] = await observer.rows<{ wallets: number; sessions: number }>(
        `select (select count(*)::int from wallets where public_address = $1) as wallets,
                (select count(*)::int from sessions where app_id = $2 and factors::text like '%' || $1 || '%') as sessions`,
        [key.public_address, app.id],
      );
      expect(counts).toEqual({ wallets: 1, sessions: 1 });
    }
  });

  it('makes one wallet and one user, however many first logins there are at once', async () => {
    const key = ethereumKey();
    const challenges = await Promise.all(Array.from({ length: 24 }, () => answered(key)));
    const answers = await Promise.all(
      challenges.map(({ proof }, i) => verify(proof, { at: i % 2 === 0 ? service : replica })),
    );
    expect(outcomes(answers)).toEqual({ 200: 24 });
    expect(new Set(answers.map(({ body }) => `${body.id} ${body.user_id}`)).size).toBe(1);
  });

  it('is over after ten minutes of the database', async () => {
    const { begun, proof } = await answered(ethereumKey());
    await observer.rows(`update wallet_registrations set expires_at = now() where id = $1`, [begun.id]);
    expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
  });

  it('is not spent by what is wrong with the session', async () => {
    const key = ethereumKey();
    const { proof } = await answered(key);
    const { session_token } = await signIn(service, app, await service.given.user(app));
    for (const session of [{ session_token }, { session_token: 'x'.repeat(48) }, { session_jwt: 'x' }])
      expect(refusal(await verify({ ...proof, ...session }))).toEqual([401, 'invalid_session']);
    expect((await verify({ ...proof, session_expires_in: 1 })).status).toBe(400);
    expect((await verify(proof)).status).toBe(200);
  });

  it('does not let in a deactivated user, and is not spent by that', async () => {
    const key = ethereumKey();
    const { user_id } = await logIn(key);
    const { proof } = await answered(key);
    const change = (to: string) =>
      service.call('POST', `/management/v1/apps/${app.id}/users/${user_id}/${to}`, { key: service.managementKey });
    await change('deactivate');
    expect(refusal(await verify(proof))).toEqual([403, 'user_inactive']);
    expect(refusal(await begin(named(key)))).toEqual([403, 'user_inactive']);
    await change('reactivate');
    expect((await verify(proof)).status).toBe(200);
  });

  it('is forgotten an hour after its end', async () => {
    const { begun } = await answered(ethereumKey());
    const open = await answered(ethereumKey());
    await observer.rows(`update wallet_registrations set expires_at = now() - interval '61 minutes' where id = $1`, [
      begun.id,
    ]);
    await service.nest.get(PostgresRetention, { strict: false }).removeAll();
    const left = await observer.rows<{ id: string }>(`select id from wallet_registrations where id = any($1)`, [
      [begun.id, open.begun.id],
    ]);
    expect(left).toEqual([{ id: open.begun.id }]);
  });
});

describe('whose a proved address is', () => {
  it('belongs to the user that the app names, and to no other user after that', async () => {
    const key = ethereumKey();
    const { user_id } = await service.given.user(app);
    const { begun, proof } = await answered(key, { user_id });
    expect([begun.user_id, begun.user_created]).toEqual([user_id, false]);
    expect(begun.challenge).toContain(user_id);
    expect((await verify(proof)).body.user_id).toBe(user_id);
    expect((await logIn(key)).user_id).toBe(user_id);
    const another = await service.given.user(app);
    expect(refusal(await begin({ ...named(key), user_id: another.user_id }))).toEqual([409, 'duplicate_wallet']);
    const own = await answered(key, { user_id });
    expect((await verify(own.proof)).status).toBe(200);
  });

  it('belongs to no user who signs in with 100 wallets, and the challenge stays open', async () => {
    const { user_id } = await service.given.user(app);
    await verify((await answered(ethereumKey(), { user_id })).proof);
    await observer.rows(
      `insert into wallets (app_id, id, user_id, wallet_type, public_address, verified, is_default, is_read_only, is_imported)
       select app_id, id || n, user_id, wallet_type, public_address || n, verified, is_default, is_read_only, is_imported
         from wallets, generate_series(1, 99) n where user_id = $1`,
      [user_id],
    );
    const { proof } = await answered(ethereumKey(), { user_id });
    expect(refusal(await verify(proof))).toEqual([409, 'too_many_wallets']);
    await observer.rows(`update wallets set deleted_at = now() where user_id = $1 and public_address like '%99'`, [
      user_id,
    ]);
    expect((await verify(proof)).status).toBe(200);
  });

  it('goes to the first who proves it, when several users are to get it', async () => {
    const key = ethereumKey();
    const users = await Promise.all(Array.from({ length: 20 }, () => service.given.user(app)));
    const challenges = await Promise.all(users.map(({ user_id }) => answered(key, { user_id })));
    const answers = await Promise.all(
      challenges.map(({ begun, proof }, i) =>
        verify({ id: begun.id, signature: proof.signature }, { at: i % 2 === 0 ? service : replica }),
      ),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '409 duplicate_wallet': 19 });
  });

  it('gives no rights to its initiator: there is no wallet before the proof, and an account in use does not pass', async () => {
    const key = ethereumKey();
    const { body: begun } = await begin(named(key));
    expect((await userOf(begun.user_id)).body.wallets).toEqual([]);
    const squatter = await signIn(service, app, begun);
    expect((await begin(named(key))).body.user_id).not.toBe(begun.user_id);
    const body = await logIn(key);
    expect(body.user_id).not.toBe(begun.user_id);
    const session = await service.call('POST', '/v1/auth/sessions/verify', {
      key: app.secretKey,
      body: { session_token: squatter.session_token },
    });
    expect(session.body.session.user_id).toBe(begun.user_id);
  });

  it('gives a new user a managed wallet, but not before the proof', async () => {
    const of = await service.given.app({ allowed_origins: ['https://app.example.com'] });
    const key = ethereumKey();
    const walletsOf = async (userId: string): Promise<{ is_read_only: boolean }[]> =>
      (await service.call('GET', `/v1/auth/users/${userId}`, { key: of.secretKey })).body.wallets;
    const { body: begun } = await begin(named(key), { of });
    expect(await walletsOf(begun.user_id)).toEqual([]);
    const { body } = await verify({ id: begun.id, signature: await key.sign(begun.challenge) }, { of });
    expect(body.user_id).toBe(begun.user_id);
    const wallets = await walletsOf(body.user_id);
    expect(new Set(wallets.map(({ is_read_only }) => is_read_only))).toEqual(new Set([false, true]));
  });

  it('keeps no deactivated account', async () => {
    const key = ethereumKey();
    const { begun, proof } = await answered(key);
    await service.call('POST', `/management/v1/apps/${app.id}/users/${begun.user_id}/deactivate`, {
      key: service.managementKey,
    });
    expect((await begin(named(key))).body.user_id).not.toBe(begun.user_id);
    const { status, body } = await verify(proof);
    expect([status, body.user_id === begun.user_id]).toEqual([200, false]);
  });

  it('does not take an account that another person has proved meanwhile (pre-hijacking)', async () => {
    const key = ethereumKey();
    const { body: begun } = await begin(named(key));
    const squatter = ethereumKey();
    await verify((await answered(squatter, { user_id: begun.user_id })).proof);
    const body = await logIn(key);
    expect(body.user_id).not.toBe(begun.user_id);
    expect((await userOf(begun.user_id)).body.wallets).toMatchObject([{ public_address: squatter.public_address }]);
  });

  it('stays with who is signed in to the account kept for it', async () => {
    const key = ethereumKey();
    const { begun, proof } = await answered(key);
    const { session_token } = await signIn(service, app, begun);
    const { status, body } = await verify({ ...proof, session_token });
    expect([status, body.user_id, body.session.factors.length]).toEqual([200, begun.user_id, 2]);
  });

  it('is a new user when the account kept for it is gone', async () => {
    const key = ethereumKey();
    const { begun, proof } = await answered(key);
    await service.call('DELETE', `/v1/auth/users/${begun.user_id}/delete`, { key: app.secretKey });
    const { status, body } = await verify(proof);
    expect([status, body.user_id === begun.user_id]).toEqual([200, false]);
    expect((await begin(named(key))).body.user_id).toBe(body.user_id);
  });

  it('is not the account of a user deleted since, for whom the app began', async () => {
    const { user_id } = await service.given.user(app);
    const { proof } = await answered(ethereumKey(), { user_id });
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
  });

  it('is free again when its user is deleted', async () => {
    const key = ethereumKey();
    const { user_id } = await logIn(key);
    await service.call('DELETE', `/v1/auth/users/${user_id}/delete`, { key: app.secretKey });
    expect((await logIn(key)).user_id).not.toBe(user_id);
  });

  it('is not attached to an account that passed to another person since it was begun (CVE-2026-53516)', async () => {
    const email = `${unique()}@example.com`;
    const { user_id } = await service.given.user(app, { email });
    const { proof } = await answered(ethereumKey(), { user_id });
    const owner = await service.nest.get(ProveAddress).email(app.id as AppId, email);
    expect(owner.userId).toBe(user_id as UserId);
    expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
  });

  it('is one thing in one app and another in another', async () => {
    const key = ethereumKey();
    const here = await logIn(key);
    const there = await begin(named(key), { of: other });
    expect([there.body.user_created, there.body.user_id === here.user_id]).toEqual([true, false]);
    const { challenge } = there.body;
    const proof = { ...named(key), signature: await key.sign(challenge) };
    expect((await verify(proof, { of: other })).body.user_id).toBe(there.body.user_id);
  });

  it.each([
    ['sign_message', { message: 'x' }],
    ['sign_transaction', { eth_transaction: { to: null, data: '0x' } }],
  ])('gives the service nothing to sign with by %s', async (operation, body) => {
    const wallet = await logIn(ethereumKey());
    const signed = await service.call('POST', `/v1/wallets/${wallet.id}/${operation}`, { key: app.secretKey, body });
    expect(refusal(signed)).toEqual([409, 'wallet_read_only']);
  });
});

describe('deleting a wallet', () => {
  it('takes a login wallet from its user and frees the address', async () => {
    const key = ethereumKey();
    const email = `${unique()}@example.com`;
    const { user_id } = await service.given.user(app, { email });
    const { body: wallet } = await verify((await answered(key, { user_id })).proof);
    // An unverified address is no sign-in method: a stranger may prove it.
    expect(refusal(await remove(wallet.id))).toEqual([409, 'last_way_to_sign_in']);
    const proof = service.nest.get(ProveAddress, { strict: false });
    await proof.email(app.id as AppId, email, signedInAs(user_id));
    expect((await remove(wallet.id)).body).toEqual({ user_id, message: expect.any(String) });
    expect((await userOf(user_id)).body.wallets).toEqual([]);
    expect(refusal(await remove(wallet.id))).toEqual([404, 'wallet_not_found']);
    expect((await logIn(key)).user_id).not.toBe(user_id);
  });

  it('leaves the last sign-in method', async () => {
    const wallet = await logIn(ethereumKey());
    expect(refusal(await remove(wallet.id))).toEqual([409, 'last_way_to_sign_in']);
    const second = ethereumKey();
    const { body } = await verify((await answered(second, { user_id: wallet.user_id })).proof);
    const answers = await Promise.all([wallet.id, body.id].map((id) => remove(id)));
    expect(outcomes(answers)).toEqual({ 200: 1, '409 last_way_to_sign_in': 1 });
  });

  it('refuses a wallet with a key in the service, of another app, or unknown', async () => {
    const { user_id } = await service.given.user(app);
    const created = await service.call('POST', '/v1/wallets/create', {
      key: app.secretKey,
      body: { user_id, wallet_type: 'ethereum' },
    });
    expect(refusal(await remove(created.body.id))).toEqual([409, 'wallet_is_managed']);
    const theirs = await logIn(ethereumKey());
    expect(refusal(await remove(theirs.id, other))).toEqual([404, 'wallet_not_found']);
    expect(refusal(await remove('wallet_00000000000000000000000000'))).toEqual([404, 'wallet_not_found']);
  });
});

interface Line {
  readonly [name: string]: string | undefined;
}
/** A text of EIP-4361 or its Solana sister, as a site would write it. */
function signInText(key: Key, nonce: string, changes: Line = {}): string {
  const chain = key.wallet_type === 'ethereum' ? 'Ethereum' : 'Solana';
  const { domain = 'app.example.com', address = key.public_address, ...lines } = changes;
  const all: Line = {
    URI: 'https://app.example.com/login',
    Version: '1',
    'Chain ID': chain === 'Ethereum' ? String(anvil.chainId) : 'mainnet',
    Nonce: nonce,
    'Issued At': new Date().toISOString(),
    ...lines,
  };
  const written = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [
    `${domain} wants you to sign in with your ${chain} account:`,
    address,
    '',
    'Welcome back.',
    '',
    ...written,
  ].join('\n');
}
async function signedText(key: Key, changes: Line = {}, fields: Fields = {}) {
  const { status, body } = await beginNonce({ ...named(key), ...fields });
  expect(status).toBe(200);
  const siwe_challenge = signInText(key, body.nonce, changes);
  return { begun: body, proof: { siwe_challenge, signature: await key.sign(siwe_challenge) } };
}
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

describe('a sign-in text', () => {
  it('logs in like a challenge, for both chains', async () => {
    for (const key of [ethereumKey(), await solanaKey()]) {
      const { begun, proof } = await signedText(key);
      const { status, body } = await verifySiwe({ ...proof, session_expires_in: 60 });
      expect([status, body.user_id, body.is_read_only]).toEqual([200, begun.user_id, true]);
      expect(body.session.factors[0].method.wallet_id).toBe(body.id);
      expect(refusal(await verifySiwe(proof))).toEqual([400, 'invalid_wallet_signature']);
      const again = await signedText(key, {}, { user_id: begun.user_id });
      expect((await verifySiwe({ ...again.proof, ...named(key), id: again.begun.id })).body.id).toBe(body.id);
    }
  });

  it('is accepted once, however many verify it at once on two replicas', async () => {
    const { proof } = await signedText(ethereumKey());
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => verifySiwe(proof, { at: i % 2 === 0 ? service : replica })),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '400 invalid_wallet_signature': 49 });
  });

  it.each<[string, () => Line]>([
    ['another domain', () => ({ domain: 'evil.example.com' })],
    ['a domain that ends like it', () => ({ domain: 'evilapp.example.com' })],
    ['a domain below it', () => ({ domain: 'x.app.example.com' })],
    ['a domain above it', () => ({ domain: 'example.com' })],
    ['a longer domain', () => ({ domain: 'app.example.com.evil.org' })],
    ['the domain with user information', () => ({ domain: 'app.example.com@evil.org' })],
    ['the domain with another port', () => ({ domain: 'app.example.com:8443' })],
    ['another scheme', () => ({ domain: 'http://app.example.com' })],
    ['the chain with a leading zero', () => ({ 'Chain ID': `0${anvil.chainId}` })],
    ['its end in the past', () => ({ 'Expiration Time': inMinutes(-0.1) })],
    ['its beginning in the future', () => ({ 'Not Before': inMinutes(1) })],
    ['a time of issue in the future', () => ({ 'Issued At': inMinutes(6) })],
    ['a time of issue before its nonce', () => ({ 'Issued At': inMinutes(-6) })],
    ['no time of issue', () => ({ 'Issued At': undefined })],
    ['another version', () => ({ Version: '2' })],
  ])('is refused with %s, and its nonce stays good', async (_, change) => {
    const key = ethereumKey();
    const { begun, proof } = await signedText(key, change());
    expect(refusal(await verifySiwe(proof))).toEqual([400, 'invalid_siwe_challenge']);
    const text = signInText(key, begun.nonce);
    expect((await verifySiwe({ siwe_challenge: text, signature: await key.sign(text) })).status).toBe(200);
  });

  it('is refused with a network that the app may not use', async () => {
    const { proof } = await signedText(ethereumKey(), { 'Chain ID': '1' });
    expect(refusal(await verifySiwe(proof))).toEqual([400, 'network_not_enabled']);
  });

  it.each<[string, () => Line]>([
    ['the scheme of the origin', () => ({ domain: 'https://app.example.com' })],
    ['an origin with a port', () => ({ domain: 'localhost:3000' })],
    ['a device whose clock is four minutes off', () => ({ 'Issued At': inMinutes(4) })],
    ['times that hold', () => ({ 'Expiration Time': inMinutes(1), 'Not Before': inMinutes(-1) })],
  ])('is accepted with %s', async (_, change) => {
    expect((await verifySiwe((await signedText(ethereumKey(), change())).proof)).status).toBe(200);
  });

  it('is refused without the checksum of its address', async () => {
    // One of 4,000 random addresses has no capital letter.
    const key = ethereumKey(new EthersWallet(`0x${'17'.repeat(32)}`));
    expect(key.public_address).toMatch(/[A-F]/);
    const { proof } = await signedText(key, { address: key.public_address.toLowerCase() });
    const answer = await verifySiwe(proof);
    expect(answer.body.detail).toMatch(/checksum/);
    expect(refusal(answer)).toEqual([400, 'invalid_siwe_challenge']);
  });

  it('is refused where the request names another wallet, or another registration', async () => {
    const [key, stranger] = [ethereumKey(), ethereumKey()];
    const { begun, proof } = await signedText(key);
    const theirs = await signedText(stranger);
    expect(refusal(await verifySiwe({ ...proof, ...named(stranger) }))).toEqual([400, 'invalid_siwe_challenge']);
    expect(refusal(await verifySiwe({ ...proof, id: theirs.begun.id }))).toEqual([400, 'invalid_wallet_signature']);
    expect((await verifySiwe({ ...proof, id: begun.id, ...named(key) })).status).toBe(200);
  });

  it('is refused with a nonce of another address, of a challenge, of another app, or made up', async () => {
    const [key, stranger] = [ethereumKey(), ethereumKey()];
    const challenge = (await begin(named(key))).body.challenge as string;
    const nonces = [
      (await beginNonce(named(stranger))).body.nonce,
      /Nonce: (\w+)/.exec(challenge)![1]!,
      (await beginNonce(named(key), { of: other })).body.nonce,
      'A'.repeat(32),
    ];
    for (const nonce of nonces) {
      const siwe_challenge = signInText(key, nonce);
      const signature = await key.sign(siwe_challenge);
      expect(refusal(await verifySiwe({ siwe_challenge, signature }))).toEqual([400, 'invalid_wallet_signature']);
    }
  });

  it('is refused when another signed it, or it was altered after signing', async () => {
    const [key, stranger] = [ethereumKey(), ethereumKey()];
    const { proof } = await signedText(key);
    const { siwe_challenge } = proof;
    const bodies = [
      { siwe_challenge, signature: await stranger.sign(siwe_challenge) },
      { ...proof, siwe_challenge: siwe_challenge.replace('Welcome', 'Send all') },
    ];
    for (const body of bodies) expect(refusal(await verifySiwe(body))).toEqual([400, 'invalid_wallet_signature']);
  });

  it('beside a local chain may name that chain or the configured one, which is 1 by default', async () => {
    const at = await startApp({ databaseUrl: service.databaseUrl, localChain: anvil, env: { ROLE: 'api' } });
    const statusFor = async (chainId: string) => {
      const { proof } = await signedText(ethereumKey(), { 'Chain ID': chainId });
      return (await verifySiwe(proof, { at })).status;
    };
    try {
      expect([await statusFor('1'), await statusFor(String(anvil.chainId)), await statusFor('10')]).toEqual([
        200, 200, 400,
      ]);
    } finally {
      await at.stop();
    }
  });

  it('answers no challenge', async () => {
    const key = ethereumKey();
    const { body } = await beginNonce(named(key));
    const text = signInText(key, body.nonce);
    const proof = { id: body.id, signature: await key.sign(text) };
    expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
  });
});

describe('a wallet that is a contract (EIP-1271)', () => {
  /** A contract that accepts what its owner signed: isValidSignature(hash, signature), assembled by hand. */
  function contractOf(owner: string): string {
    const runtime = [
      '600435600052', // memory[0] = hash
      '60a43560f81c602052', // memory[32] = v
      '606435604052', // memory[64] = r
      '608435606052', // memory[96] = s
      '6020608060806000', // 32 bytes at 128 for the answer to 128 bytes
      '60015afa50', // of ecrecover
      `60805173${owner.slice(2)}14`, // is it the owner?
      `7f1626ba7e${'00'.repeat(28)}02`, // then the magic value, else zero
      '60005260206000f3',
    ].join('');
    const length = (runtime.length / 2).toString(16).padStart(4, '0');
    return `0x61${length}600e60003961${length}6000f3${runtime}`;
  }
  async function deployed(owner: Key): Promise<Key> {
    const sent = await anvil.rich().sendTransaction({ data: contractOf(owner.public_address) });
    const receipt = await sent.wait();
    return { ...owner, public_address: receipt!.contractAddress! };
  }

  it('logs in with what the contract accepts, by challenge and by sign-in text', async () => {
    const key = await deployed(ethereumKey());
    const first = await answered(key);
    const second = await answered(key);
    const { body } = await verify({ ...first.proof, session_expires_in: 60 });
    expect(body).toMatchObject({ ...named(key), is_read_only: true });
    expect((await verify(second.proof)).body.id).toBe(body.id);
    expect((await verifySiwe((await signedText(key)).proof)).body.id).toBe(body.id);
  });

  it('logs in through a node that wants a password', async () => {
    const url = new URL(anvil.url);
    url.username = 'service';
    url.password = 'p%3A w'; // as it stands in a URL
    const at = await startApp({
      databaseUrl: service.databaseUrl,
      env: { ETHEREUM_RPC_URL: url.href, ETHEREUM_CHAIN_ID: '31337', ROLE: 'api' },
    });
    try {
      const { proof } = await answered(await deployed(ethereumKey()));
      expect((await verify(proof, { at })).status).toBe(200);
    } finally {
      await at.stop();
    }
  });

  it('is refused what the contract refuses', async () => {
    const key = await deployed(ethereumKey());
    const { begun, proof } = await answered(key);
    const forged = await ethereumKey().sign(begun.challenge);
    for (const signature of [forged, '0x', '0x00', `0x${'11'.repeat(500)}`])
      expect(refusal(await verify({ ...proof, signature }))).toEqual([400, 'invalid_wallet_signature']);
  });

  it.each([
    ['reverts', '0x60006000fd'],
    ['halts at an invalid opcode', '0xfe'],
    ['halts at an opcode that is none', '0x0c'],
    ['underflows its stack', '0x01'],
    ['jumps nowhere', '0x60ff56'],
    ['runs until its gas is used up', '0x5b600056'],
    ['changes state, which a view must not', '0x60015f55'],
    ['returns nothing', '0x00'],
    ['returns one byte', '0x60016000f3'],
    ['returns another word', '0x60206000f3'],
    ['returns more than is read', '0x620f42406000f3'],
  ])('is the caller’s wrong signature where the contract %s', async (_, code) => {
    const key = ethereumKey();
    const { proof } = await answered(key);
    await anvil.call('anvil_setCode', key.public_address, code);
    const signature = await ethereumKey().sign('something else');
    expect(refusal(await verify({ ...proof, signature }))).toEqual([400, 'invalid_wallet_signature']);
    // The account's own key still logs in.
    expect((await verify(proof)).status).toBe(200);
  });

  it('is not judged by a node that is behind: it answers in the same form', async () => {
    const proxy = await ChainProxy.start(anvil.url);
    const env = { ETHEREUM_RPC_URL: proxy.url, ETHEREUM_CHAIN_ID: '31337', ROLE: 'api' };
    const at = await startApp({ databaseUrl: service.databaseUrl, env });
    try {
      const { proof } = await answered(await deployed(ethereumKey()));
      proxy.fault = () => 'limited';
      expect(refusal(await verify(proof, { at }))).toEqual([503, 'ethereum_node_unavailable']);
      proxy.fault = () => null;
      expect((await verify(proof, { at })).status).toBe(200);
    } finally {
      await at.stop();
      await proxy.stop();
    }
  });

  it('is none where there is no code, nor at the precompiled contract that repeats what it is asked', async () => {
    const identity = '0x0000000000000000000000000000000000000004';
    const nobody = ethereumKey().public_address;
    for (const public_address of [identity, nobody]) {
      const { proof } = await answered({ ...ethereumKey(), public_address });
      expect(refusal(await verify(proof))).toEqual([400, 'invalid_wallet_signature']);
    }
  });

  it('needs a node: while it is unavailable nothing is spent, and other wallets log in', async () => {
    const env = { ETHEREUM_RPC_URL: 'http://127.0.0.1:9', ROLE: 'api' };
    const cutOff = await startApp({ databaseUrl: service.databaseUrl, env });
    try {
      const key = await deployed(ethereumKey());
      const { proof } = await answered(key);
      const away = await verify(proof, { at: cutOff });
      expect(refusal(away)).toEqual([503, 'ethereum_node_unavailable']);
      expect(away.headers.get('retry-after')).toBe('5');
      expect((await verify((await answered(ethereumKey())).proof, { at: cutOff })).status).toBe(200);
      expect((await verify(proof)).status).toBe(200);
    } finally {
      await cutOff.stop();
    }
  });
});
