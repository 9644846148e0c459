import { generateKeyPairSync } from 'node:crypto';
import { Database } from '../../src/postgres/database.js';
import { codeIn, Inbox, tokenIn } from '../support/inbox.js';
import { startApp, type TestApp } from '../support/app.js';
import { unique } from '../support/given.js';
import { type OpenIdProvider, startIdentityProvider } from '../support/identity-provider.js';

// One walk through every feature that has a secret, at the most verbose log level. Afterwards no secret is in the log,
// the metrics, a refusal or a table. Addresses may be in tables, but not in the log.

let log = '';
let app: TestApp;
let provider: OpenIdProvider;
let inbox: Inbox;
const secrets = new Map<string, string>();
const addresses = new Map<string, string>();
const refusals: string[] = [];

beforeAll(async () => {
  provider = await startIdentityProvider();
  inbox = await Inbox.start();
  app = await startApp({ env: { ...inbox.env, LOG_LEVEL: 'trace' }, log: { write: (line) => (log += line) } });
  await walk();
});
afterAll(async () => {
  await app.stop();
  await inbox.stop();
  await provider.stop();
});

async function walk(): Promise<void> {
  const email = `canary-${unique()}@example.com`;
  const phone = '+4915199887766';
  addresses.set('email', email).set('phone number', phone);
  const acme = await app.given.app();
  secrets.set('secret key', acme.secretKey).set('management key', app.managementKey);
  const post = async (path: string, body: unknown) =>
    (await app.call('POST', path, { key: acme.secretKey, body })).body;

  for (const kind of ['login', 'registration', 'invite'] as const)
    await app.given.redirectUrl(acme, kind, `https://app.example/${kind}`);
  const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ format: 'pem', type: 'pkcs8' })
    .toString();
  secrets.set('private key', privateKey.split('\n')[1]!);
  await app.given.connection(acme, {
    provider: 'apple',
    client_id: 'c',
    team_id: 'T'.repeat(10),
    key_id: 'K'.repeat(10),
    private_key: privateKey,
  });
  secrets.set('client secret', 'canary-client-secret-5Hq2');
  const connection = await app.given.connection(acme, {
    provider: 'company',
    issuer: provider.issuer,
    client_id: 'demo',
    client_secret: 'canary-client-secret-5Hq2',
  });
  await provider.register({
    client_id: 'demo',
    client_secret: 'canary-client-secret-5Hq2',
    redirect_uris: [connection.callback_url],
  });

  const begun = await app.call('GET', '/v1/auth/oauth/company/begin', { query: { public_token: acme.publicToken } });
  secrets.set('state', new URL(begun.body.redirect_url).searchParams.get('state')!);
  const callback = new URL(
    (await provider.signIn(begun.body.redirect_url, { sub: 'canary', email, email_verified: true })).url,
  );
  secrets.set('authorization code', callback.searchParams.get('code')!);
  const landed = await app.call('GET', callback.pathname + callback.search);
  const token = new URL(landed.headers.get('location')!).searchParams.get('token')!;
  secrets.set('OAuth token', token);
  const login = await post('/v1/auth/oauth/verify', { token, session_expires_in: 60 });
  secrets.set('session token', login.session_token).set('session JWT', login.session_jwt);
  secrets
    .set('access token', login.idp_session.idp.access_token)
    .set('refresh token', login.idp_session.idp.refresh_token);
  // The provider tokens of an unfinished login are in the database.
  const second = (await app.call('GET', '/v1/auth/oauth/company/begin', { query: { public_token: acme.publicToken } }))
    .body.redirect_url;
  const again = new URL((await provider.signIn(second, { sub: 'canary', email, email_verified: true })).url);
  await app.call('GET', again.pathname + again.search);

  const link = await inbox.after(email, () =>
    post('/v1/auth/magic_links/email/login_or_create', {
      email,
      login_redirect_url: 'https://app.example/login',
      registration_redirect_url: 'https://app.example/registration',
    }),
  );
  secrets.set('magic link', tokenIn(link.message));
  secrets.set('embeddable link', (await post('/v1/auth/magic_links/create', { user_id: login.user_id })).token);
  const sms = await inbox.after(phone, () => post('/v1/auth/otps/sms/login_or_create', { phone_number: phone }));
  secrets.set('passcode', codeIn(sms.message));
  const totp = await post('/v1/auth/totps/create', { user_id: login.user_id });
  secrets.set('authenticator secret', totp.secret).set('recovery code', totp.recovery_codes[0]);
  await post('/v1/auth/users/create', { email: `second-${email}` });
  await app.call('POST', '/v1/auth/users/create', {
    key: acme.secretKey,
    body: { email: `third-${email}` },
    headers: { 'idempotency-key': 'canary' },
  });

  // PostgreSQL repeats the whole row in the detail of its error.
  const database = app.nest.get(Database);
  const canary = `canary-${unique()}`;
  secrets.set('value in the detail of a database error', canary);
  await database.write(`alter table users add constraint canary check (first_name not like 'canary-%') not valid`);
  const failed = await app.call('POST', '/v1/auth/users/create', {
    key: acme.secretKey,
    body: { email: `fourth-${email}`, first_name: canary },
  });
  await database.write(`alter table users drop constraint canary`);
  expect([failed.status, log.includes('"code":"23514"')]).toEqual([500, true]);
  refusals.push(failed.text);

  // Refused requests carry the same secrets, in the right and in wrong fields.
  for (const secret of secrets.values()) {
    for (const path of ['/v1/auth/sessions/verify', '/v1/auth/oauth/verify', '/v1/auth/magic_links/verify']) {
      refusals.push(
        (await app.call('POST', path, { key: 'sk_test_wrong', body: { token: secret, session_token: secret } })).text,
      );
    }
    refusals.push(
      (
        await app.call('GET', `/v1/auth/users/${encodeURIComponent(secret)}`, {
          key: acme.secretKey,
          query: { api_key: secret },
        })
      ).text,
    );
    refusals.push(
      (
        await app.call('POST', '/v1/auth/users/create', {
          key: acme.secretKey,
          body: { email: secret, phone_number: secret },
        })
      ).text,
    );
    refusals.push((await app.call('GET', '/v1/auth/oauth/company/begin', { query: { public_token: secret } })).text);
    // Without a route there is no pattern that the log could show instead of the path.
    const nowhere = `/v1/nowhere/${encodeURIComponent(secret)}`;
    refusals.push((await app.call('GET', nowhere, { query: { token: secret, [secret.slice(0, 100)]: 'x' } })).text);
    refusals.push((await app.call('PATCH', '/v1/auth/users/search', { query: { token: secret } })).text);
  }
}

