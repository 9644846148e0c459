import { Wallet } from 'ethers';
import { createHash } from 'node:crypto';
import { generateSync } from 'otplib';
import type { Answer, TestApp } from '../../support/app.js';
import { MANAGEMENT_KEY, startApp } from '../../support/app.js';
import { unique } from '../../support/given.js';
import { type HostileProvider, startHostileProvider } from '../../support/hostile-provider.js';
import { codeIn, Inbox, tokenIn } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { PasskeyApp, refusal } from '../passkey/passkeys.js';
import { signRows } from '../../support/row-macs.js';

let service: TestApp;
let observer: Observer;
let inbox: Inbox;
let provider: HostileProvider;
let acme: PasskeyApp;
beforeAll(async () => {
  inbox = await Inbox.start();
  provider = await startHostileProvider();
  service = await startApp({ env: inbox.env });
  observer = await Observer.of(service);
  acme = await newApp();
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await provider?.stop();
  await inbox?.stop();
});

/** An app with passkeys, and two connections to the provider: `listed` is trusted with addresses of example.com. */
async function newApp(): Promise<PasskeyApp> {
  const app = await PasskeyApp.of(service);
  for (const kind of ['login', 'registration'] as const)
    await service.given.redirectUrl(app.app, kind, `https://login.example.com/${kind}`);
  const connection = { issuer: provider.issuer, client_id: 'c', client_secret: 's' };
  await service.given.connection(app.app, { ...connection, provider: 'entered' });
  await service.given.connection(app.app, { ...connection, provider: 'listed', email_domains: ['example.com'] });
  return app;
}

const call = (method: string, path: string, body?: object, of = acme): Promise<Answer> =>
  service.call(method, `/v1/auth/${path}`, { key: of.app.secretKey, body });
