// npm run demo:sign-in: a shop signs Ann in through an app, which is its OpenID provider. Ann uses a passkey at the login page of the app. Ends
// with an error if anything is not as it must be.
import { deepStrictEqual } from 'node:assert/strict';
import * as openid from 'openid-client';
import { createClient } from '../../openapi/client/src/index.js';
import { VirtualAuthenticator } from '../support/virtual-authenticator.js';
import { liveService } from './live-service.js';
import { CALLBACK, signIn } from './relying-party.js';

const ORIGIN = 'https://login.example.com';

const service = await liveService();
try {
  const operator = createClient({ baseUrl: service.url, managementKey: service.managementKey }).management;
  const app = await operator.apps.create({
    name: 'Acme',
    mode: 'test',
    webauthn: { rp_id: 'login.example.com', origins: [ORIGIN] },
    authorization_server: { login_url: `${ORIGIN}/consent` },
  });
  const issuer = `${service.url}/oauth2/${app.id}`;
  say('The app is an OpenID provider', issuer);
  const shop = await operator.apps.oauthClients.create(app.id, {
    name: 'Shop',
    type: 'confidential',
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [CALLBACK],
    scopes: ['openid', 'profile', 'email', 'wallets', 'offline_access'],
  });
  say('The shop is a client of it', shop.id);

  const backend = createClient({ baseUrl: service.url, secretKey: app.secret_key });
  const ann = await backend.users.create({ email: 'ann@example.com', first_name: 'Ann', wallet_type: 'ethereum' });
  const passkey = new VirtualAuthenticator(ORIGIN);
  const registration = await backend.webauthn.registrations.begin({ user_id: ann.user_id });
  await backend.webauthn.registrations.create({
    user_id: ann.user_id,
    public_key_credential: passkey.create(registration.public_key_credential_creation_options as never),
  });
  say('Ann has an account and a passkey', ann.user_id);

  const relyingParty = { issuer, clientId: shop.id, clientSecret: shop.client_secret };
  const scope = 'openid profile email wallets offline_access';
  const { config, tokens } = await signIn(relyingParty, { scope, acr_values: 'phr' }, async (interaction, page) => {
    say('The shop sends her browser to the login page', `${page.origin}${page.pathname}`);
    const { client, scopes } = await backend.oauth2.interactions.get(interaction);
    say('The page shows who asks, and for what', `${client.name}: ${scopes.join(' ')}`);
    const begun = await backend.webauthn.authentication.begin({ user_id: ann.user_id });
    const login = await backend.webauthn.verify({
      public_key_credential: passkey.get(begun.public_key_credential_request_options as never),
      session_expires_in: 60,
    });
    say('Ann signs in with her passkey, and consents', login.session!.id);
    const { session_token } = login as { session_token: string };
    return (await backend.oauth2.interactions.accept(interaction, { session_token })).redirect_url;
  });
  const claims = tokens.claims()!;
  check([claims.sub, claims['acr'], claims['email']], [ann.user_id, 'phr', 'ann@example.com'], 'the id_token');
  say('The id_token says', JSON.stringify(claims, null, 2));
  say('The access token is', `${tokens.access_token.slice(0, 12)}…, for ${tokens.expires_in} s`);
  const userinfo = await openid.fetchUserInfo(config, tokens.access_token, ann.user_id);
  check(userinfo['given_name'], 'Ann', 'the name at userinfo');
  say('userinfo says', JSON.stringify(userinfo, null, 2));
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  say('The refresh token gives new tokens', `${refreshed.access_token.slice(0, 12)}…`);

  const { grants } = await backend.oauth2.grants.list({ user_id: ann.user_id });
  await backend.oauth2.grants.revoke(grants[0]!.id);
  const failure = await openid.refreshTokenGrant(config, refreshed.refresh_token!).then(
    () => null,
    (error: unknown) => (error as { readonly error?: string }).error,
  );
  check(failure, 'invalid_grant', 'the response after the grant was revoked');
  say('Ann revokes her consent, and the shop gets', failure!);
} finally {
  await service.stop();
}

function check(actual: unknown, expected: unknown, subject: string): void {
  deepStrictEqual(actual, expected, `Not as it must be: ${subject} (${JSON.stringify(actual)}).`);
}

function say(what: string, detail: string): void {
  console.log(`\n${what}:\n  ${detail.replaceAll('\n', '\n  ')}`);
}
