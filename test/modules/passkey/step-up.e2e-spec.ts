import { Wallet } from 'ethers';
import { createHash } from 'node:crypto';
import { generateSync } from 'otplib';
import { type Answer, startApp, type TestApp } from '../../support/app.js';
import { unique } from '../../support/given.js';
import { type HostileProvider, startHostileProvider } from '../../support/hostile-provider.js';
import { codeIn, Inbox, tokenIn } from '../../support/inbox.js';
import { Observer } from '../../support/observer.js';
import { PasskeyApp, refusal } from './passkeys.js';

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
  acme = await PasskeyApp.of(service);
  for (const kind of ['login', 'registration'] as const)
    await service.given.redirectUrl(acme.app, kind, `https://login.example.com/${kind}`);
  await service.given.connection(acme.app, {
    provider: 'acme',
    issuer: provider.issuer,
    client_id: 'c',
    client_secret: 's',
  });
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
  await provider?.stop();
  await inbox?.stop();
});

const post = async (path: string, body: object): Promise<Answer> => {
  const answer = await service.call('POST', `/v1/auth/${path}`, { key: acme.app.secretKey, body });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer;
};

/** A user who logged in by email, and the session of that login. */
interface Owner {
  readonly userId: string;
  readonly email: string;
  readonly session_token: string;
}

