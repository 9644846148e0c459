import { decodeJwt, exportJWK, generateKeyPair, type GenerateKeyPairResult } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { freePort } from '../../../src/dev/free-port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { signIn } from '../../support/sign-in.js';
import { answer, Browser, CALLBACK, CODE, Server } from './servers.js';

const TOOLS = 'https://tools.example';
const ORDERS = 'https://orders.example';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BYE = 'https://shop.example/bye';
const SCOPE = 'openid email offline_access orders:read';
const CLAIMS = { acr: 'aal1', amr: ['otp'], nonce: 'the nonce' };

let service: TestApp;
let server: Server;
let user: string;
let session: string;
let key: GenerateKeyPairResult;

beforeAll(async () => {
  const port = `${await freePort()}`;
  service = await startApp({ env: { ROLE: 'api', PORT: port, BASE_URL: `http://127.0.0.1:${port}` } });
  key = await generateKeyPair('ES256', { extractable: true });
});
afterAll(async () => {
  await service?.stop();
});
beforeEach(async () => {
  server = await Server.of(service);
  for (const audience of [TOOLS, ORDERS]) await server.resource(audience);
  user = (await service.given.user(server.app)).user_id;
  session = (await signIn(service, server.app, { user_id: user })).session_token!;
});

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
type Method = (typeof METHODS)[number];

/** Programs with a key of their own use it for proofs too, as a public client does. */
const provesKeys = (method: Method): boolean => method === 'private_key_jwt' || method === 'none';
const isConfidential = (method: Method): boolean => method !== 'none';

async function registered(method: Method) {
  const jwks = { keys: [{ ...(await exportJWK(key.publicKey)), alg: 'ES256', kid: 'one' }] };
  const ofMethod = {
    client_secret_basic: {},
    client_secret_post: {},
    private_key_jwt: { token_endpoint_auth_method: 'private_key_jwt', jwks },
    none: { type: 'public' },
  }[method];
  const grants = isConfidential(method) ? ['client_credentials', EXCHANGE] : [];
  return server.client({
    ...CODE,
    grant_types: [...CODE.grant_types, ...grants],
    scopes: SCOPE.split(' '),
    resources: [TOOLS, ORDERS],
    post_logout_redirect_uris: [BYE],
    ...ofMethod,
  });
}

/** The user signs in at the login page, and the browser brings the program its answer: as a URL, or as the form of a page. */
async function answerTo(url: URL): Promise<URL | Request> {
  const browser = new Browser(server);
  const { url: page } = await browser.visit(url.href);
  const { redirect_url } = (await answer(server, page, 'accept', { session_token: session })).body;
  const { url: back, text } = await browser.visit(redirect_url);
  if (back.origin === new URL(CALLBACK).origin) return back;
  const body = new URLSearchParams();
  for (const [, name, value] of text.matchAll(/name="(\w+)" value="([^"]*)"/g)) body.append(name!, value!);
  return new Request(CALLBACK, { method: 'POST', body });
}

/** The browser after a sign-out without a page. */
const signedOut = async (url: URL) => (await new Browser(server).visit(url.href)).url.href;

const exchangeOf = (subject_token: string) => ({
  subject_token,
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  resource: ORDERS,
});