/** Every row of every table as text; binary columns as hexadecimal and, if readable, as text. */
async function dump(): Promise<string> {
  const database = app.nest.get(Database);
  const tables = await database.write<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => database.manager.query(`select t.* from ${name} t`) as Promise<Record<string, unknown>[]>),
  );
  return rows
    .flat()
    .flatMap((row) => Object.values(row))
    .map((value) =>
      Buffer.isBuffer(value) ? `${value.toString('hex')} ${value.toString('latin1')}` : JSON.stringify(value),
    )
    .join('\n');
}

/**
 * The places of a secret in a text: as it is, or in hexadecimal, base64 or URL encoding. A passcode only as a whole
 * word, and not within hexadecimal digits: those of all hashes and request ids contain one run in a few hundred.
 */
function found(secret: string, text: string): boolean {
  if (/^\d{6}$/.test(secret)) return new RegExp(`(?<![\\da-f.])${secret}(?![\\da-f])`).test(text);
  const forms = [
    secret,
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64'),
    encodeURIComponent(secret),
  ];
  return forms.some((form) => text.includes(form));
}

describe('a secret', () => {
  it('was present in the walk, every kind of it', () => {
    expect([...secrets].filter(([, secret]) => !secret || secret.length < 6)).toEqual([]);
    expect(secrets.size).toBe(17);
    expect(log).toContain('/v1/auth/oauth/verify');
    expect(refusals.length).toBe(secrets.size * 8 + 1);
  });

  it('is never in the log, and neither is an address', () => {
    const leaked = [...secrets, ...addresses].filter(([, secret]) => found(secret, log)).map(([kind]) => kind);
    expect(leaked).toEqual([]);
  });

  it('is never in the metrics', async () => {
    const { text } = await app.call('GET', '/metrics');
    expect([...secrets, ...addresses].filter(([, secret]) => found(secret, text)).map(([kind]) => kind)).toEqual([]);
  });

  it('is never in a refusal of a request without it', () => {
    const leaked = [...secrets]
      .filter(([, secret]) => refusals.some((refusal) => found(secret, refusal)))
      .map(([kind]) => kind);
    expect(leaked).toEqual([]);
  });

  it('is in no table of the database', async () => {
    const text = await dump();
    expect(found(addresses.get('email')!, text)).toBe(true);
    expect([...secrets].filter(([, secret]) => found(secret, text)).map(([kind]) => kind)).toEqual([]);
  });
});
