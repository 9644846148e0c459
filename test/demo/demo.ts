import { verifyMessage } from 'ethers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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

  const app = await call('POST', '/management/v1/apps', service.managementKey, { name: 'Demo', mode: 'test' });
  step('An app, with its keys', `${app.id}  ${shortened(app.secret_key)}  ${shortened(app.public_token)}`);
  for (const kind of ['login', 'registration']) {
    await call('POST', `/management/v1/apps/${app.id}/redirect_urls`, service.managementKey, {
      url: `${backendUrl}/${kind}`,
      kind,
      is_default: true,
    });
  }
  const connection = await call('POST', `/management/v1/apps/${app.id}/oauth_connections`, service.managementKey, {
    provider: 'company',
    issuer: provider.issuer,
    client_id: 'demo',
    client_secret: 'demo-client-secret',
  });
  await provider.register({
    client_id: 'demo',
    client_secret: 'demo-client-secret',
    redirect_uris: [connection.callback_url],
  });
  step('A connection to the provider', `${connection.id}, callback ${connection.callback_url}`);

  const begun = await call('GET', `/v1/auth/oauth/company/begin?public_token=${app.public_token}`);
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

  const login = await call('POST', '/v1/auth/oauth/verify', app.secret_key, { token, session_expires_in: 60 });
  step('The token is exchanged for', `${login.user_id}, session ${login.session.id}`);
  const again = await fetch(`${service.url}/v1/auth/oauth/verify`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.secret_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  step('Exchanging it again', `${again.status} ${((await again.json()) as { error_type: string }).error_type}`);

  const keys = createRemoteJWKSet(new URL(`${service.url}/v1/auth/jwks/${app.id}`));
  const { payload, protectedHeader } = await jwtVerify(login.session_jwt, keys, {
    issuer: `${service.url}/${app.id}`,
    algorithms: ['RS256'],
  });
  step('Its JWT verifies offline', `${protectedHeader.alg} ${protectedHeader.kid}, sub ${payload.sub}`);
  const verified = await call('POST', '/v1/auth/sessions/verify', app.secret_key, {
    session_token: login.session_token,
  });
  step('Its token verifies online', `last active ${new Date(verified.session.last_active_at * 1000).toISOString()}`);

  const { wallets } = await call('GET', `/v1/wallets/list?user_id=${login.user_id}`, app.secret_key);
  step("Ann's wallet", `${wallets[0].id} ${wallets[0].public_address}`);
  const message = 'I agree to the terms.';
  const signed = await call('POST', `/v1/wallets/${wallets[0].id}/sign_message`, app.secret_key, { message });
  step('It signs (EIP-191)', signed.signature);
  const recovered = verifyMessage(message, signed.signature);
  step('The signature recovers to', recovered);
  if (recovered !== wallets[0].public_address) throw new Error('The signature is not the wallet’s.');
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

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a demo reads answers as a script would
async function call(method: string, path: string, key?: string, body?: unknown): Promise<any> {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path.split('?')[0]} answered ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
