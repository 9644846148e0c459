import { randomBytes } from 'node:crypto';
import { newId } from '../../../src/kernel/ids.js';
import { ProveAddress } from '../../../src/modules/identity/index.js';
import type { AppId, EmailId } from '../../../src/kernel/ids.js';
import { startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import { unique } from '../../support/given.js';
import { Observer, openConnections } from '../../support/observer.js';
import { passcode, signedInAs, signIn } from '../../support/sign-in.js';
import type { Deviation } from '../../support/virtual-authenticator.js';
import { outcomes, PasskeyApp, refusal } from './passkeys.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let replica: TestApp;
let observer: Observer;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp({ env: { DATABASE_POOL_SIZE: '30' } });
  replica = await startApp({ databaseUrl: service.databaseUrl, env: { DATABASE_POOL_SIZE: '30', ROLE: 'api' } });
  observer = await Observer.of(service);
  for (const each of [service, replica]) await openConnections(each, 25);
  acme = await PasskeyApp.of(service);
});
afterAll(async () => {
  await observer?.close();
  await replica?.stop();
  await service?.stop();
});

const INVALID = [400, 'invalid_webauthn_credential'];
const STEP_UP = [401, 'step_up_required'];
const profile = async (userId: string, of = acme) =>
  (await service.call('GET', `/v1/auth/users/${userId}`, { key: of.app.secretKey })).body;
/** A session of the user whose only factor was proved long ago. */
const grownOld = async (userId: string, age: string) => {
  await observer.rows(
    `update sessions set factors = (
       select jsonb_object_agg(key, jsonb_set(value, '{method,last_verified_at}', to_jsonb(floor(extract(epoch from now() - $2::interval))::bigint)))
         from jsonb_each(factors))
      where user_id = $1`,
    [userId, age],
  );
  await signRows(service, 'sessions');
};

describe('the start of a registration', () => {
  it('answers options for the browser', async () => {
    const email = `${unique()}@example.com`;
    const userId = await acme.user({ email, first_name: 'Ann', last_name: 'Lee' });
    const { status, body, headers } = await acme.beginRegistration(userId, {
      domain: 'example.com',
      authenticator_type: 'cross-platform',
    });
    expect([status, headers.get('x-api-stability')]).toEqual([200, 'beta']);
    expect(body).toEqual({
      user_id: userId,
      public_key_credential_creation_options: {
        rp: { id: 'example.com', name: 'Acme' },
        user: { id: Buffer.from(userId).toString('base64url'), name: email, displayName: 'Ann Lee' },
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: {
          authenticatorAttachment: 'cross-platform',
          residentKey: 'preferred',
          requireResidentKey: false,
          userVerification: 'required',
        },
        attestation: 'none',
      },
    });
  });

  it('excludes the passkeys of the user', async () => {
    const { userId, authenticator } = await acme.holder();
    const { body } = await acme.beginRegistration(userId);
    expect(body.public_key_credential_creation_options.excludeCredentials).toEqual([
      {
        type: 'public-key',
        id: authenticator.credentialId.toString('base64url'),
        transports: ['hybrid', 'internal'],
      },
    ]);
  });

  it('refuses an unknown user and another domain', async () => {
    expect(refusal(await acme.beginRegistration(newId('user')))).toEqual([404, 'user_not_found']);
    const { status, body } = await acme.beginRegistration(await acme.user(), { domain: 'login.example.com' });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ field: 'domain', rule: 'rp_id' })]]);
  });

  it('stores no challenge as plaintext', async () => {
    const userId = await acme.user();
    const { challenge } = (await acme.beginRegistration(userId)).body.public_key_credential_creation_options;
    const [row] = await observer.rows<{ text: string }>(
      'select c::text as text from webauthn_challenges c where user_id = $1',
      [userId],
    );
    expect(row!.text).not.toContain(challenge);
    expect(row!.text).not.toContain(Buffer.from(challenge, 'base64url').toString('hex'));
  });
});