async function post(path: string, body: object, of = acme): Promise<Answer['body']> {
  const answer = await call('POST', path, body, of);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

interface Session {
  readonly session_token?: string;
}
/** A user who logged in by email, and the session of that login. */
interface Owner extends Session {
  readonly userId: string;
  readonly email: string;
  readonly session_token: string;
}

async function passcodeTo(email: string, of = acme): Promise<object> {
  const { answer, message } = await inbox.after(email, () => post('otps/email/login_or_create', { email }, of));
  return { method_id: answer.email_id, otp: codeIn(message) };
}
async function logIn(email = `${unique()}@example.com`, of = acme): Promise<Owner> {
  const body = await post('otps/verify', { ...(await passcodeTo(email, of)), session_expires_in: 600 }, of);
  return { userId: body.user_id, email, session_token: body.session_token };
}
async function enrol(userId: string, of = acme): Promise<() => Promise<{ user_id: string; totp: string }>> {
  const { secret } = await post('totps/create', { user_id: userId }, of);
  return async () => {
    // As if the steps that are spent were of an earlier time.
    await observer.rows('update totps set last_used_step = last_used_step - 100 where user_id = $1', [userId]);
    const [row] = await observer.rows<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`);
    return { user_id: userId, totp: generateSync({ secret, epoch: Math.floor(row!.now) }) };
  };
}

/** Lets hours pass for everything that the user has proved. */
async function pass(userId: string, hours: number): Promise<void> {
  const earlier = (column: string) =>
    `${column} = ((${column} at time zone 'UTC') - make_interval(hours => $2)) at time zone 'UTC'`;
  const columns = {
    users: ['first_proved_at', 'created_at'],
    emails: ['verified_at'],
    phone_numbers: ['verified_at'],
    totps: ['verified_at', 'recovery_codes_read_at'],
    wallets: ['created_at'],
    webauthn_credentials: ['created_at'],
    provider_identities: ['proved_at', 'created_at'],
  };
  for (const [table, names] of Object.entries(columns))
    await observer.rows(
      `update ${table} set ${names.map(earlier).join(', ')} where ${table === 'users' ? 'id' : 'user_id'} = $1`,
      [userId, hours],
    );
  await observer.rows(
    `update sessions set ${earlier('started_at')}, factors = (
       select jsonb_object_agg(key, jsonb_set(value, '{method,last_verified_at}',
                to_jsonb((value #>> '{method,last_verified_at}')::bigint - $2 * 3600))) from jsonb_each(factors))
      where user_id = $1`,
    [userId, hours],
  );
  for (const table of [...Object.keys(columns), 'sessions']) await signRows(service, table);
}

const STEP_UP = [401, 'step_up_required'];
const HOUR = 1;
const MONTH = 30 * 24;

async function addPasskey({ userId, session_token }: Owner, of = acme): Promise<Answer> {
  return of.createRegistration(userId, await of.attestation(userId), { session_token });
}

/** A login at the provider, up to the token that the app verifies. */
async function returnFrom(connection: string, claims: object): Promise<{ token: string; code_verifier: string }> {
  const code_verifier = 'v'.repeat(43);
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
  provider.behave({ claims: { ...claims }, userinfo: { ...claims } });
  const begun = await service.call('GET', `/v1/auth/oauth/${connection}/begin`, {
    query: { public_token: acme.app.publicToken, code_challenge },
  });
  const callback = new URL(provider.authorize(begun.body.redirect_url));
  const back = await service.call('GET', callback.pathname + callback.search);
  const token = new URL(back.headers.get('location')!).searchParams.get('token');
  if (!token) throw new Error(back.headers.get('location')!);
  return { token, code_verifier };
}

/** A sign-in method that a caller adds to the account of the owner. */
interface Addition {
  readonly path: string;
  /** The proof that adds it. */
  readonly proof: () => Promise<object>;
  /** A later proof of it, and where it is sent. */
  readonly again: () => Promise<[path: string, proof: object]>;
}

const ADDITIONS: Readonly<Record<string, (owner: Owner) => Promise<Addition>>> = {
  'an authenticator': async ({ userId }) => {
    const code = await enrol(userId);
    return { path: 'totps/verify', proof: code, again: async () => ['totps/verify', await code()] };
  },
  'an address, by passcode': async ({ userId }) => {
    const email = await attach(userId);
    const proof = () => passcodeTo(email);
    return { path: 'otps/verify', proof, again: async () => ['otps/verify', await proof()] };
  },
  'an address, by link': async ({ userId }) => {
    const email = await attach(userId);
    const proof = async () => {
      const { message } = await inbox.after(email, () => post('magic_links/email/login_or_create', { email }));
      return { token: tokenIn(message) };
    };
    return { path: 'magic_links/verify', proof, again: async () => ['magic_links/verify', await proof()] };
  },
  'a login wallet': async ({ userId }) => {
    const wallet = Wallet.createRandom();
    const key = { wallet_type: 'ethereum', public_address: wallet.address };
    const signed = async (named: object) => {
      const { challenge } = await post('wallets/registrations/begin', { ...key, ...named });
      return { ...key, signature: await wallet.signMessage(challenge) };
    };
    return {
      path: 'wallets/verify',
      proof: async () => {
        const { challenge, id } = await post('wallets/registrations/begin', { ...key, user_id: userId });
        return { ...key, id, signature: await wallet.signMessage(challenge) };
      },
      again: async () => ['wallets/verify', await signed({})],
    };
  },
};

async function attach(userId: string): Promise<string> {
  const email = `${unique()}@example.com`;
  expect((await call('PUT', `users/${userId}/update`, { emails: [{ email }] })).status).toBe(200);
  return email;
}

describe('a session that was stolen a month ago', () => {
  it.each(Object.keys(ADDITIONS))('adds no sign-in method, and spends nothing: %s', async (name) => {
    const owner = await logIn();
    const { path, proof } = await ADDITIONS[name]!(owner);
    await pass(owner.userId, MONTH);
    const sent = await proof();
    expect(refusal(await call('POST', path, { ...sent, session_token: owner.session_token }))).toEqual(STEP_UP);
    const fresh = await logIn(owner.email);
    const added = await call('POST', path, { ...sent, session_token: fresh.session_token });
    expect([added.status, added.body.session?.user_id]).toEqual([200, owner.userId]);
  });

  it('adds no identity at a provider, and spends nothing', async () => {
    const owner = await logIn();
    await pass(owner.userId, MONTH);
    const linking = await returnFrom('entered', { sub: unique(), email: owner.email, email_verified: true });
    const { session_token } = owner;
    expect(refusal(await call('POST', 'oauth/verify', { ...linking, session_token }))).toEqual(STEP_UP);
    const fresh = await logIn(owner.email);
    expect((await call('POST', 'oauth/verify', { ...linking, session_token: fresh.session_token })).status).toBe(200);
  });

  it('adds no passkey, not by a further proof of an embedded link either', async () => {
    const owner = await logIn();
    await pass(owner.userId, MONTH);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
    const { token } = await post('magic_links/create', { user_id: owner.userId });
    await post('magic_links/verify', { token, session_token: owner.session_token });
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
  });

  it('counts no try of a passcode or an authenticator where it is refused', async () => {
    const owner = await logIn();
    const email = await attach(owner.userId);
    const code = await enrol(owner.userId);
    await pass(owner.userId, MONTH);
    const sent = await passcodeTo(email);
    const { session_token } = owner;
    for (let round = 0; round < 21; round++) {
      expect(refusal(await call('POST', 'totps/verify', { ...(await code()), session_token }))).toEqual(STEP_UP);
      if (round < 4) expect(refusal(await call('POST', 'otps/verify', { ...sent, session_token }))).toEqual(STEP_UP);
    }
    expect((await call('POST', 'totps/verify', await code())).status).toBe(200);
  });
});

describe('a method that was added through a fresh session', () => {
  it.each(Object.keys(ADDITIONS))('begins no session that is fresh, before it is a day old: %s', async (name) => {
    const owner = await logIn();
    const { path, proof, again } = await ADDITIONS[name]!(owner);
    const { session_token } = owner;
    await post(path, { ...(await proof()), session_token });
    const [added] = await observer.rows<{ is_new: boolean }>(
      `select (data->>'is_new_method')::boolean as is_new from stored_events
        where type = 'factor.added' and data->>'user_id' = $1 order by seq desc limit 1`,
      [owner.userId],
    );
    expect(added).toEqual({ is_new: true });
    await pass(owner.userId, HOUR);
    const [where, later] = await again();
    const thief = { ...owner, session_token: (await post(where, { ...later, session_expires_in: 60 })).session_token };
    expect(refusal(await addPasskey(thief))).toEqual(STEP_UP);
    const { emails } = (await call('GET', `users/${owner.userId}`)).body;
    const first = emails.find(({ email }: { email: string }) => email === owner.email);
    const removal = `users/emails/${first.id}/delete`;
    expect(refusal(await call('DELETE', removal, { session_token: thief.session_token }))).toEqual(STEP_UP);

    await pass(owner.userId, 24);
    const [stillWhere, last] = await again();
    await post(stillWhere, { ...last, session_token: thief.session_token });
    expect((await addPasskey(thief)).status).toBe(200);
  });

  it('makes no session fresh if it is a passkey of an hour ago', async () => {
    const owner = await logIn();
    const authenticator = acme.authenticator();
    const credential = await acme.attestation(owner.userId, authenticator);
    const { session_token, userId } = owner;
    expect((await acme.createRegistration(userId, credential, { session_token })).status).toBe(200);
    await pass(userId, HOUR);
    const begun = await acme.sessionOf({ userId, authenticator, passkeyId: '' });
    expect(refusal(await addPasskey({ ...owner, session_token: begun }))).toEqual(STEP_UP);
  });
});

describe('a removal', () => {
  /** Gives a user one more method, and the path that removes that method. */
  const REMOVALS: Readonly<Record<string, (owner: Owner) => Promise<string>>> = {
    'an email': async (owner) => {
      const sent = await passcodeTo(await attach(owner.userId));
      await post('otps/verify', { ...sent, session_token: owner.session_token });
      return `users/emails/${(sent as { method_id: string }).method_id}/delete`;
    },
    'a phone number': async (owner) => {
      const phone_number = `+1415555${String(1000 + (Date.now() % 9000))}`;
      await call('PUT', `users/${owner.userId}/update`, { phone_numbers: [{ phone_number }] });
      const { answer, message } = await inbox.after(phone_number, () => post('otps/sms/send', { phone_number }));
      const method_id = answer.phone_number_id;
      await post('otps/verify', { method_id, otp: codeIn(message), session_token: owner.session_token });
      return `users/phone_numbers/${method_id}/delete`;
    },
    'an authenticator': async (owner) => {
      const code = await enrol(owner.userId);
      const { totp_id } = await post('totps/verify', { ...(await code()), session_token: owner.session_token });
      return `users/totps/${totp_id}/delete`;
    },
    'a wallet': async (owner) => {
      const { proof } = await ADDITIONS['a login wallet']!(owner);
      const { id } = await post('wallets/verify', { ...(await proof()), session_token: owner.session_token });
      return `users/wallets/${id}/delete`;
    },
    'a passkey': async (owner) =>
      `users/webauthn_credentials/${(await addPasskey(owner)).body.webauthn_credential_id}/delete`,
  };

  it.each(Object.keys(REMOVALS))('of %s needs a fresh session where it carries one', async (name) => {
    const owner = await logIn();
    const path = await REMOVALS[name]!(owner);
    await pass(owner.userId, MONTH);
    const { session_token } = owner;
    expect(refusal(await call('DELETE', path, { session_token }))).toEqual(STEP_UP);
    const query = { session_token };
    expect(refusal(await service.call('DELETE', `/v1/auth/${path}`, { key: acme.app.secretKey, query }))).toEqual(
      STEP_UP,
    );
    const stranger = await logIn();
    const INVALID = [401, 'invalid_session'];
    expect(refusal(await call('DELETE', path, { session_token: stranger.session_token }))).toEqual(INVALID);
    expect(refusal(await call('DELETE', path, { session_token: 'none' }))).toEqual(INVALID);
    const fresh = await logIn(owner.email);
    expect((await call('DELETE', path, { session_token: fresh.session_token })).status).toBe(200);
  });

  it('by the key alone works as before, unless the app wants a session', async () => {
    const app = await newApp();
    const owner = await logIn(undefined, app);
    const remove = async (body?: object) => {
      const { body: added } = await addPasskey(await logIn(owner.email, app), app);
      return call('DELETE', `users/webauthn_credentials/${added.webauthn_credential_id}/delete`, body, app);
    };
    await pass(owner.userId, MONTH);
    expect((await remove()).status).toBe(200);
    for (const settings of [{ removal_needs_session: true }, { removal_needs_session: null, step_up: 'always' }]) {
      const changed = await app.manage('PATCH', '', settings);
      expect(changed.body).toMatchObject({ removal_needs_session: settings.removal_needs_session ?? false });
      expect(refusal(await remove())).toEqual(STEP_UP);
      expect((await remove({ session_token: (await logIn(owner.email, app)).session_token })).status).toBe(200);
    }
  });

  it('of an address that is not verified needs no fresh session', async () => {
    const owner = await logIn();
    await attach(owner.userId);
    await pass(owner.userId, MONTH);
    const { emails } = (await call('GET', `users/${owner.userId}`)).body;
    const { id } = emails.find(({ verified }: { verified: boolean }) => !verified);
    const { session_token } = owner;
    expect((await call('DELETE', `users/emails/${id}/delete`, { session_token })).status).toBe(200);
  });

  it('of the method that makes the session fresh is permitted once', async () => {
    const owner = await logIn();
    const code = await enrol(owner.userId);
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
    await pass(owner.userId, MONTH);
    const { session_token } = await logIn(owner.email);
    const { email_id } = (await call('GET', `users/${owner.userId}`)).body;
    expect((await call('DELETE', `users/emails/${email_id}/delete`, { session_token })).status).toBe(200);
    expect(refusal(await addPasskey({ ...owner, session_token }))).toEqual(STEP_UP);
  });
});

describe('the key of an app alone', () => {
  it.each(Object.keys(ADDITIONS).filter((name) => !name.startsWith('an address')))(
    'adds %s as before, unless the app wants a fresh session always',
    async (name) => {
      const owner = await logIn();
      await pass(owner.userId, MONTH);
      const { path, proof } = await ADDITIONS[name]!(owner);
      await acme.manage('PATCH', '', { step_up: 'always' });
      expect(refusal(await call('POST', path, await proof()))).toEqual(STEP_UP);
      await acme.manage('PATCH', '', { step_up: null });
      expect((await call('POST', path, await proof())).status).toBe(200);
    },
  );
});

describe('the ordinary user', () => {
  it('adds a second factor, a passkey and a further address on the first day', async () => {
    const owner = await logIn();
    for (const name of ['an authenticator', 'an address, by passcode']) {
      const { path, proof } = await ADDITIONS[name]!(owner);
      await post(path, { ...(await proof()), session_token: owner.session_token });
    }
    expect((await addPasskey(owner)).status).toBe(200);
  });

  it('signs up by passcode, logs in by a provider the same day, and adds a passkey', async () => {
    const owner = await logIn();
    await pass(owner.userId, HOUR);
    const returned = await returnFrom('listed', { sub: unique(), email: owner.email, email_verified: true });
    const { session, session_token } = await post('oauth/verify', { ...returned, session_expires_in: 60 });
    expect(session.user_id).toBe(owner.userId);
    expect((await addPasskey({ ...owner, session_token })).status).toBe(200);
  });

  it('has signed in by passcode for a year, logs in by a provider, and adds a passkey', async () => {
    const owner = await logIn();
    await pass(owner.userId, 365 * 24);
    const returned = await returnFrom('listed', { sub: unique(), email: owner.email, email_verified: true });
    const { session_token } = await post('oauth/verify', { ...returned, session_expires_in: 60 });
    expect((await addPasskey({ ...owner, session_token })).status).toBe(200);
  });

  it.each(['entered', 'listed'])('signs up by a provider (%s) and adds a passkey', async (connection) => {
    const email = `${unique()}@example.com`;
    const returned = await returnFrom(connection, { sub: unique(), email, email_verified: true });
    const { session, session_token } = await post('oauth/verify', { ...returned, session_expires_in: 60 });
    expect((await addPasskey({ userId: session.user_id, email, session_token })).status).toBe(200);
  });

  it('signs up by a wallet and adds an authenticator', async () => {
    const { again } = await ADDITIONS['a login wallet']!({ userId: '', email: '', session_token: '' });
    const [path, proof] = await again();
    const { session_token, session } = await post(path, { ...proof, session_expires_in: 60 });
    const code = await enrol(session.user_id);
    expect((await call('POST', 'totps/verify', { ...(await code()), session_token })).status).toBe(200);
  });

  it('makes a session of a month ago fresh by the method that began it', async () => {
    const owner = await logIn();
    await pass(owner.userId, MONTH);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
    await post('otps/verify', { ...(await passcodeTo(owner.email)), session_token: owner.session_token });
    expect((await addPasskey(owner)).status).toBe(200);
  });

  it('signed up through a replica of the previous release, which records no first method', async () => {
    const owner = await logIn();
    await observer.rows('update users set first_proved_at = null where id = $1', [owner.userId]);
    const { path, proof, again } = await ADDITIONS['an address, by passcode']!(owner);
    await post(path, { ...(await proof()), session_token: owner.session_token });
    const { email_id } = (await call('GET', `users/${owner.userId}`)).body;
    const { session_token } = owner;
    expect((await call('DELETE', `users/emails/${email_id}/delete`, { session_token })).status).toBe(200);
    // The second address did not become the first.
    const [where, later] = await again();
    await post(where, { ...later, session_token });
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
  });

  it('of an account from before the rule is fresh by a method of that time only', async () => {
    const owner = await logIn();
    await pass(owner.userId, MONTH);
    const { path, proof, again } = await ADDITIONS['an address, by passcode']!(owner);
    await post(path, { ...(await proof()), session_token: (await logIn(owner.email)).session_token });
    await observer.rows('update users set first_proved_at = null where id = $1', [owner.userId]);
    const [where, later] = await again();
    const { session_token } = await post(where, { ...later, session_expires_in: 60 });
    expect(refusal(await addPasskey({ ...owner, session_token }))).toEqual(STEP_UP);
    expect((await addPasskey(await logIn(owner.email))).status).toBe(200);
  });
});

describe('recovery codes', () => {
  const codesOf = async (userId: string, session: Session = {}) =>
    call('POST', 'totps/recovery_codes', { user_id: userId, ...session });
  async function withAuthenticator(): Promise<Owner> {
    const owner = await logIn();
    const code = await enrol(owner.userId);
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
    await pass(owner.userId, MONTH);
    return owner;
  }

  it('are read by a session only if it is fresh', async () => {
    const owner = await withAuthenticator();
    expect(refusal(await codesOf(owner.userId, owner))).toEqual(STEP_UP);
    const { session_token } = await logIn(owner.email);
    expect((await codesOf(owner.userId, { session_token })).body.totps[0].recovery_codes).toHaveLength(16);
    const stranger = await logIn();
    expect(refusal(await codesOf(owner.userId, stranger))).toEqual([401, 'invalid_session']);
  });

  it('are read by a session only if it is fresh while the authenticator is not confirmed yet, too', async () => {
    const owner = await logIn();
    await pass(owner.userId, MONTH);
    await enrol(owner.userId);
    expect(refusal(await codesOf(owner.userId, owner))).toEqual(STEP_UP);
    const { session_token } = await logIn(owner.email);
    expect((await codesOf(owner.userId, { session_token })).body.totps[0].recovery_codes).toHaveLength(16);
    expect((await codesOf(owner.userId)).body.totps[0].recovery_codes).toHaveLength(16);
  });

  it('make no session fresh within a day after they were read', async () => {
    const owner = await withAuthenticator();
    const [first, second] = (await codesOf(owner.userId)).body.totps[0].recovery_codes;
    const begin = async (recovery_code: string) => ({
      ...owner,
      session_token: (await post('totps/recovery', { user_id: owner.userId, recovery_code, session_expires_in: 60 }))
        .session_token,
    });
    expect(refusal(await addPasskey(await begin(first)))).toEqual(STEP_UP);
    await pass(owner.userId, 25);
    expect((await addPasskey(await begin(second))).status).toBe(200);
  });
});

describe('simultaneous calls', () => {
  it('give an account without a proved method one first method, and the second needs a fresh session', async () => {
    const user_id = await acme.user();
    const code = await enrol(user_id);
    const { token } = await post('magic_links/create', { user_id });
    const { session_token } = await post('magic_links/verify', { token, session_expires_in: 60 });
    const [credential, totp] = [await acme.attestation(user_id), await code()];
    const answers = await observer.together('users', [
      () => acme.createRegistration(user_id, credential, { session_token }),
      () => call('POST', 'totps/verify', { ...totp, session_token }),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    // The second call is fresh only if the first has joined the session before.
    expect(statuses[0]).toBe(200);
    const [{ first, methods }] = (await observer.rows(
      `select first_proved_at is not null as first, (select count(*)::int from totps t where t.user_id = u.id and t.verified_at = u.first_proved_at)
            + (select count(*)::int from webauthn_credentials c where c.user_id = u.id and c.created_at = u.first_proved_at) as methods
         from users u where id = $1`,
      [user_id],
    )) as [{ first: boolean; methods: number }];
    expect([first, methods]).toEqual([true, 1]);
  });
});

describe('the settings', () => {
  it('are shown with their defaults, changed, and refused out of bounds', async () => {
    const app = await newApp();
    const { body } = await service.call('GET', `/management/v1/apps/${app.app.id}`, { key: MANAGEMENT_KEY });
    expect(body).toMatchObject({ step_up: 'sessions', step_up_method_age_hours: 24, removal_needs_session: false });
    expect(refusal(await app.manage('PATCH', '', { step_up_method_age_hours: 721 }))).toEqual([400, 'invalid_request']);
    expect(refusal(await app.manage('PATCH', '', { step_up: 'never' }))).toEqual([400, 'invalid_request']);
    expect((await app.manage('PATCH', '', { step_up_method_age_hours: 1 })).body.step_up_method_age_hours).toBe(1);
    const owner = await logIn(undefined, app);
    const added = await addPasskey(owner, app);
    expect(added.status).toBe(200);
  });
});
