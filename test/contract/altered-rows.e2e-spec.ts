import { type Answer, startApp, type TestApp } from '../support/app.js';
import { PasskeyApp } from '../modules/passkey/passkeys.js';
import { Observer } from '../support/observer.js';
import { signIn } from '../support/sign-in.js';

let service: TestApp;
let observer: Observer;
let acme: PasskeyApp;
beforeAll(async () => {
  service = await startApp();
  observer = await Observer.of(service);
  acme = await PasskeyApp.of(service);
});
afterAll(async () => {
  await observer?.close();
  await service?.stop();
});

const REFUSED = [500, 'seal_broken'];
const outcome = ({ status, body }: Answer) => [status, body.error_type];
const post = (path: string, body: object) => service.call('POST', path, { key: acme.app.secretKey, body });
const sql = (text: string, parameters: unknown[]) => observer.rows(text, parameters);
const session = async (user_id: string) => {
  const issued = await signIn(service, acme.app, { user_id });
  return { id: issued.session!.id, session_token: issued.session_token, session_jwt: issued.session_jwt };
};

describe('a row that was altered by SQL grants nothing', () => {
  it.each([
    ['its user', `user_id = $2`],
    ['its end', `expires_at = expires_at + interval '1 year', user_id = case when $2 = '' then '' else user_id end`],
    ['its factors', `factors = factors || jsonb_build_object($2::text, '{}'::jsonb)`],
  ])('a session: %s', async (_, assignment) => {
    const [victim, thief] = [await acme.user(), await session(await acme.user())];
    await sql(`update sessions set ${assignment} where id = $1`, [thief.id, victim]);
    const { session_token, session_jwt } = thief;
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token, session_expires_in: 60 }))).toEqual(REFUSED);
    const byJwt = await post('/v1/auth/sessions/verify', { session_jwt });
    expect(byJwt.status).not.toBe(200);
    const listed = await service.call('GET', '/v1/auth/sessions/list', {
      key: acme.app.secretKey,
      query: { user_id: victim },
    });
    expect([listed.status, listed.body.sessions]).toEqual([200, []]);
  });

  it('a session that was revoked, and is made live again', async () => {
    const { id, session_token } = await session(await acme.user());
    await service.call('DELETE', '/v1/auth/sessions/delete', { key: acme.app.secretKey, body: { session_token } });
    await sql('update sessions set revoked_at = null where id = $1', [id]);
    expect(outcome(await post('/v1/auth/sessions/verify', { session_token }))).toEqual(REFUSED);
  });

  it('a session that one of the user takes along when another factor joins it', async () => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const session_token = await acme.sessionOf(thief);
    await sql('update sessions set user_id = $2 where user_id = $1', [thief.userId, victim.userId]);
    expect(outcome(await acme.verify(await acme.assertion(victim), { session_token }))).toEqual(REFUSED);
  });

  it.each([
    ['is moved to another user', `user_id = v.user_id`],
    ['gets the key of another', `public_key = t.public_key`],
  ])('a passkey that %s', async (_, assignment) => {
    const [victim, thief] = [await acme.holder(), await acme.holder()];
    const [altered, owner, authenticator] = assignment.startsWith('user_id')
      ? [thief, victim, thief.authenticator]
      : [victim, victim, thief.authenticator];
    await sql(
      `update webauthn_credentials c set ${assignment} from webauthn_credentials v, webauthn_credentials t
        where c.id = $1 and v.id = $2 and t.id = $3`,
      [altered.passkeyId, victim.passkeyId, thief.passkeyId],
    );
    const answer = await acme.assertion({ ...altered, userId: owner.userId, authenticator });
    expect(
      outcome(
        await acme.verify({
          ...answer,
          id: (await acme.assertion(altered)).id,
          rawId: (await acme.assertion(altered)).id,
        }),
      ),
    ).toEqual(REFUSED);
  });
});