describe('a new passkey', () => {
  it('is listed with the user, by its name', async () => {
    const userId = await acme.user();
    const credential = await acme.attestation(userId);
    const { status, body } = await acme.createRegistration(userId, credential, {
      name: 'Phone',
      session_expires_in: 60,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ user_id: userId, session: { factors: [{ type: 'webauthn' }] } });
    const passkey = {
      id: body.webauthn_credential_id,
      name: 'Phone',
      transports: ['hybrid', 'internal'],
      backed_up: true,
      created_at: expect.any(Number),
      last_used_at: 0,
    };
    expect(passkey.id).toMatch(/^webauthn_[0-9a-z]{26}$/);
    expect((await acme.passkeysOf(userId)).body).toEqual({ webauthn_credentials: [passkey] });
    expect((await profile(userId)).webauthn_credentials).toEqual([passkey]);
    expect(await observer.events(acme.app.id, userId)).toContain('webauthn_credential.created');
  });

  it('may be signed by itself', async () => {
    const userId = await acme.user();
    const credential = await acme.attestation(userId, acme.authenticator(), { attestation: 'self' });
    expect((await acme.createRegistration(userId, credential)).status).toBe(200);
  });

  it('may have a certificate that was not asked for, which is not read', async () => {
    const userId = await acme.user();
    const credential = await acme.attestation(userId, acme.authenticator(), { attestation: 'certificate' });
    const { status, body } = await acme.createRegistration(userId, credential);
    expect([status, body.user_id]).toEqual([200, userId]);
  });

  it('may be signed in a format that the service does not know', async () => {
    const holder = await acme.holder(undefined, undefined, { attestation: 'unknown' });
    expect((await acme.verify(await acme.assertion(holder))).body.user_id).toBe(holder.userId);
  });

  const b64 = (text: string) => Buffer.from(text).toString('base64url');
  const rsa = (n: Buffer, e: Buffer): Deviation['key'] => [
    [1, 3],
    [3, -257],
    [-1, Buffer.concat([Buffer.from([0xff]), n.subarray(1)])],
    [-2, e],
  ];
  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['of another type', { type: 'webauthn.get' }],
    ['without verification of the user', { isUserVerified: false }],
    ['with two ids', { rawId: b64('another') }],
    ['with another id than the signed one', { id: b64('another'), rawId: b64('another') }],
    ['in a frame of another origin', { clientData: { crossOrigin: true } }],
    ['with a point that is not on its curve', { key: [[-3, Buffer.alloc(32, 1)]] }],
    ['with a curve of another algorithm', { key: [[-1, 2]] }],
    ['with an algorithm of another kind of key', { key: [[3, -257]] }],
    ['with an algorithm that its key cannot check', { key: [[3, -8]] }],
    ['with an RSA key that is too short', { key: rsa(randomBytes(64), Buffer.from([1, 0, 1])) }],
    ['with an RSA key that everybody can sign for', { key: rsa(randomBytes(256), Buffer.from([1])) }],
  ])('%s is refused, and spends nothing', async (_, deviation) => {
    const userId = await acme.user();
    const options = (await acme.beginRegistration(userId)).body.public_key_credential_creation_options;
    const authenticator = acme.authenticator();
    expect(refusal(await acme.createRegistration(userId, authenticator.create(options, deviation)))).toEqual(INVALID);
    expect((await acme.createRegistration(userId, authenticator.create(options))).status).toBe(200);
  });

  it.each([[[3]], [[1, 0, 3]]])(
    'with an RSA key whose exponent has the bytes %j is refused, and the refusal says which one is accepted',
    async (e) => {
      const userId = await acme.user();
      const key = rsa(randomBytes(256), Buffer.from(e));
      const answer = await acme.createRegistration(
        userId,
        await acme.attestation(userId, acme.authenticator(), { key }),
      );
      expect(refusal(answer)).toEqual(INVALID);
      expect(answer.body.detail).toContain('65537');
    },
  );

  it('needs a challenge of its user and of a registration', async () => {
    const [ann, ben] = [await acme.user(), await acme.user()];
    const credential = await acme.attestation(ann);
    expect(refusal(await acme.createRegistration(ben, credential))).toEqual(INVALID);
    const login = (await acme.beginAuthentication(ann)).body.public_key_credential_request_options;
    const rp = { id: login.rpId };
    const forLogin = acme.authenticator().create({ rp, challenge: login.challenge, user: { id: b64(ann) } });
    expect(refusal(await acme.createRegistration(ann, forLogin))).toEqual(INVALID);
  });

  it('belongs to one user of an app, and may be used in another app', async () => {
    const { authenticator } = await acme.holder();
    const userId = await acme.user();
    const again = await acme.attestation(userId, authenticator);
    expect(refusal(await acme.createRegistration(userId, again))).toEqual([409, 'duplicate_webauthn_credential']);
    const other = await PasskeyApp.of(service);
    expect((await other.holder(authenticator)).passkeyId).toMatch(/^webauthn_/);
  });

  it('is registered exactly once when 20 users register it at once', async () => {
    const authenticator = acme.authenticator();
    const attempts = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const userId = await acme.user();
        return { userId, credential: await acme.attestation(userId, authenticator) };
      }),
    );
    const answers = await Promise.all(
      attempts.map(({ userId, credential }, i) =>
        patiently(() =>
          acme.at(i % 2 ? service : replica).createRegistration(userId, credential, { session_expires_in: 60 }),
        ),
      ),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '409 duplicate_webauthn_credential': 19 });
  });

  it('is registered exactly once when 20 calls send the same answer at once', async () => {
    const holder = await acme.holder();
    const session_token = await acme.sessionOf(holder);
    const credential = await acme.attestation(holder.userId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patiently(() =>
          acme.at(i % 2 ? service : replica).createRegistration(holder.userId, credential, { session_token }),
        ),
      ),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '400 invalid_webauthn_credential': 19 });
    expect((await acme.passkeysOf(holder.userId)).body.webauthn_credentials).toHaveLength(2);
  });

  it('with the id of a decoy is refused like one with the id of a passkey, so they look alike', async () => {
    const login = (await acme.beginAuthentication(newId('user'))).body.public_key_credential_request_options;
    const credentialId = Buffer.from(login.allowCredentials[0].id, 'base64url');
    const userId = await acme.user();
    const credential = await acme.attestation(userId, acme.authenticator(), { credentialId });
    expect(refusal(await acme.createRegistration(userId, credential))).toEqual([409, 'duplicate_webauthn_credential']);
  });

  it('is refused when the user has 100', async () => {
    const holder = await acme.holder();
    await observer.rows(
      `insert into webauthn_credentials
       select app_id, id || n, user_id, credential_id || int4send(n), public_key, rp_id, name, transports, sign_count,
              is_backup_eligible, is_backed_up, suspicious_at, last_used_at, created_at
         from webauthn_credentials, generate_series(1, 99) n where user_id = $1`,
      [holder.userId],
    );
    const session_token = await acme.sessionOf(holder);
    const credential = await acme.attestation(holder.userId);
    const answer = await acme.createRegistration(holder.userId, credential, { session_token });
    expect(refusal(answer)).toEqual([409, 'too_many_webauthn_credentials']);
  });
});

