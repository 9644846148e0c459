import { verifyMessage } from 'ethers';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, ok, SessionVerifier } from '../../openapi/client/src/index.js';
import { startIdentityProvider } from '../support/identity-provider.js';
import { liveService } from './live-service.js';

// The first walk of an app's backend: log in through a real OpenID provider, exchange the one-time token for a user and
// a session, verify the session's JWT offline, sign with the user's wallet.

const started = performance.now();
let steps = 0;
const service = await liveService();
const provider = await startIdentityProvider();
const backend = createServer((_request, response) => response.end('You are signed in; this page may be closed.'));
await new Promise<void>((ready) => backend.listen(0, '127.0.0.1', ready));
const backendUrl = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;

try {
  step('The service runs', service.url);
  step('A real OpenID provider runs', provider.issuer);

  const management = createClient({ baseUrl: service.url, managementKey: service.managementKey });
  const app = await ok(management.POST('/management/v1/apps', { body: { name: 'Demo', mode: 'test' } }));
  const path = { app_id: app.id };
  step('An app, with its keys', `${app.id}  ${shortened(app.secret_key)}  ${shortened(app.public_token)}`);
  for (const kind of ['login', 'registration'] as const) {
    await ok(
      management.POST('/management/v1/apps/{app_id}/redirect_urls', {
        params: { path },
        body: { url: `${backendUrl}/${kind}`, kind, is_default: true },
      }),
    );
  }
  const client = { client_id: 'demo', client_secret: 'demo-client-secret' };
  const connection = await ok(
    management.POST('/management/v1/apps/{app_id}/oauth_connections', {
      params: { path },
      body: { provider: 'company', issuer: provider.issuer, ...client },
    }),
  );
  await provider.register({ ...client, redirect_uris: [connection.callback_url] });
  step('A connection to the provider', `${connection.id}, callback ${connection.callback_url}`);

  const api = createClient({ baseUrl: service.url, secretKey: app.secret_key, publicToken: app.public_token });
  const begun = await ok(api.GET('/v1/auth/oauth/{provider}/begin', { params: { path: { provider: 'company' } } }));
  step('The browser is sent to', `${new URL(begun.redirect_url).origin}${new URL(begun.redirect_url).pathname}`);
  const callback = await provider.signIn(begun.redirect_url, {
    sub: 'ann-1',
    email: 'ann@example.com',
    email_verified: true,
    given_name: 'Ann',
    family_name: 'Example',
  });
  const landed = new URL((await fetch(callback.url, { redirect: 'manual' })).headers.get('location') ?? '');
  const token = landed.searchParams.get('token') ?? '';
  step('Ann signed in, and landed on', `${landed.origin}${landed.pathname}?token=${shortened(token)}`);

  const login = await ok(api.POST('/v1/auth/oauth/verify', { body: { token, session_expires_in: 60 } }));
  step('The token is exchanged for', `${login.user_id}, session ${login.session?.id}`);
  const again = await api.POST('/v1/auth/oauth/verify', { body: { token } });
  step('Exchanging it again', `${again.response.status} ${again.error?.error_type}`);

  const { sub } = await new SessionVerifier({ baseUrl: service.url, appId: app.id }).verify(login.session_jwt);
  step('Its JWT verifies offline', `sub ${sub}`);
  const verified = await ok(api.POST('/v1/auth/sessions/verify', { body: { session_token: login.session_token } }));
  step('Its token verifies online', `last active ${new Date(verified.session.last_active_at * 1000).toISOString()}`);

  for await (const wallet of api.list('/v1/wallets/list', { params: { query: { user_id: login.user_id } } })) {
    step("Ann's wallet", `${wallet.id} ${wallet.public_address}`);
    const message = 'I agree to the terms.';
    const { signature } = await ok(
      api.POST('/v1/wallets/{wallet_id}/sign_message', {
        params: { path: { wallet_id: wallet.id } },
        body: { message },
      }),
    );
    step('It signs (EIP-191)', signature);
    const recovered = verifyMessage(message, signature);
    step('The signature recovers to', recovered);
    if (recovered !== wallet.public_address) throw new Error('The signature is not the wallet’s.');
  }
  console.log(`\nDone in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
} finally {
  backend.close();
  await provider.stop();
  await service.stop();
}

function step(what: string, result: string): void {
  console.log(`${String(++steps).padStart(2)}. ${what.padEnd(28)} ${result}`);
}

function shortened(secret: string): string {
  return `${secret.slice(0, 12)}…`;
}
