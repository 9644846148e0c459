import { once } from 'node:events';
import http from 'node:http';
import { PostgresRetention } from '../../../src/postgres/retention.js';
import type { Answer, TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { eventually } from '../../support/eventually.js';
import { roundTripsOf } from '../../support/statements.js';
import type { Observer } from '../../support/observer.js';
import { type Inbox, linkIn, tokenIn } from '../../support/inbox.js';
import { address, describeProofs, expectRefused, MailingApps, tally } from '../mailed-proofs.js';

const LOGIN_URL = 'https://shop.example/login?from=a%20b&x=1';
const REGISTRATION_URL = 'https://shop.example/welcome';
const INVITE_URL = 'https://shop.example/invited?by=us';

let apps: MailingApps;
let app: TestApp;
let inbox: Inbox;
let observer: Observer;
let shop: GivenApp;
let other: GivenApp;

beforeAll(async () => {
  apps = await MailingApps.start();
  ({ app, inbox, observer, shop, other } = apps);
  for (const each of [shop, other]) await registerUrls(each);
});
afterAll(() => apps?.stop());

async function registerUrls(of: GivenApp): Promise<void> {
  await app.given.redirectUrl(of, 'login', LOGIN_URL);
  await app.given.redirectUrl(of, 'registration', REGISTRATION_URL);
  await app.given.redirectUrl(of, 'invite', INVITE_URL);
}

async function appWithUrls(settings: Record<string, unknown> = {}): Promise<GivenApp> {
  const created = await app.given.app({ default_wallet_type: 'none', ...settings });
  await registerUrls(created);
  return created;
}

const post: MailingApps['post'] = (path, body, options) => apps.post(path, body, options);
const logIn = (email: string, fields: Record<string, unknown> = {}, of = shop) =>
  post('magic_links/email/login_or_create', { email, ...fields }, { key: of.secretKey });
const invite = (email: string, fields: Record<string, unknown> = {}) =>
  post('magic_links/email/invite', { email, ...fields });
const verify = (token: string, fields: Record<string, unknown> = {}, options: { key?: string; by?: TestApp } = {}) =>
  post('magic_links/verify', { token, ...fields }, options);
const getUser = async (userId: string, key = shop.secretKey) =>
  (await app.call('GET', `/v1/auth/users/${userId}`, { key })).body;
const sessionOf = (session_token: string) => apps.sessionOf(session_token);

/** Mails a link and reads its token. */
async function mailed(email: string, fields: Record<string, unknown> = {}, of = shop): Promise<string> {
  const { answer, message } = await inbox.after(email, () => logIn(email, fields, of));
  expect(answer.status).toBe(200);
  return tokenIn(message);
}

const embedded = (userId: string, fields?: Record<string, unknown>) => apps.embedded(userId, fields);
const signedIn = (userId: string) => apps.signedIn(userId);
const together = <T>(count: number, call: (by: TestApp, n: number) => Promise<T>) =>
  apps.together('magic_links', count, call);

describeProofs({
  name: 'link',
  refusal: 'invalid_magic_token',
  apps: () => apps,
  recipient: address,
  send: mailed,
  verify,
  unknown: () => 'unknown',
});

describe('logging in or creating a user', () => {
  it('the link leads a new user to the registration URL and an existing user to the login URL, and keeps its query', async () => {
    const email = address();
    const first = await inbox.after(email, () => logIn(email));
    expect(first.answer.body).toEqual({
      user_id: expect.stringMatching(/^user_/),
      status: 'active',
      user_created: true,
      email_id: expect.stringMatching(/^email_/),
      updated_at: expect.any(Number),
      created_at: expect.any(Number),
    });
    expect(linkIn(first.message).href).toMatch(/^https:\/\/shop\.example\/welcome\?token=\w{48}$/);
    const second = await inbox.after(email, () => logIn(email.toUpperCase()));
    expect(second.answer.body).toEqual({ ...first.answer.body, user_created: false });
    expect(linkIn(second.message).href).toMatch(/^https:\/\/shop\.example\/login\?from=a%20b&x=1&token=\w{48}$/);
  });

  it('login_or_create answers existing and unknown addresses in the same shape, and never with the token', async () => {
    const email = address();
    const first = await inbox.after(email, () => logIn(email));
    const second = await inbox.after(email, () => logIn(email));
    expect(Object.keys(second.answer.body)).toEqual(Object.keys(first.answer.body));
    for (const { answer, message } of [first, second]) expect(answer.text).not.toContain(tokenIn(message));
  });

  it('every magic link endpoint reports that it is deprecated and what replaces it', async () => {
    for (const path of ['email/login_or_create', 'email/invite', 'create', 'verify']) {
      const { headers } = await post(`magic_links/${path}`, {
        email: address(),
        user_id: (await app.given.user(shop)).user_id,
        token: await embedded((await app.given.user(shop)).user_id),
      });
      expect(headers.get('deprecation')).toMatch(/^@[0-9]+$/);
      expect(headers.get('sunset')).toMatch(/ GMT$/);
    }
  });

  it('the link leads to the requested URLs, which must be registered for their kind', async () => {
    await app.given.redirectUrl(shop, 'login', 'https://shop.example/in', false);
    const email = address();
    await mailed(email);
    const { message } = await inbox.after(email, () => logIn(email, { login_redirect_url: 'https://shop.example/in' }));
    expect(linkIn(message).pathname).toBe('/in');
    for (const fields of [
      { login_redirect_url: REGISTRATION_URL },
      { registration_redirect_url: LOGIN_URL },
      { login_redirect_url: 'https://evil.example/' },
      { registration_redirect_url: 'https://shop.example@evil.example/welcome' },
      { login_redirect_url: '' },
    ]) {
      const unknown = address();
      expectRefused(await logIn(unknown, fields), 'invalid_redirect_url');
      expectRefused(await logIn(email, fields), 'invalid_redirect_url');
      expect(await observer.rows(`select from emails where canonical = $1`, [unknown])).toEqual([]);
    }
  });

  it('login_or_create requires redirect URLs of both kinds, whether or not the address has a holder', async () => {
    const bare = await app.given.app({ default_wallet_type: 'none' });
    await app.given.redirectUrl(bare, 'login', LOGIN_URL);
    const { user_id } = await app.given.user(bare, { email: 'known@example.com' });
    expectRefused(await logIn('known@example.com', {}, bare), 'no_default_redirect_url');
    expectRefused(await logIn(address(), {}, bare), 'no_default_redirect_url');
    await app.given.redirectUrl(bare, 'registration', REGISTRATION_URL);
    expect((await logIn('known@example.com', {}, bare)).body.user_id).toBe(user_id);
  });

  /** @see GHSA-3529-5m8x-rpv3 */
  it('the host of the link comes from configuration, not from request headers', async () => {
    const email = address();
    const { message } = await inbox.after(email, async () => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        authorization: `Bearer ${shop.secretKey}`,
        'content-type': 'application/json',
      };
      const request = http.request(`${app.url}/v1/auth/magic_links/email/login_or_create`, { method: 'POST', headers });
      const [response] = (await once(request.end(JSON.stringify({ email })), 'response')) as [http.IncomingMessage];
      response.resume();
    });
    expect(message).not.toContain('evil.example');
    expect(linkIn(message).host).toBe('shop.example');
  });

  it.each([
    [{}, 60, 60],
    [{ expires_in: 10 }, 10, 10],
    [{ expires_in: 10, login_expires_in: 20 }, 20, 10],
    [{ expires_in: '10', registration_expires_in: 30 }, 10, 30],
    [{ login_expires_in: 5, registration_expires_in: 10_080 }, 5, 10_080],
  ])('a link with %j lives %i minutes for an existing user and %i for a new user', async (fields, known, fresh) => {
    const minutes = async (email: string) => {
      const { email_id } = (await logIn(email, fields)).body;
      const [row] = await observer.rows<{ minutes: number }>(
        `select extract(epoch from expires_at - created_at)::int / 60 as minutes from magic_links where email_id = $1`,
        [email_id],
      );
      return row!.minutes;
    };
    const email = address();
    expect(await minutes(email)).toBe(fresh);
    expect(await minutes(email)).toBe(known);
  });

  it.each(['expires_in', 'login_expires_in', 'registration_expires_in'])(
    'login_or_create requires %s between 5 and 10080 whole minutes',
    async (field) => {
      for (const value of [4, 10_081, 5.5, '30m', '']) {
        const { status, body } = await logIn(address(), { [field]: value });
        expect([status, body.error_type, body.errors[0].field]).toEqual([400, 'invalid_request', field]);
      }
    },
  );

  it('one mailbox gets at most ten links in ten minutes over all spellings', async () => {
    const email = address();
    const answers: Answer[] = [];
    for (let n = 0; n < 11; n++) answers.push(await logIn(n % 2 ? ` ${email.toUpperCase()} ` : email));
    expect(tally(answers)).toEqual({ ok: 10, too_many_requests: 1 });
    expect(answers[10]!.headers.get('ratelimit-policy')).toContain('"recipient";q=10;w=600');
    expect(Number(answers[10]!.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('login_or_create refuses a deactivated user', async () => {
    const email = address();
    const { user_id } = (await verify(await mailed(email))).body;
    await app.call('POST', `/management/v1/apps/${shop.id}/users/${user_id}/deactivate`, { key: app.managementKey });
    expectRefused(await logIn(email), 'user_inactive', 403);
    expectRefused(await post('magic_links/create', { user_id }), 'user_inactive', 403);
  });
});

describe('an invitation', () => {
  it('an invitation leads to the invite URL, and sets the names of a new user only', async () => {
    const email = address();
    const names = { first_name: 'Ann', middle_name: 'B.', last_name: 'Smith' };
    const { answer, message } = await inbox.after(email, () => invite(email, names));
    expect(answer.body).toMatchObject({ user_created: true, status: 'active' });
    expect(linkIn(message).href).toMatch(/^https:\/\/shop\.example\/invited\?by=us&token=\w{48}$/);
    expect(message).toContain('Ann');
    expect(await getUser(answer.body.user_id)).toMatchObject(names);
    const again = await inbox.after(email, () => invite(email, { first_name: 'Eve' }));
    expect(again.answer.body).toEqual({ ...answer.body, user_created: false });
    expect(await getUser(answer.body.user_id)).toMatchObject(names);
    expect((await verify(tokenIn(again.message))).body).toMatchObject({
      user_id: answer.body.user_id,
      ...names,
      account_prepared: { fields: ['first_name', 'middle_name', 'last_name'] },
    });
  });

  it('an invitation has its own URL and lifetime', async () => {
    expectRefused(await invite(address(), { invite_redirect_url: LOGIN_URL }), 'invalid_redirect_url');
    expectRefused(await invite(address(), { invite_expires_in: 4 }), 'invalid_request');
    const bare = await app.given.app();
    expectRefused(
      await post('magic_links/email/invite', { email: address() }, { key: bare.secretKey }),
      'no_default_redirect_url',
    );
  });
});

describe('following a mailed link', () => {
  it('verify returns the user, verifies the address, and activates a pending user', async () => {
    const email = address();
    const user = await app.given.user(shop, { email, requires_verification: true });
    const token = await mailed(email);
    expect(await getUser(user.user_id)).toMatchObject({ active: false, emails: [{ verified: false }] });
    const { status, body } = await verify(token);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: user.user_id,
      app_id: shop.id,
      first_name: '',
      middle_name: '',
      last_name: '',
      active: true,
      status: 'active',
      updated_at: expect.any(Number),
      created_at: expect.any(Number),
      emails: null,
      phone_numbers: null,
      email_id: user.email_id,
      phone_number_id: user.phone_number_id,
      method_id: user.email_id,
      method_type: 'email',
      user_created: false,
      account_prepared: { at: user.created_at, fields: [] },
      session: null,
      session_token: '',
      session_jwt: '',
    });
    expect(await getUser(user.user_id)).toMatchObject({
      active: true,
      emails: [{ verified: true }],
    });
  });

  it('verify starts a requested session with the factor and the device', async () => {
    const email = address();
    const device_fingerprint = { ip: '203.0.113.7', user_agent: 'Browser/1' };
    const { body } = await verify(await mailed(email), { session_expires_in: 30, device_fingerprint });
    expect(body.phone_number_id).toBe('');
    expect(body.session).toMatchObject({
      user_id: body.user_id,
      device_fingerprint,
      factors: [
        {
          type: 'magic_link',
          delivery_channel: 'email',
          method: { method_type: 'email', method_id: body.email_id, email_id: body.email_id, email },
        },
      ],
    });
    expect((await sessionOf(body.session_token)).status).toBe(200);
  });

  /** @see CVE-2026-1035 */
  it('exactly one of several concurrent verifications at two replicas succeeds', async () => {
    const token = await mailed(address());
    const answers = await together(50, (by) => verify(token, { session_expires_in: 5 }, { by }));
    expect(tally(answers)).toEqual({ ok: 1, invalid_magic_token: 49 });
  });

  it('a newer link to the address voids the previous one', async () => {
    const email = address();
    const older = await mailed(email);
    const { message } = await inbox.after(email, () => invite(email.toUpperCase()));
    expectRefused(await verify(older), 'invalid_magic_token');
    expect((await verify(tokenIn(message))).status).toBe(200);
  });

  it('a refused link is an event with its user and the reason', async () => {
    const email = address();
    const [replaced, spent] = [await mailed(email), await mailed(email)];
    const { user_id } = (await verify(spent)).body;
    const expired = await mailed(email);
    await observer.rows(`update magic_links set expires_at = now() - interval '14 seconds' where user_id = $1`, [
      user_id,
    ]);
    const unknown = await verify('x'.repeat(48));
    for (const [token, error, reason] of [
      [replaced, 'invalid_magic_token', 'replaced'],
      [spent, 'invalid_magic_token', 'spent'],
      [expired, 'magic_link_expired', 'expired'],
    ] as const) {
      const answer = await verify(token);
      expectRefused(answer, error);
      if (error === 'invalid_magic_token')
        for (const field of ['title', 'detail', 'type']) expect(answer.body[field]).toBe(unknown.body[field]);
      const data = { class: error, user_id, reason, request_id: answer.headers.get('x-request-id') };
      await eventually(async () => {
        const events = await observer.rows<{ data: object }>(
          `select data from stored_events where app_id = $1 and type = 'login.failed' and data ->> 'reason' = $2 and data ->> 'user_id' = $3`,
          [shop.id, reason, user_id],
        );
        expect(events).toEqual([{ data: { ...data, ended_seconds_ago: expect.any(Number) } }]);
      });
    }
    const replacedLinks = () => observer.rows('select from replaced_magic_links where user_id = $1', [user_id]);
    expect(await replacedLinks()).toHaveLength(2);
    await observer.rows(
      `update replaced_magic_links set ended_at = ended_at - interval '61 minutes' where user_id = $1`,
      [user_id],
    );
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    expect(await replacedLinks()).toEqual([]);
  });

  it('several concurrent sends leave one valid link', async () => {
    const busy = await appWithUrls({ limits: { recipient_sends_per_ten_minutes: 100 } });
    const email = address();
    await mailed(email, {}, busy);
    const sent = await together(20, (by) =>
      post('magic_links/email/login_or_create', { email }, { key: busy.secretKey, by }),
    );
    expect(tally(sent)).toEqual({ ok: 20 });
    const tokens = (await inbox.untilThereAre(21, email)).map(tokenIn);
    const answers: Answer[] = [];
    for (const token of tokens) answers.push(await verify(token, {}, { key: busy.secretKey }));
    expect(tally(answers)).toEqual({ ok: 1, invalid_magic_token: 20 });
  });

  it('a link is refused as expired after its lifetime by the clock of the database', async () => {
    const email = address();
    const token = await mailed(email);
    const move = (by: string) =>
      observer.rows(`update magic_links set expires_at = now() + $2::interval where email = $1`, [email, by]);
    await move('-1 millisecond');
    expectRefused(await verify(token), 'magic_link_expired');
    expectRefused(await verify(token, {}, { key: other.secretKey }), 'invalid_magic_token');
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    expectRefused(await verify(token), 'magic_link_expired');
    await move('-25 hours');
    await app.nest.get(PostgresRetention, { strict: false }).removeAll();
    expectRefused(await verify(token), 'invalid_magic_token');
  });

  it('a link is refused while its user is deactivated, and stays valid', async () => {
    const email = address();
    await verify(await mailed(email));
    const token = await mailed(email);
    const { user_id } = (await logIn(address())).body;
    const own = await embedded(user_id);
    const holder = (
      await observer.rows<{ user_id: string }>(`select user_id from emails where text = $1`, [email])
    )[0]!;
    const manage = async (what: string) => {
      for (const id of [holder.user_id, user_id])
        await app.call('POST', `/management/v1/apps/${shop.id}/users/${id}/${what}`, { key: app.managementKey });
    };
    await manage('deactivate');
    expectRefused(await verify(token), 'user_inactive', 403);
    expectRefused(await verify(own, { session_expires_in: 5 }), 'user_inactive', 403);
    await manage('reactivate');
    expect((await verify(token)).status).toBe(200);
    expect((await verify(own)).status).toBe(200);
  });

  it('an embedded link is void once its user is deleted', async () => {
    const { user_id } = await app.given.user(shop);
    const own = await embedded(user_id);
    await apps.remove(user_id);
    expectRefused(await verify(own), 'invalid_magic_token');
  });

  it('verifying a link to a verified address takes three round trips', async () => {
    const busy = await appWithUrls({ limits: { recipient_sends_per_ten_minutes: 100 } });
    const email = address();
    const follow = (token: string) => verify(token, { session_expires_in: 5 }, { key: busy.secretKey });
    await follow(await mailed(email, {}, busy));
    let fewest: string[] | undefined;
    // A connection batches a statement only after it has prepared it, and there are 30 connections.
    for (let tries = 0; tries < 60 && fewest?.length !== 3; tries++) {
      const token = await mailed(email, {}, busy);
      const trips = await roundTripsOf(() => follow(token));
      const own = trips
        .map((trip) => trip.map(({ text }) => text).join(';'))
        .filter((texts) => /begin|magic_links|users|emails|sessions|commit/.test(texts) && !/api_keys/.test(texts));
      if (!fewest || own.length < fewest.length) fewest = own;
    }
    expect(fewest).toEqual([
      expect.stringMatching(/^begin[^;]*;\s*select lock_link_owner[^;]*;[^;]*update magic_links[^;]*$/),
      // In either order.
      expect.stringMatching(/^(?=.*from users u)(?=.*insert into sessions)[^;]*(?:;[^;]*){3}$/s),
      // COMMIT waits for the answer of the INSERT, which may refuse.
      expect.stringMatching(/^update sessions set mac[^;]*;(insert into unsequenced_events[^;]*;)?commit$/),
    ]);
  });
});

describe('a link bound to a device', () => {
  const device_fingerprint = { ip: '203.0.113.7', user_agent: 'Browser/1' };

  it.each<[string, object, object | undefined, boolean]>([
    ['both the same', device_fingerprint, device_fingerprint, true],
    ['another ip', device_fingerprint, { ...device_fingerprint, ip: '203.0.113.8' }, false],
    ['another user agent', device_fingerprint, { ...device_fingerprint, user_agent: 'browser/1' }, false],
    ['no ip', device_fingerprint, { user_agent: 'Browser/1' }, false],
    ['an empty ip', device_fingerprint, { ip: '', user_agent: 'Browser/1' }, false],
    ['no device', device_fingerprint, undefined, false],
    ['only the ip bound', { ip: '203.0.113.7' }, { ip: '203.0.113.7', user_agent: 'Other' }, true],
    ['only the user agent bound', { user_agent: 'Browser/1', ip: '' }, { ip: '::1', user_agent: 'Browser/1' }, true],
    ['nothing bound', {}, undefined, true],
  ])('a link bound to a device and followed with %s', async (_, bound, followed, isGood) => {
    const { user_id } = await app.given.user(shop);
    for (const token of [
      await mailed(address(), { device_fingerprint: bound }),
      await embedded(user_id, { device_fingerprint: bound }),
    ]) {
      const answer = await verify(token, { device_fingerprint: followed });
      if (isGood) expect(answer.status).toBe(200);
      else {
        expectRefused(answer, 'device_mismatch');
        expect((await verify(token, { device_fingerprint })).status).toBe(200);
      }
    }
  });

  it('five attempts on another device void the link', async () => {
    const token = await mailed(address(), { device_fingerprint });
    for (let n = 0; n < 5; n++) expectRefused(await verify(token), 'device_mismatch');
    expectRefused(await verify(token, { device_fingerprint }), 'invalid_magic_token');
  });

  it('a newer link restarts the count of attempts on another device', async () => {
    const email = address();
    const older = await mailed(email, { device_fingerprint });
    for (let n = 0; n < 4; n++) expectRefused(await verify(older), 'device_mismatch');
    const newer = await mailed(email, { device_fingerprint });
    for (let n = 0; n < 4; n++) expectRefused(await verify(newer), 'device_mismatch');
    expect((await verify(newer, { device_fingerprint })).status).toBe(200);
  });

  it('five of several concurrent attempts on another device at two replicas void the link', async () => {
    const token = await mailed(address(), { device_fingerprint });
    const answers = await together(50, (by) => verify(token, {}, { by }));
    expect(tally(answers)).toEqual({ device_mismatch: 5, invalid_magic_token: 45 });
    expectRefused(await verify(token, { device_fingerprint }), 'invalid_magic_token');
  });
});

describe('an embeddable link', () => {
  it('an embeddable link signs in the user and verifies nothing, and names the email, phone number or user', async () => {
    const email = address();
    const both = await app.given.user(shop, { email, phone_number: '+4915112345670', requires_verification: true });
    const phone = await app.given.user(shop, { email: undefined, phone_number: '+4915112345671' });
    const bare = await app.given.user(shop, { phone_number: '+4915112345672' });
    await app.call('DELETE', `/v1/auth/users/emails/${bare.email_id}/delete`, { key: shop.secretKey });
    await observer.rows(`delete from phone_numbers where user_id = $1 returning id`, [bare.user_id]);
    const method = async (user_id: string) => {
      const { body } = await verify(await embedded(user_id), { session_expires_in: 5 });
      const [factor] = body.session.factors;
      expect(factor).toMatchObject({ type: 'magic_link', delivery_channel: 'embedded' });
      expect([factor.method.method_type, factor.method.method_id]).toEqual([body.method_type, body.method_id]);
      return body;
    };
    expect(await method(both.user_id)).toMatchObject({
      method_type: 'email',
      method_id: both.email_id,
      email_id: both.email_id,
      phone_number_id: both.phone_number_id,
      active: false,
      status: 'pending',
    });
    expect(await method(phone.user_id)).toMatchObject({
      method_type: 'phone_number',
      method_id: phone.phone_number_id,
      email_id: '',
    });
    expect(await method(bare.user_id)).toMatchObject({
      method_type: 'user',
      method_id: bare.user_id,
      email_id: '',
      phone_number_id: '',
    });
    expect(await getUser(both.user_id)).toMatchObject({
      active: false,
      emails: [{ verified: false }],
      phone_numbers: [{ verified: false }],
    });
  });

  it('an embeddable link requires a user of the app and a lifetime within bounds', async () => {
    const { user_id } = await app.given.user(other);
    expectRefused(await post('magic_links/create', { user_id }), 'user_not_found', 404);
    expectRefused(await post('magic_links/create', { user_id: '' }), 'invalid_request');
    expectRefused(await post('magic_links/create', { user_id: shop.id }), 'invalid_request');
    const own = (await app.given.user(shop)).user_id;
    for (const expires_in of [4, 10_081, '5m'])
      expectRefused(await post('magic_links/create', { user_id: own, expires_in }), 'invalid_request');
    const { body } = await post('magic_links/create', { user_id: own, expires_in: '10080' });
    expect(body).toEqual({ user_id: own, token: expect.stringMatching(/^\w{48}$/) });
  });

  it('an embeddable link does not void other links of the user', async () => {
    const email = address();
    const { user_id } = (await verify(await mailed(email))).body;
    const [first, second, third] = [await embedded(user_id), await mailed(email), await embedded(user_id)];
    for (const token of [third, second, first]) expect((await verify(token)).status).toBe(200);
  });
});

describe('tokens', () => {
  /** @see CVE-2026-114607 */
  it('a link token works only for links, and no other token works for a link', async () => {
    const token = await mailed(address());
    const { user_id } = await app.given.user(shop);
    const session_token = await signedIn(user_id);
    expectRefused(await post('oauth/verify', { token }), 'invalid_oauth_token');
    expectRefused(await sessionOf(token), 'invalid_session', 401);
    expectRefused(await post('magic_links/verify', { token }, { key: token }), 'unauthorized_credentials', 401);
    for (const foreign of [session_token, shop.secretKey, shop.publicToken, app.managementKey]) {
      expectRefused(await verify(foreign), 'invalid_magic_token');
    }
    expect((await verify(token)).status).toBe(200);
  });

  it('no table contains a link token', async () => {
    const email = address();
    const token = await mailed(email);
    const own = await embedded((await app.given.user(shop)).user_id);
    const tables = await observer.rows<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['magic_links', 'jobs', 'event_log', 'unsequenced_events']),
    );
    for (const { name } of tables) {
      const found = await observer.rows(
        `select from ${name} t
          where t::text like any($1) or t::text like any($2)`,
        [[token, own].map((one) => `%${one}%`), [token, own].map((one) => `%${Buffer.from(one).toString('hex')}%`)],
      );
      expect([name, found.length]).toEqual([name, 0]);
    }
    expect((await verify(token)).status).toBe(200);
  });
});