describe('a further sign-in method', () => {
  it('needs a session of the user', async () => {
    const holder = await acme.holder();
    const credential = await acme.attestation(holder.userId);
    expect(refusal(await acme.createRegistration(holder.userId, credential))).toEqual(STEP_UP);
    const alone = await acme.createRegistration(holder.userId, credential, { session_expires_in: 60 });
    expect(refusal(alone)).toEqual(STEP_UP);
    const session_token = await acme.sessionOf(holder);
    const { status, body } = await acme.createRegistration(holder.userId, credential, { session_token });
    expect([status, body.session.factors.length]).toEqual([200, 2]);
    expect(await observer.events(acme.app.id, holder.userId)).toContain('factor.added');
  });

  it('needs a session also where the proved method is an email', async () => {
    const email = `${unique()}@example.com`;
    const proof = service.nest.get(ProveAddress, { strict: false });
    const { userId, contactId } = await proof.email(acme.app.id as AppId, email);
    const credential = await acme.attestation(userId);
    expect(refusal(await acme.createRegistration(userId, credential))).toEqual(STEP_UP);
    const factor = passcode(contactId as EmailId);
    const { session_jwt } = await signIn(service, acme.app, { user_id: userId }, undefined, { factor });
    expect((await acme.createRegistration(userId, credential, { session_jwt })).status).toBe(200);
  });

  it('needs a factor that was proved in the last 10 minutes', async () => {
    const holder = await acme.holder();
    const session_token = await acme.sessionOf(holder);
    const credential = await acme.attestation(holder.userId);
    await grownOld(holder.userId, '11 minutes');
    expect(refusal(await acme.createRegistration(holder.userId, credential, { session_token }))).toEqual(STEP_UP);
    await grownOld(holder.userId, '9 minutes');
    expect((await acme.createRegistration(holder.userId, credential, { session_token })).status).toBe(200);
  });

  it('takes no session of another user, and no unknown one', async () => {
    const [ann, ben] = [await acme.holder(), await acme.holder()];
    const credential = await acme.attestation(ann.userId);
    for (const session_token of [await acme.sessionOf(ben), 'unknown']) {
      const answer = await acme.createRegistration(ann.userId, credential, { session_token });
      expect(refusal(answer)).toEqual([401, 'invalid_session']);
    }
    expect((await acme.passkeysOf(ann.userId)).body.webauthn_credentials).toHaveLength(1);
  });

  it('is the first one of a user only once when 10 are registered without a session at once', async () => {
    const userId = await acme.user();
    const credentials = await Promise.all(Array.from({ length: 10 }, () => acme.attestation(userId)));
    const answers = await Promise.all(
      credentials.map((credential, i) =>
        patiently(() => acme.at(i % 2 ? service : replica).createRegistration(userId, credential)),
      ),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '401 step_up_required': 9 });
  });
});

