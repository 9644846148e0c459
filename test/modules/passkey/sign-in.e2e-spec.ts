import { startApp, type TestApp } from '../../support/app.js';
import { patiently } from '../../support/eventually.js';
import { Observer, openConnections } from '../../support/observer.js';
import { statementsOf } from '../../support/statements.js';
import type { Algorithm, Deviation } from '../../support/virtual-authenticator.js';
import { newId } from '../../../src/kernel/ids.js';
import { ANDROID_APP, type Holder, ORIGIN, outcomes, PasskeyApp, refusal, RP_ID } from './passkeys.js';

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
const challenges = async () =>
  (
    await observer.rows<{ count: number }>('select count(*)::int from webauthn_challenges where app_id = $1', [
      acme.app.id,
    ])
  )[0]!.count;

describe('a passkey', () => {
  it.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('with %s signs its user in', async (algorithm) => {
    const holder = await acme.holder(acme.authenticator(algorithm));
    const { status, body, headers } = await acme.verify(await acme.assertion(holder), { session_expires_in: 60 });
    expect(status).toBe(200);
    expect(headers.get('x-api-stability')).toBe('beta');
    expect(body).toMatchObject({
      user_id: holder.userId,
      webauthn_credential_id: holder.passkeyId,
      session_token: expect.stringMatching(/^\w{40,}$/),
    });
    expect(body.session.factors).toEqual([
      {
        type: 'webauthn',
        delivery_channel: 'webauthn_credential',
        method: {
          method_type: 'webauthn',
          method_id: holder.passkeyId,
          webauthn_credential_id: holder.passkeyId,
          last_verified_at: expect.any(Number),
        },
      },
    ]);
  });

  it('starts no session that was not asked for', async () => {
    const { body } = await acme.verify(await acme.assertion(await acme.holder()));
    expect(body).toMatchObject({ session: null, session_token: '', session_jwt: '' });
  });

  it('is accepted as JSON text too', async () => {
    const holder = await acme.holder();
    const { body } = await acme.verify(JSON.stringify(await acme.assertion(holder)));
    expect(body.user_id).toBe(holder.userId);
  });

  it('signs in without a user in the request when the authenticator names the user', async () => {
    const { userId, authenticator } = await acme.holder();
    const { body } = await acme.beginAuthentication();
    expect(body.user_id).toBe('');
    expect(body.public_key_credential_request_options).not.toHaveProperty('allowCredentials');
    const answer = await acme.verify(authenticator.get(body.public_key_credential_request_options));
    expect(answer.body.user_id).toBe(userId);
  });

  it('does not sign in without a user in the request when the authenticator names none', async () => {
    const { authenticator } = await acme.holder();
    const options = (await acme.beginAuthentication()).body.public_key_credential_request_options;
    expect(refusal(await acme.verify(authenticator.get(options, { userHandle: null })))).toEqual(INVALID);
    expect((await acme.verify(authenticator.get(options))).status).toBe(200);
  });

  it('adds its factor to a session of the user and is listed as used', async () => {
    const holder = await acme.holder();
    const token = await acme.sessionOf(holder);
    const second = await acme.verify(await acme.assertion(holder), { session_token: token });
    expect(second.body.session.factors).toHaveLength(1);
    const { body } = await acme.passkeysOf(holder.userId);
    expect(body.webauthn_credentials[0].last_used_at).toBeGreaterThan(1_700_000_000);
  });
});