describe.each(METHODS)('a program with %s', (method) => {
  it('goes through all flows with openid-client', async () => {
    const { id, secret } = await registered(method);
    const authentication = {
      client_secret_basic: () => openid.ClientSecretBasic(secret),
      client_secret_post: () => openid.ClientSecretPost(secret),
      private_key_jwt: () => openid.PrivateKeyJwt({ key: key.privateKey, kid: 'one' }),
      none: () => openid.None(),
    }[method]();
    const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
    const config = await openid.discovery(new URL(server.issuer), id, undefined, authentication, { execute });
    const proof = provesKeys(method)
      ? { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) }
      : undefined;

    const login = async (scope: string, resources: readonly string[] = []) => {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier();
      const request = new URLSearchParams({
        redirect_uri: CALLBACK,
        scope,
        state: 'the state',
        nonce: CLAIMS.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        response_mode: method === 'client_secret_post' ? 'form_post' : 'query',
      });
      for (const resource of resources) request.append('resource', resource);
      const url = await openid.buildAuthorizationUrlWithPAR(config, request, proof);
      const checks = {
        pkceCodeVerifier,
        expectedState: 'the state',
        expectedNonce: CLAIMS.nonce,
        idTokenExpected: true,
      };
      const [resource] = resources;
      const one = resource === undefined ? {} : { resource };
      return openid.authorizationCodeGrant(config, await answerTo(url), checks, one as Record<string, string>, proof);
    };
    const first = await login('openid email');
    expect(first.claims()).toMatchObject({ ...CLAIMS, sub: user, email: expect.any(String) });
    const { email } = await openid.fetchUserInfo(config, first.access_token, user, proof);
    expect(email).toBe(first.claims()!['email']);

    const tokens = await login(SCOPE, [TOOLS, ORDERS]);
    expect([decodeJwt(tokens.access_token).aud, tokens.token_type]).toEqual([TOOLS, proof ? 'dpop' : 'bearer']);
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!, { resource: ORDERS }, proof);
    expect(decodeJwt(refreshed.access_token).aud).toBe(ORDERS);
    if (isConfidential(method)) {
      const exchanged = await openid.genericGrantRequest(config, EXCHANGE, exchangeOf(tokens.access_token), proof);
      expect(decodeJwt(exchanged.access_token)).toMatchObject({ aud: ORDERS, sub: user, act: { sub: id } });
      const machine = await openid.clientCredentialsGrant(config, { resource: ORDERS }, proof);
      expect(decodeJwt(machine.access_token)).toMatchObject({ aud: ORDERS, sub: id });
    }
    const { active } = await openid.tokenIntrospection(config, tokens.access_token);
    await openid.tokenRevocation(config, tokens.access_token);
    expect([active, (await openid.tokenIntrospection(config, tokens.access_token)).active]).toEqual([true, false]);

    const bye = { post_logout_redirect_uri: BYE, id_token_hint: first.id_token!, state: 'gone' };
    expect(await signedOut(openid.buildEndSessionUrl(config, bye))).toBe(`${BYE}?state=gone`);
    await expect(openid.refreshTokenGrant(config, first.refresh_token!, {}, proof)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('goes through all flows with oauth4webapi', async () => {
    const { id, secret } = await registered(method);
    const client = { client_id: id };
    const authentication = {
      client_secret_basic: () => oauth.ClientSecretBasic(secret),
      client_secret_post: () => oauth.ClientSecretPost(secret),
      private_key_jwt: () => oauth.PrivateKeyJwt({ key: key.privateKey, kid: 'one' }),
      none: () => oauth.None(),
    }[method]();
    const insecure = { [oauth.allowInsecureRequests]: true };
    const proof = provesKeys(method) && { DPoP: oauth.DPoP({}, await oauth.generateKeyPair('ES256')) };
    const options = { ...insecure, ...proof };
    const issuer = new URL(server.issuer);
    // RFC 8414's form of the address.
    const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const as = await oauth.processDiscoveryResponse(issuer, discovered);

    const login = async (scope: string, resources: readonly string[] = []) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const request = new URLSearchParams({
        response_type: 'code',
        redirect_uri: CALLBACK,
        scope,
        state: 'the state',
        nonce: CLAIMS.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      for (const resource of resources) request.append('resource', resource);
      const pushed = await oauth.pushedAuthorizationRequest(as, client, authentication, request, options);
      const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed);
      const url = new URL(as.authorization_endpoint!);
      url.search = `${new URLSearchParams({ client_id: id, request_uri })}`;
      const parameters = oauth.validateAuthResponse(as, client, (await answerTo(url)) as URL, 'the state');
      const additionalParameters = new URLSearchParams();
      if (resources.length > 0) additionalParameters.set('resource', resources[0]!);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        parameters,
        CALLBACK,
        verifier,
        { ...options, additionalParameters },
      );
      const expected = { expectedNonce: CLAIMS.nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, expected);
      await oauth.validateApplicationLevelSignature(as, response, insecure);
      return tokens;
    };
    const first = await login('openid email');
    const claims = oauth.getValidatedIdTokenClaims(first)!;
    expect(claims).toMatchObject({ ...CLAIMS, sub: user });
    const userinfo = await oauth.userInfoRequest(as, client, first.access_token, options);
    const { email } = await oauth.processUserInfoResponse(as, client, user, userinfo);
    expect(email).toBe(claims['email']);

    const tokens = await login(SCOPE, [TOOLS, ORDERS]);
    if (!proof) {
      // A resource server that is not ours reads it.
      const call = new Request(TOOLS, { headers: { authorization: `Bearer ${tokens.access_token}` } });
      expect(await oauth.validateJwtAccessToken(as, call, TOOLS, insecure)).toMatchObject({ client_id: id, sub: user });
    }
    const forOrders = { ...options, additionalParameters: { resource: ORDERS } };
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token!, forOrders),
    );
    expect(decodeJwt(refreshed.access_token).aud).toBe(ORDERS);
    if (isConfidential(method)) {
      const asked = exchangeOf(tokens.access_token);
      const exchanged = await oauth.processGenericTokenEndpointResponse(
        as,
        client,
        await oauth.genericTokenEndpointRequest(as, client, authentication, EXCHANGE, asked, options),
      );
      expect(decodeJwt(exchanged.access_token)).toMatchObject({ aud: ORDERS, sub: user, act: { sub: id } });
      const machine = await oauth.processClientCredentialsResponse(
        as,
        client,
        await oauth.clientCredentialsGrantRequest(as, client, authentication, { resource: ORDERS }, options),
      );
      expect(decodeJwt(machine.access_token)).toMatchObject({ aud: ORDERS, sub: id });
    }
    const isActive = async () => {
      const answered = await oauth.introspectionRequest(as, client, authentication, tokens.access_token, insecure);
      return (await oauth.processIntrospectionResponse(as, client, answered)).active;
    };
    expect(await isActive()).toBe(true);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, authentication, tokens.access_token, insecure),
    );
    expect(await isActive()).toBe(false);

    const bye = new URL(as.end_session_endpoint!);
    bye.search = `${new URLSearchParams({ post_logout_redirect_uri: BYE, id_token_hint: first.id_token!, state: 'gone' })}`;
    expect(await signedOut(bye)).toBe(`${BYE}?state=gone`);
    const answered = await oauth.refreshTokenGrantRequest(as, client, authentication, first.refresh_token!, options);
    await expect(oauth.processRefreshTokenResponse(as, client, answered)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
