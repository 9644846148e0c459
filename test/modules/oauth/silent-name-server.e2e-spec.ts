import { startApp, type TestApp } from '../../support/app.js';
import { type GivenApp, unique } from '../../support/given.js';
import { type HostileProvider, startHostileProvider } from '../../support/hostile-provider.js';
import { type NameServer, startNameServer } from '../../support/name-server.js';
import { type MailSink, startMailSink } from '../../support/smtp-server.js';
import { type SmsSink, startSmsSink } from '../../support/sms-receiver.js';

const PROVIDERS = 12;
/** How long the service remembers that a name did not resolve. */
const FAILURE_LIVES_MS = 15_000;

let names: NameServer;
let provider: HostileProvider;
let mails: MailSink;
let texts: SmsSink;
let app: TestApp;
let victim: GivenApp;
let other: GivenApp;

/** The URL under a name that only the name server of the test knows. */
function named(name: string, url: string): string {
  const address = new URL(url);
  address.hostname = name;
  return address.href.replace(/\/$/, '');
}

beforeAll(async () => {
  names = await startNameServer({ 'login.test': ['127.0.0.1'], 'mail.test': ['127.0.0.1'], 'sms.test': ['127.0.0.1'] });
  for (let i = 0; i < PROVIDERS; i++) names.names.set(`silent-${i}.test`, 'silent');
  provider = await startHostileProvider();
  mails = await startMailSink();
  texts = await startSmsSink();
  app = await startApp({
    env: {
      DNS_SERVERS: names.address,
      SMTP_URL: named('mail.test', mails.url),
      SMS_URL: named('sms.test', texts.url),
    },
  });
  victim = await app.given.app();
  other = await app.given.app();
  for (const each of [victim, other]) {
    await app.given.redirectUrl(each, 'login', 'https://shop.example/login');
    await app.given.redirectUrl(each, 'registration', 'https://shop.example/welcome');
  }
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([provider?.stop(), mails?.stop(), texts?.stop(), names?.stop()]);
});

/** Stores the connections through another replica, so that this replica has not resolved their names yet. */
async function connectElsewhere(issuer: string): Promise<void> {
  const replica = await startApp({ databaseUrl: app.databaseUrl, env: { ROLE: 'api', DNS_SERVERS: '127.0.0.1:1' } });
  const secrets = { client_id: 'c', client_secret: 's' };
  await replica.given.connection(other, { provider: 'named', issuer, ...secrets });
  for (let i = 0; i < PROVIDERS; i++)
    await replica.given.connection(victim, { provider: `silent-${i}`, issuer: `http://silent-${i}.test`, ...secrets });
  await replica.stop();
}

it('logins, mails and SMS of other apps work while the name servers of one app\u2019s issuers are silent', async () => {
  const issuer = named('login.test', provider.issuer);
  const token_endpoint = `${issuer}/token`;
  provider.behave({ discovery: { issuer, token_endpoint }, claims: { iss: issuer } });
  await connectElsewhere(issuer);
  const begin = (of: GivenApp, name: string) =>
    app.call('GET', `/v1/auth/oauth/${name}/begin`, { query: { public_token: of.publicToken } });
  const began = performance.now();
  const silent = Array.from({ length: 10 * PROVIDERS }, (_, i) => begin(victim, `silent-${i % PROVIDERS}`));

  const begun = await begin(other, 'named');
  const callback = new URL(provider.authorize(begun.body.redirect_url));
  const back = await app.call('GET', callback.pathname + callback.search);
  expect(new URL(back.headers.get('location')!).searchParams.get('token')).toMatch(/.+/);
  const email = `${unique()}@example.com`;
  await app.call('POST', '/v1/auth/otps/email/login_or_create', { key: other.secretKey, body: { email } });
  expect((await mails.mailTo(email)).to).toBe(email);
  const phone_number = '+14155550123';
  await app.call('POST', '/v1/auth/otps/sms/login_or_create', { key: other.secretKey, body: { phone_number } });
  expect((await texts.smsTo(phone_number)).to).toBe(phone_number);

  for (const answer of await Promise.all(silent))
    expect([answer.status, answer.body.error_type]).toEqual([503, 'provider_unavailable']);
  // Two address families and two tries for each name, independent of the number of requests; again when a slow machine outlasts the
  // memory of the failures.
  const rounds = 1 + Math.floor((performance.now() - began) / FAILURE_LIVES_MS);
  const asked = names.asked.filter((name) => name.startsWith('silent-'));
  expect(asked.length).toBeLessThanOrEqual(4 * PROVIDERS * rounds);
});