async function passcodeTo(email: string): Promise<object> {
  const { answer, message } = await inbox.after(email, () => post('otps/email/login_or_create', { email }));
  return { method_id: answer.body.email_id, otp: codeIn(message) };
}
async function logIn(email = `${unique()}@example.com`): Promise<Owner> {
  const { body } = await post('otps/verify', { ...(await passcodeTo(email)), session_expires_in: 600 });
  return { userId: body.user_id, email, session_token: body.session_token };
}
/** A second address, which is not proved. */
async function attach({ userId }: Owner): Promise<string> {
  const email = `${unique()}@example.com`;
  const path = `/v1/auth/users/${userId}/update`;
  const { status } = await service.call('PUT', path, { key: acme.app.secretKey, body: { emails: [{ email }] } });
  expect(status).toBe(200);
  return email;
}
async function enrol({ userId }: Owner): Promise<() => Promise<object>> {
  const { secret } = (await post('totps/create', { user_id: userId })).body;
  return async () => {
    // As if the steps that are spent were of an earlier time.
    await observer.rows('update totps set last_used_step = last_used_step - 100 where user_id = $1', [userId]);
    const [row] = await observer.rows<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`);
    return { user_id: userId, totp: generateSync({ secret, epoch: Math.floor(row!.now) }) };
  };
}

/** Lets an hour pass for the sessions of the user, and two hours for the methods that the user has proved. */
const age = ({ userId }: Owner): Promise<unknown> =>
  observer.rows(
    `with aged as (update totps set verified_at = ((verified_at at time zone 'UTC') - interval '2 hours') at time zone 'UTC' where user_id = $1),
     addresses as (update emails set verified_at = ((verified_at at time zone 'UTC') - interval '2 hours') at time zone 'UTC' where user_id = $1)
     update sessions set started_at = ((started_at at time zone 'UTC') - interval '1 hour') at time zone 'UTC', factors = (
       select jsonb_object_agg(key, jsonb_set(value, '{method,last_verified_at}',
                to_jsonb((value #>> '{method,last_verified_at}')::bigint - 3600)))
         from jsonb_each(factors))
      where user_id = $1`,
    [userId],
  );

async function addPasskey({ userId, session_token }: Owner): Promise<Answer> {
  return acme.createRegistration(userId, await acme.attestation(userId), { session_token });
}
const STEP_UP = [401, 'step_up_required'];

/** What the holder of a stolen session proves through it, by methods of their own. */
const ENROLMENTS: Readonly<Record<string, (owner: Owner) => Promise<unknown>>> = {
  'an authenticator': async (owner) => {
    const code = await enrol(owner);
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
  },
  'an authenticator that was activated without the session': async (owner) => {
    const code = await enrol(owner);
    await post('totps/verify', await code());
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
  },
  'an authenticator in place of a deleted one': async (owner) => {
    const former = await enrol(owner);
    const { totp_id } = (await post('totps/verify', await former())).body;
    await age(owner);
    await service.call('DELETE', `/v1/auth/users/totps/${totp_id}/delete`, { key: acme.app.secretKey });
    const code = await enrol(owner);
    await post('totps/verify', { ...(await code()), session_token: owner.session_token });
  },
  'an own address, by passcode': async (owner) => {
    const email = await attach(owner);
    for (let proof = 0; proof < 2; proof++)
      await post('otps/verify', { ...(await passcodeTo(email)), session_token: owner.session_token });
  },
  'an own address, by link': async (owner) => {
    const email = await attach(owner);
    for (let proof = 0; proof < 2; proof++) {
      const { message } = await inbox.after(email, () => post('magic_links/email/login_or_create', { email }));
      await post('magic_links/verify', { token: tokenIn(message), session_token: owner.session_token });
    }
  },
  'an embedded link': async ({ userId, session_token }) => {
    const { token } = (await post('magic_links/create', { user_id: userId })).body;
    await post('magic_links/verify', { token, session_token });
  },
  'a login wallet': async ({ userId, session_token }) => {
    const wallet = Wallet.createRandom();
    const key = { wallet_type: 'ethereum', public_address: wallet.address };
    for (const named of [{ user_id: userId }, {}]) {
      const { challenge } = (await post('wallets/registrations/begin', { ...key, ...named })).body;
      await post('wallets/verify', { ...key, signature: await wallet.signMessage(challenge), session_token });
    }
  },
  'an identity at a provider': async ({ email, session_token }) => {
    const code_verifier = 'v'.repeat(43);
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
    provider.behave({ claims: { email, email_verified: true }, userinfo: { email, email_verified: true } });
    for (let proof = 0; proof < 2; proof++) {
      const begun = await service.call('GET', '/v1/auth/oauth/acme/begin', {
        query: { public_token: acme.app.publicToken, code_challenge },
      });
      const callback = new URL(provider.authorize(begun.body.redirect_url));
      const back = await service.call('GET', callback.pathname + callback.search);
      const token = new URL(back.headers.get('location')!).searchParams.get('token');
      if (!token) throw new Error(back.headers.get('location')!);
      await post('oauth/verify', { token, code_verifier, session_token });
    }
  },
};

describe('a stolen session of an hour ago', () => {
  it.each(Object.keys(ENROLMENTS))('is not made fresh by %s, and the app learns of the method', async (name) => {
    const owner = await logIn();
    await age(owner);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
    const before = (await observer.events(acme.app.id, owner.userId)).length;
    await ENROLMENTS[name]!(owner);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
    expect((await observer.events(acme.app.id, owner.userId)).slice(before)).toContain('factor.added');
  });

  it('is not made fresh by a passkey that was added through it while it was fresh', async () => {
    const owner = await logIn();
    const authenticator = acme.authenticator();
    const credential = await acme.attestation(owner.userId, authenticator);
    const { session_token, userId } = owner;
    expect((await acme.createRegistration(userId, credential, { session_token })).status).toBe(200);
    await age(owner);
    const assertion = await acme.assertion({ userId, authenticator, passkeyId: '' });
    expect((await acme.verify(assertion, { session_token })).status).toBe(200);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
  });
});

describe('the owner makes a session fresh', () => {
  it('by a new login', async () => {
    expect((await addPasskey(await logIn())).status).toBe(200);
  });

  it.each<[string, (owner: Owner) => Promise<(owner: Owner) => Promise<unknown>>]>([
    [
      'by the address that began it',
      async ({ email }) =>
        async ({ session_token }) =>
          post('otps/verify', { ...(await passcodeTo(email)), session_token }),
    ],
    [
      'by an authenticator that was activated before it began',
      async (owner) => {
        const code = await enrol(owner);
        await post('totps/verify', await code());
        return async ({ session_token }) => post('totps/verify', { ...(await code()), session_token });
      },
    ],
    [
      'by a link to another address that was verified before it began',
      async (owner) => {
        const email = await attach(owner);
        await post('otps/verify', { ...(await passcodeTo(email)), session_token: owner.session_token });
        return async ({ session_token }) => {
          const { message } = await inbox.after(email, () => post('magic_links/email/login_or_create', { email }));
          return post('magic_links/verify', { token: tokenIn(message), session_token });
        };
      },
    ],
  ])('%s', async (_, prepare) => {
    const first = await logIn();
    const prove = await prepare(first);
    await age(first);
    const owner = await logIn(first.email);
    await age(owner);
    expect(refusal(await addPasskey(owner))).toEqual(STEP_UP);
    await prove(owner);
    expect((await addPasskey(owner)).status).toBe(200);
  });
});

describe('a sign-in method that a user gains without a session', () => {
  it.each<[string, (userId: string) => Promise<unknown>]>([
    ['an authenticator', async (userId) => post('totps/verify', await (await enrol({ userId } as Owner))())],
    ['a passkey', async (userId) => acme.holder(acme.authenticator(), userId)],
    [
      'a login wallet',
      async (userId) => {
        const wallet = Wallet.createRandom();
        const key = { wallet_type: 'ethereum', public_address: wallet.address };
        const { challenge } = (await post('wallets/registrations/begin', { ...key, user_id: userId })).body;
        return post('wallets/verify', { ...key, signature: await wallet.signMessage(challenge) });
      },
    ],
  ])('is the event factor.added: %s', async (_, gain) => {
    const userId = await acme.user();
    expect(await observer.events(acme.app.id, userId)).not.toContain('factor.added');
    await gain(userId);
    expect(await observer.events(acme.app.id, userId)).toContain('factor.added');
  });
});