describe('an answer of an authenticator', () => {
  const b64 = (text: string) => Buffer.from(text).toString('base64url');

  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://login.example.com.evil.example' }],
    ['of a subdomain that is not listed', { origin: 'https://other.example.com' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['to no challenge', { challenge: '' }],
    ['of another type', { type: 'webauthn.create' }],
    ['without verification of the user', { isUserVerified: false }],
    ['with two ids', { rawId: b64('another credential') }],
    ['of an unknown passkey', { id: b64('unknown'), rawId: b64('unknown') }],
    ['for another user', { userHandle: b64(newId('user')) }],
    ['in a frame of another origin', { clientData: { crossOrigin: true } }],
    ['below another page', { clientData: { topOrigin: 'https://evil.example' } }],
  ])('%s is refused in one wording, and spends nothing', async (_, deviation) => {
    const holder = await acme.holder();
    const options = (await acme.beginAuthentication(holder.userId)).body.public_key_credential_request_options;
    const before = await challenges();
    const { body, status } = await acme.verify(holder.authenticator.get(options, deviation));
    expect([status, body.error_type, body.detail]).toEqual([...INVALID, expect.stringContaining('Begin again')]);
    expect(await challenges()).toBe(before);
    expect((await acme.verify(holder.authenticator.get(options))).status).toBe(200);
  });

  it('with an altered signature is refused', async () => {
    const assertion = await acme.assertion(await acme.holder());
    const signature = Buffer.from(assertion.response.signature, 'base64url');
    signature[signature.length - 1]! ^= 1;
    const response = { ...assertion.response, signature: signature.toString('base64url') };
    expect(refusal(await acme.verify({ ...assertion, response }))).toEqual(INVALID);
  });

  it.each<[string, unknown]>([
    ['no JSON', '{'],
    ['a list as JSON text', '[]'],
    ['no fields', {}],
    ['a list for the response', { response: [] }],
    ['a very long id', { id: 'A'.repeat(2_000), rawId: 'A'.repeat(2_000), type: 'public-key', response: {} }],
    ['bytes that are no CBOR', { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: 'AAAA' } }],
  ])('that has %s is refused as an invalid credential', async (_, credential) => {
    expect(refusal(await acme.verify(credential))).toEqual(INVALID);
    expect(refusal(await acme.createRegistration(await acme.user(), credential))).toEqual(INVALID);
  });

  it.each<unknown>([undefined, null, 5, ['{}']])('that is %j is a fault of the request', async (credential) => {
    expect(refusal(await acme.verify(credential))).toEqual([400, 'invalid_request']);
  });

  it('for a domain that is not the one of its passkey is refused', async () => {
    const moved = await PasskeyApp.of(service);
    const holder = await moved.holder();
    await moved.manage('PATCH', '', { webauthn: { rp_id: 'login.example.com' } });
    expect(refusal(await moved.verify(await moved.assertion(holder)))).toEqual(INVALID);
  });

  it('signs in once', async () => {
    const assertion = await acme.assertion(await acme.holder());
    expect((await acme.verify(assertion)).status).toBe(200);
    expect(refusal(await acme.verify(assertion))).toEqual(INVALID);
  });

  it('signs in exactly once when 20 calls on two replicas send it at once', async () => {
    const assertion = await acme.assertion(await acme.holder());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patiently(() => acme.at(i % 2 ? service : replica).verify(assertion, { session_expires_in: 60 })),
      ),
    );
    expect(outcomes(answers)).toEqual({ 200: 1, '400 invalid_webauthn_credential': 19 });
  });

  it('is refused 5 minutes after its challenge, by the clock of the database', async () => {
    const holder = await acme.holder();
    const [before] = await observer.rows<{ asked: string }>('select now()::text as asked');
    const assertion = await acme.assertion(holder);
    const [bound] = await observer.rows<{ longest: number; shortest: number }>(
      `select extract(epoch from expires_at - $2::timestamptz)::float8 as longest,
              extract(epoch from expires_at - now())::float8 as shortest
         from webauthn_challenges where user_id = $1`,
      [holder.userId, before!.asked],
    );
    await observer.rows('update webauthn_challenges set expires_at = now() where user_id = $1', [holder.userId]);
    expect(bound!.longest).toBeGreaterThanOrEqual(300);
    expect(bound!.shortest).toBeLessThanOrEqual(300);
    expect(refusal(await acme.verify(assertion))).toEqual(INVALID);
  });

  it('to a challenge for another user is refused', async () => {
    const [ann, ben] = [await acme.holder(), await acme.holder()];
    const options = (await acme.beginAuthentication(ben.userId)).body.public_key_credential_request_options;
    expect(refusal(await acme.verify(ann.authenticator.get(options)))).toEqual(INVALID);
  });

  it('to a challenge of a registration is refused', async () => {
    const { userId, authenticator } = await acme.holder();
    const { challenge, rp } = (await acme.beginRegistration(userId)).body.public_key_credential_creation_options;
    expect(refusal(await acme.verify(authenticator.get({ challenge, rpId: rp.id })))).toEqual(INVALID);
  });

  it('of another app with the same domain is refused, and so is its challenge', async () => {
    const other = await PasskeyApp.of(service);
    const holder = await acme.holder();
    const assertion = await acme.assertion(holder);
    expect(refusal(await other.verify(assertion))).toEqual(INVALID);
    const options = (await other.beginAuthentication()).body.public_key_credential_request_options;
    expect(refusal(await acme.verify(holder.authenticator.get(options)))).toEqual(INVALID);
    expect((await acme.verify(assertion)).status).toBe(200);
  });

  it('is refused for a bad session token, or one of another user, before anything is spent', async () => {
    const [ann, ben] = [await acme.holder(), await acme.holder()];
    const assertion = await acme.assertion(ann);
    for (const session_token of ['unknown', await acme.sessionOf(ben)])
      expect(refusal(await acme.verify(assertion, { session_token }))).toEqual([401, 'invalid_session']);
    expect(refusal(await acme.verify(assertion, { session_expires_in: 1 }))).toEqual([400, 'invalid_request']);
    expect((await acme.verify(assertion)).status).toBe(200);
  });

  it('is replayed to a call with the same idempotency key', async () => {
    const assertion = await acme.assertion(await acme.holder());
    const call = () =>
      acme.post(
        'verify',
        { public_key_credential: assertion, session_expires_in: 60 },
        { 'idempotency-key': assertion.id },
      );
    const [first, second] = [await call(), await call()];
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

/** As code sends it that encodes the bytes itself, on Android by default in lines of 76 characters. */
function inBase64<T extends object>(credential: T): T {
  const text = JSON.stringify(credential, (_name, value: unknown) => {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'base64url') : undefined;
    if (bytes === undefined || bytes.length < 20 || bytes.toString('base64url') !== value) return value;
    return `${bytes.toString('base64').replace(/.{76}/g, '$&\n')}\n`;
  });
  return JSON.parse(text) as T;
}

describe('a credential in base64', () => {
  it('is the same as in base64url, at the registration and at a login', async () => {
    const credentialId = Buffer.alloc(32, 0xfb);
    const authenticator = acme.authenticator();
    Object.assign(authenticator, { credentialId });
    const userId = await acme.user();
    const credential = inBase64(await acme.attestation(userId, authenticator));
    expect(credential.id).toContain('+');
    const { status, body } = await acme.createRegistration(userId, credential);
    expect(status).toBe(200);
    const holder = { userId, authenticator, passkeyId: body.webauthn_credential_id };
    expect((await acme.verify(await acme.assertion(holder))).body.user_id).toBe(userId);
    const assertion = inBase64(await acme.assertion(holder));
    expect(assertion.response.userHandle).toMatch(/=\n$/);
    expect((await acme.verify({ ...assertion, rawId: `${assertion.rawId}A` })).status).toBe(400);
    expect((await acme.verify({ ...assertion, id: credentialId.toString('base64url') })).body.user_id).toBe(userId);
  });
});

describe('an origin', () => {
  it.each([ANDROID_APP, 'https://example.de'])('such as %s is accepted once it is listed', async (origin) => {
    const app = await PasskeyApp.of(service);
    const holder = await app.holder();
    const elsewhere = async () => app.verify(await app.assertion(holder, { origin }));
    expect(refusal(await elsewhere())).toEqual(INVALID);
    await app.manage('PATCH', '', { webauthn: { origins: [ORIGIN, origin] } });
    expect((await elsewhere()).body.user_id).toBe(holder.userId);
    expect((await app.holder(undefined, undefined, { origin })).passkeyId).toMatch(/^webauthn_/);
  });
});

describe('the backup eligibility of a passkey', () => {
  it.each([true, false])('that was %j and changes is stored and published, and the user signs in', async (before) => {
    const holder = await acme.holder(undefined, undefined, { isBackupEligible: before });
    const told = async () =>
      (
        await observer.rows<{ reason: string }>(
          `select data->>'reason' as reason from stored_events where app_id = $1 and type = 'factor.suspicious' and data->>'user_id' = $2`,
          [acme.app.id, holder.userId],
        )
      ).map(({ reason }) => reason);
    for (let i = 0; i < 2; i++) {
      const { body } = await acme.verify(await acme.assertion(holder, { isBackupEligible: !before }));
      expect(body.user_id).toBe(holder.userId);
    }
    expect(await told()).toEqual(['backup_eligibility']);
    expect((await acme.passkeysOf(holder.userId)).body.webauthn_credentials[0].backed_up).toBe(!before);
    await acme.verify(await acme.assertion(holder, { isBackupEligible: before }));
    expect(await told()).toEqual(['backup_eligibility', 'backup_eligibility']);
  });
});

describe('the counter of an authenticator', () => {
  const suspicions = async ({ userId }: Holder) =>
    (await observer.events(acme.app.id, userId)).filter((type) => type === 'factor.suspicious').length;

  it('that rises, or that is always 0, publishes nothing', async () => {
    for (const counts of [true, false]) {
      const holder = await acme.holder(acme.authenticator('ES256', { counts }));
      for (let i = 0; i < 2; i++) await acme.sessionOf(holder);
      expect(await suspicions(holder)).toBe(0);
    }
  });

  it.each([0, 2])('that falls to %i publishes factor.suspicious and still signs in', async (signCount) => {
    const holder = await acme.holder(acme.authenticator('ES256', { counts: true }));
    for (let i = 0; i < 2; i++) await acme.sessionOf(holder);
    const { status } = await acme.verify(await acme.assertion(holder, { signCount }));
    expect([status, await suspicions(holder)]).toEqual([200, 1]);
    await acme.sessionOf(holder);
    expect(await suspicions(holder)).toBe(1);
  });
});

describe('a deactivated user', () => {
  it('is refused with a passkey, which signs in again after the reactivation', async () => {
    const holder = await acme.holder();
    const assertion = await acme.assertion(holder);
    await acme.manage('POST', `/users/${holder.userId}/deactivate`);
    expect(refusal(await acme.verify(assertion))).toEqual([403, 'user_inactive']);
    expect(refusal(await acme.beginRegistration(holder.userId))).toEqual([403, 'user_inactive']);
    await acme.manage('POST', `/users/${holder.userId}/reactivate`);
    expect((await acme.verify(assertion)).status).toBe(200);
  });
});

describe('a deleted user', () => {
  it('leaves no passkey, and the credential can be registered by another user', async () => {
    const holder = await acme.holder();
    const assertion = await acme.assertion(holder);
    const path = `/v1/auth/users/${holder.userId}/delete`;
    await service.call('DELETE', path, { key: acme.app.secretKey });
    expect(refusal(await acme.verify(assertion))).toEqual(INVALID);
    expect(refusal(await acme.passkeysOf(holder.userId))).toEqual([404, 'user_not_found']);
    expect((await acme.holder(holder.authenticator)).userId).not.toBe(holder.userId);
  });

  it('signs in before the deletion or not at all when both come at once', async () => {
    const holder = await acme.holder();
    const assertions = await Promise.all(Array.from({ length: 8 }, () => acme.assertion(holder)));
    const path = `/v1/auth/users/${holder.userId}/delete`;
    const [deletion, ...logins] = await Promise.all([
      service.call('DELETE', path, { key: acme.app.secretKey }),
      ...assertions.map((assertion, i) =>
        acme.at(i % 2 ? service : replica).verify(assertion, { session_expires_in: 60 }),
      ),
    ]);
    expect(deletion.status).toBe(200);
    const refusals = Object.keys(outcomes(logins)).filter((outcome) => outcome !== '200');
    expect(['400 invalid_webauthn_credential', '404 user_not_found']).toEqual(expect.arrayContaining(refusals));
    const [live] = await observer.rows<{ count: number }>(
      'select count(*)::int from sessions where user_id = $1 and revoked_at is null',
      [holder.userId],
    );
    expect(live!.count).toBe(0);
  });
});

describe('the start of a sign-in', () => {
  /** The shape of an answer: its values by type, lists by their first element. */
  const shapeOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return [shapeOf(value[0])];
    if (value === null || typeof value !== 'object') return typeof value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
  };
  async function everyKindOfUser(): Promise<Record<string, string>> {
    const [known, deactivated, deleted] = [await acme.holder(), await acme.holder(), await acme.holder()];
    await acme.manage('POST', `/users/${deactivated.userId}/deactivate`);
    await service.call('DELETE', `/v1/auth/users/${deleted.userId}/delete`, { key: acme.app.secretKey });
    return {
      known: known.userId,
      deactivated: deactivated.userId,
      deleted: deleted.userId,
      'without passkeys': await acme.user(),
      unknown: newId('user'),
    };
  }

  it('looks the same for every kind of user and costs the same statements', async () => {
    const users = await everyKindOfUser();
    const seen = new Map<string, unknown>();
    for (const [kind, userId] of Object.entries(users)) {
      await acme.beginAuthentication(userId);
      let answer: Awaited<ReturnType<typeof acme.beginAuthentication>> | undefined;
      const statements = await statementsOf(async () => {
        answer = await acme.beginAuthentication(userId);
      });
      const { status, body, headers } = answer!;
      const { allowCredentials } = body.public_key_credential_request_options;
      expect(allowCredentials).toEqual([
        { type: 'public-key', id: expect.stringMatching(/^[\w-]{22,86}$/), transports: ['hybrid', 'internal'] },
      ]);
      // The settings of apps are read from memory.
      const texts = statements.map(({ text }) => text).filter((text) => !/from apps a where a.id/.test(text));
      seen.set(kind, {
        status,
        shape: shapeOf(body),
        headers: [...headers.keys()].sort(),
        texts,
      });
    }
    const known = seen.get('known');
    for (const [kind, observed] of seen) expect({ kind, observed }).toEqual({ kind, observed: known });
  });

  it('names the same decoy each time for a user id, and another one for another id or app', async () => {
    const id = newId('user');
    const other = await PasskeyApp.of(service);
    const decoy = async (of: PasskeyApp, userId: string) =>
      (await of.beginAuthentication(userId)).body.public_key_credential_request_options.allowCredentials[0].id;
    const decoys = [
      await decoy(acme, id),
      await decoy(acme.at(replica), id),
      await decoy(acme, newId('user')),
      await decoy(other, id),
    ];
    expect(decoys[1]).toBe(decoys[0]);
    expect(new Set(decoys).size).toBe(3);
  });

  it('names decoys that are as many, as long and as reachable as the passkeys of the users of the app', async () => {
    const own = await PasskeyApp.of(service);
    const first = await own.holder();
    // Of three users, two have a security key and one has two passkeys in the cloud.
    await observer.rows('delete from webauthn_credentials where app_id = $1', [own.app.id]);
    await observer.rows(
      `insert into webauthn_credentials (app_id, id, user_id, credential_id, public_key, rp_id, name, transports, sign_count,
              is_backup_eligible, is_backed_up, created_at)
       select $1, 'webauthn_' || u || '-' || n, 'user_' || u, decode(md5(u || '-' || n) || case when u % 3 = 0 then '' else md5(u::text) end, 'hex'),
              '', $2, '', case when u % 3 = 0 then array['hybrid', 'internal'] else array['nfc', 'usb'] end, 0, true, true, now()
         from generate_series(1, 30) u, generate_series(1, 2) n where n = 1 or u % 3 = 0`,
      [own.app.id, RP_ID],
    );
    await own.holder(first.authenticator);
    const listOf = async (userId: string, at = service) =>
      (await own.at(at).beginAuthentication(userId)).body.public_key_credential_request_options.allowCredentials as {
        id: string;
        transports: string[];
      }[];
    const shapeOf = (list: Awaited<ReturnType<typeof listOf>>) =>
      list.map(({ id, transports }) => `${Buffer.from(id, 'base64url').length} ${transports.join()}`).join('; ');
    const ids = Array.from({ length: 40 }, () => newId('user'));
    const lists = await Promise.all(ids.map((id) => listOf(id)));
    const shapes = new Set(lists.map(shapeOf));
    const real = ['32 nfc,usb', '16 hybrid,internal; 16 hybrid,internal', '32 hybrid,internal'];
    expect([...shapes].filter((shape) => !real.includes(shape))).toEqual([]);
    expect([...shapes]).toEqual(expect.arrayContaining(real.slice(0, 2)));
    expect(new Set(lists.flat().map(({ id }) => id)).size).toBe(lists.flat().length);
    expect(await Promise.all(ids.map((id) => listOf(id, replica)))).toEqual(lists);
  });

  it('changes its decoys with the domain of the app, as it changes the passkeys', async () => {
    const moved = await PasskeyApp.of(service);
    const id = newId('user');
    const decoy = async () =>
      (await moved.beginAuthentication(id)).body.public_key_credential_request_options.allowCredentials[0].id;
    const before = await decoy();
    await moved.manage('PATCH', '', { webauthn: { rp_id: 'login.example.com' } });
    const between = await decoy();
    await moved.manage('PATCH', '', { webauthn: { rp_id: 'example.com' } });
    expect([between === before, (await decoy()) === before]).toEqual([false, true]);
  });

  it('names a decoy for the user of another app', async () => {
    const { userId, authenticator } = await acme.holder();
    const other = await PasskeyApp.of(service);
    const { body } = await other.beginAuthentication(userId);
    const [{ id }] = body.public_key_credential_request_options.allowCredentials;
    expect(id).not.toBe(authenticator.credentialId.toString('base64url'));
  });

  it('names the passkeys of the current domain only', async () => {
    const moved = await PasskeyApp.of(service);
    const holder = await moved.holder();
    const own = holder.authenticator.credentialId.toString('base64url');
    const allowed = async () =>
      (await moved.beginAuthentication(holder.userId)).body.public_key_credential_request_options.allowCredentials[0]
        .id;
    expect(await allowed()).toBe(own);
    await moved.manage('PATCH', '', { webauthn: { rp_id: 'login.example.com' } });
    expect(await allowed()).not.toBe(own);
  });
});