describe('an account with a passkey', () => {
  it('keeps its passkey and loses its unverified email to the prover of the email', async () => {
    const email = `${unique()}@example.com`;
    const holder = await acme.holder(acme.authenticator(), await acme.user({ email }));
    const prover = await service.nest.get(ProveAddress, { strict: false }).email(acme.app.id as AppId, email);
    expect(prover.userCreated).toBe(true);
    expect(prover.userId).not.toBe(holder.userId);
    expect(await profile(holder.userId)).toMatchObject({
      emails: [],
      webauthn_credentials: [{ id: holder.passkeyId }],
    });
    expect((await profile(prover.userId)).webauthn_credentials).toEqual([]);
    expect((await acme.verify(await acme.assertion(holder))).body.user_id).toBe(holder.userId);
  });

  it('is kept when the app has left the domain of the passkey', async () => {
    const moved = await PasskeyApp.of(service);
    const email = `${unique()}@example.com`;
    const holder = await moved.holder(moved.authenticator(), await moved.user({ email }));
    await moved.manage('PATCH', '', { webauthn: null });
    const prover = await service.nest.get(ProveAddress, { strict: false }).email(moved.app.id as AppId, email);
    expect(prover.userId).not.toBe(holder.userId);
  });
});

describe('an account whose first passkey is only begun', () => {
  it('passes to the prover of its email, and the begun registration ends', async () => {
    const email = `${unique()}@example.com`;
    const userId = await acme.user({ email });
    const credential = await acme.attestation(userId);
    const prover = await service.nest.get(ProveAddress, { strict: false }).email(acme.app.id as AppId, email);
    expect(prover.userId).toBe(userId);
    const factor = passcode(prover.contactId as EmailId);
    const { session_token } = await signIn(service, acme.app, { user_id: userId }, undefined, { factor });
    expect(refusal(await acme.createRegistration(userId, credential, { session_token }))).toEqual(INVALID);
  });

  it('goes either to the passkey or to the prover of the email when both come at once, never to both', async () => {
    const proof = service.nest.get(ProveAddress, { strict: false });
    for (let round = 0; round < 10; round++) {
      const email = `${unique()}@example.com`;
      const userId = await acme.user({ email });
      const credential = await acme.attestation(userId);
      const [registered, prover] = await Promise.all([
        acme.createRegistration(userId, credential),
        proof.email(acme.app.id as AppId, email),
      ]);
      expect(registered.status === 200).toBe(prover.userId !== userId);
    }
  });
});

describe('the removal of a passkey', () => {
  it('leaves the proved email of the user', async () => {
    const email = `${unique()}@example.com`;
    const holder = await acme.holder(acme.authenticator(), await acme.user({ email }));
    expect(refusal(await acme.remove(holder.passkeyId))).toEqual([409, 'last_way_to_sign_in']);
    const proof = service.nest.get(ProveAddress, { strict: false });
    await proof.email(acme.app.id as AppId, email, signedInAs(holder.userId));
    const { status, body } = await acme.remove(holder.passkeyId);
    expect([status, body]).toEqual([200, { user_id: holder.userId, message: expect.any(String) }]);
    expect((await profile(holder.userId)).webauthn_credentials).toEqual([]);
    expect(await observer.events(acme.app.id, holder.userId)).toContain('webauthn_credential.deleted');
    expect(refusal(await acme.remove(holder.passkeyId))).toEqual([404, 'webauthn_credential_not_found']);
  });

  it('is refused for the last sign-in method, also when two are removed at once', async () => {
    const holder = await acme.holder();
    const session_token = await acme.sessionOf(holder);
    const second = await acme.createRegistration(holder.userId, await acme.attestation(holder.userId), {
      session_token,
    });
    const { emails } = await profile(holder.userId);
    const path = `/v1/auth/users/emails/${emails[0].id}/delete`;
    expect((await service.call('DELETE', path, { key: acme.app.secretKey })).status).toBe(200);
    const ids = [holder.passkeyId, second.body.webauthn_credential_id];
    const answers = await Promise.all(ids.map((id, i) => acme.at(i ? service : replica).remove(id)));
    expect(outcomes(answers)).toEqual({ 200: 1, '409 last_way_to_sign_in': 1 });
  });

  it('does not count a passkey of a domain that the app has left as a sign-in method', async () => {
    const moved = await PasskeyApp.of(service);
    const holder = await moved.holder();
    await moved.manage('PATCH', '', { webauthn: null });
    const { emails } = await profile(holder.userId, moved);
    const path = `/v1/auth/users/emails/${emails[0].id}/delete`;
    const answer = await service.call('DELETE', path, { key: moved.app.secretKey });
    expect(refusal(answer)).toEqual([409, 'last_way_to_sign_in']);
  });

  it('is refused for a passkey of another app', async () => {
    const other = await PasskeyApp.of(service);
    expect(refusal(await other.remove((await acme.holder()).passkeyId))).toEqual([
      404,
      'webauthn_credential_not_found',
    ]);
  });
});
