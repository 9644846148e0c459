import { createHash, generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { exportJWK, jwtVerify } from 'jose';
import { newId } from '../../../src/kernel/ids.js';
import type { ProviderConnection } from '../../../src/modules/oauth/domain/identity-provider.js';
import { AccessDenied, ProviderRejected, ProviderUnavailable } from '../../../src/modules/oauth/domain/oauth.errors.js';
import { OpenidMetadata } from '../../../src/modules/oauth/infrastructure/openid-metadata.js';
import { PassportIdentityProvider } from '../../../src/modules/oauth/infrastructure/passport-identity-provider.js';
import { ProviderHttp } from '../../../src/modules/oauth/infrastructure/provider-http.js';
import { type Provider, PROVIDERS } from '../../../src/modules/oauth/infrastructure/providers.js';
import { SystemClock } from '../../../src/services/system-clock.js';
import type { Log } from '../../../src/kernel/log.js';
import { Outbound, type OutboundRequest } from '../../../src/services/outbound/outbound.js';
import {
  answersHtml,
  answersWith,
  type Behaviour,
  drips,
  fails,
  hangs,
  hmacWith,
  hmacWithThePublicKey,
  type HostileProvider,
  pours,
  redirectsTo,
  sign,
  startHostileProvider,
  unsigned,
} from '../../support/hostile-provider.js';
import { type OpenIdProvider, startIdentityProvider } from '../../support/identity-provider.js';

/** The log lines for operators. */
const logged: object[] = [];

/**
 * The production client, whose time limit ends only requests to `hangingPath`, so that a busy machine changes no result. It
 * counts its requests.
 */
class PatientOutbound extends Outbound {
  requests = 0;
  constructor(private readonly hangingPath?: string) {
    super({ allowPrivateNetworks: true });
  }
  override send(to: string, request: OutboundRequest = {}) {
    this.requests++;
    const timeoutMs = new URL(to).pathname === this.hangingPath ? 1_000 : 600_000;
    return super.send(to, { ...request, timeoutMs });
  }
}

class TestedProvider extends PassportIdentityProvider {
  constructor(
    protected override readonly providers: Readonly<Record<string, Provider>> = PROVIDERS,
    outbound = new Outbound({ allowPrivateNetworks: true }),
  ) {
    const http = new ProviderHttp(outbound);
    const clock = new SystemClock();
    const log = { warn: (line: object) => void logged.push(line) };
    super(http, new OpenidMetadata(http, clock), clock, { baseUrl }, log as unknown as Log);
  }
}

const connectionId = newId('oauthConnection');
const baseUrl = 'https://service.example';
const callbackUrl = `${baseUrl}/v1/auth/oauth/callback/${connectionId}`;
const binding = { state: 'the-state', nonce: 'the-nonce' };

function connection(changes: Partial<ProviderConnection> = {}): ProviderConnection {
  return {
    id: connectionId,
    appId: newId('app'),
    provider: 'acme',
    clientId: 'client & co',
    clientSecret: 'se:cret %',
    issuer: null,
    teamId: null,
    keyId: null,
    privateKey: null,
    sendsPkce: true,
    ...changes,
  };
}

const claimsOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

describe('sending the browser to a provider', () => {
  it.each([
    ['google', 'https://accounts.google.com/o/oauth2/v2/auth', 'openid email profile', true],
    ['microsoft', 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize', 'openid email profile', true],
    ['apple', 'https://appleid.apple.com/auth/authorize', 'openid email name', true],
    ['github', 'https://github.com/login/oauth/authorize', 'read:user user:email', false],
    ['discord', 'https://discord.com/oauth2/authorize', 'identify email', false],
    ['slack', 'https://slack.com/openid/connect/authorize', 'openid email profile', true],
    ['facebook', 'https://www.facebook.com/dialog/oauth', 'email public_profile', false],
    ['linkedin', 'https://www.linkedin.com/oauth/v2/authorization', 'openid email profile', false],
    ['gitlab', 'https://gitlab.com/oauth/authorize', 'openid email profile', true],
    ['twitch', 'https://id.twitch.tv/oauth2/authorize', 'openid user:read:email', true],
  ])(
    'sends the browser to %s with PKCE, a state and for OpenID a nonce, without a network request',
    async (provider, page, scope, isOpenid) => {
      const { url, codeVerifier, postsBack } = await new TestedProvider(
        PROVIDERS,
        new Outbound({ allowPrivateNetworks: false }),
      ).begin(connection({ provider }), binding);
      expect(url.split('?')[0]).toBe(page);
      expect(url).not.toContain('+');
      expect(claimsOf(url)).toMatchObject({
        client_id: 'client & co',
        redirect_uri: callbackUrl,
        response_type: 'code',
        scope,
        state: 'the-state',
        code_challenge_method: 'S256',
        code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      });
      expect(claimsOf(url)['nonce']).toBe(isOpenid ? 'the-nonce' : undefined);
      expect(postsBack).toBe(provider === 'apple');
    },
  );

  it('creates a new PKCE pair for every login', async () => {
    const verifiers = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await new TestedProvider().begin(connection({ provider: 'google' }), binding)).codeVerifier,
      ),
    );
    expect(new Set(verifiers).size).toBe(20);
    for (const verifier of verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('does not treat a property of Object.prototype as a built-in provider', () => {
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(new TestedProvider().isBuiltIn(name)).toBe(false);
  });
});

describe('a login at a real OpenID provider', () => {
  let real: OpenIdProvider;
  beforeAll(async () => (real = await startIdentityProvider()));
  afterAll(() => real.stop());

  const person = {
    sub: 'ann',
    email: 'ann@example.com',
    email_verified: true,
    given_name: 'Ann',
    middle_name: 'B.',
    family_name: 'Smith',
  };

  it.each([
    ['client_secret_basic', 'RS256'],
    ['client_secret_basic', 'ES256'],
    ['client_secret_post', 'RS256'],
  ] as const)(
    'a login at a real OpenID provider succeeds with %s and an id_token signed with %s',
    async (method, alg) => {
      const client = connection({ issuer: real.issuer, clientId: `${method} ${alg}` });
      await real.register({
        client_id: client.clientId,
        client_secret: client.clientSecret!,
        redirect_uris: [callbackUrl],
        token_endpoint_auth_method: method,
        id_token_signed_response_alg: alg,
      });
      const provider = new TestedProvider();
      const { url, codeVerifier } = await provider.begin(client, binding);
      const back = claimsOf((await real.signIn(url, person)).url);
      expect(back['state']).toBe('the-state');
      const login = await provider.complete(client, back, { ...binding, codeVerifier });
      expect(login).toEqual({
        subject: 'ann',
        claims: expect.objectContaining({ sub: 'ann', email: 'ann@example.com', iss: real.issuer }),
        email: { address: 'ann@example.com', isVerified: true },
        firstName: 'Ann',
        middleName: 'B.',
        lastName: 'Smith',
        accessToken: expect.any(String),
        refreshToken: expect.stringMatching(/.+/),
        userinfoDenial: null,
      });
      await expect(provider.complete(client, back, { ...binding, codeVerifier })).rejects.toThrow(ProviderRejected);
    },
  );

  it('rejects a login with another code verifier, and one that the user declined', async () => {
    const client = connection({ issuer: `${real.issuer}/`, clientId: 'refused' });
    await real.register({ client_id: 'refused', client_secret: client.clientSecret!, redirect_uris: [callbackUrl] });
    const provider = new TestedProvider();
    const { url, codeVerifier } = await provider.begin(client, binding);
    const answer = claimsOf((await real.signIn(url, person)).url);
    await expect(provider.complete(client, answer, { ...binding, codeVerifier: 'x'.repeat(43) })).rejects.toThrow(
      ProviderRejected,
    );
    const denied = claimsOf((await real.deny(url)).url);
    await expect(provider.complete(client, denied, { ...binding, codeVerifier })).rejects.toThrow(AccessDenied);
  });
});

describe('a hostile provider', () => {
  let hostile: HostileProvider;
  beforeAll(async () => (hostile = await startHostileProvider()));
  beforeEach(() => hostile.behave());
  afterAll(() => hostile.stop());

  async function login(
    changes: Partial<Behaviour> = {},
    client: Partial<ProviderConnection> = {},
    provider = new TestedProvider(),
  ) {
    const used = connection({ issuer: hostile.issuer, ...client });
    hostile.behave(changes);
    const { url, codeVerifier } = await provider.begin(used, binding);
    return provider.complete(used, claimsOf(hostile.authorize(url)), { ...binding, codeVerifier });
  }

  it('accepts the login of a provider that behaves correctly', async () => {
    expect(await login()).toMatchObject({
      subject: 'ann',
      email: { address: 'ann@example.com', isVerified: true },
      accessToken: 'at-secret',
      refreshToken: 'rt-secret',
    });
  });

  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);

  it.each<[string, Partial<Behaviour>]>([
    ['is not signed', { idToken: unsigned }],
    ['is an HMAC made with the public key', { idToken: hmacWithThePublicKey }],
    ['is an HMAC made with the client secret', { idToken: hmacWith('se:cret %') }],
    ['is signed with another key under a known kid', { idToken: sign({}, stranger.privateKey) }],
    ['names a key that is not published', { idToken: sign({ kid: 'two' }, stranger.privateKey) }],
    ['has another issuer', { claims: { iss: 'https://accounts.google.com' } }],
    ['has another audience', { claims: { aud: 'another client' } }],
    ['has another audience in a list', { claims: { aud: ['another client'] } }],
    ['has another authorized party', { claims: { azp: 'another client' } }],
    ['has several audiences and no authorized party', { claims: { aud: ['client & co', 'another client'] } }],
    ['has another nonce', { claims: { nonce: 'another' } }],
    ['has no nonce', { claims: { nonce: undefined } }],
    ['is expired', { claims: { exp: now - 3600, iat: now - 7200 } }],
    ['has no expiry', { claims: { exp: undefined } }],
    ['is not valid yet', { claims: { nbf: now + 3600 } }],
    ['has no subject', { claims: { sub: undefined } }],
    ['has an empty subject', { claims: { sub: '' }, userinfo: { sub: '' } }],
    ['has a subject that is a list', { claims: { sub: ['ann'] }, userinfo: { sub: ['ann'] } }],
    ['has a subject with a NUL character', { claims: { sub: 'ann\0' }, userinfo: { sub: 'ann\0' } }],
    ['is not a JWT', { idToken: () => 'e30.e30' }],
    ['is missing', { idToken: () => undefined as unknown as string }],
  ])('rejects a login whose id_token %s', async (_, changes) => {
    await expect(login(changes)).rejects.toThrow(ProviderRejected);
  });

  /** @see CVE-2026-22817 */
  it('rejects an id_token whose key is in its own header, or at an address in the header', async () => {
    const jwk = await exportJWK(stranger.publicKey);
    await expect(login({ idToken: sign({ jwk }, stranger.privateKey) })).rejects.toThrow(ProviderRejected);
    const jku = `${hostile.issuer}/other-keys`;
    await expect(
      login({
        idToken: sign({ jku, kid: 'two' }, stranger.privateKey),
        routes: { '/other-keys': answersWith(200, { keys: [jwk] }) },
      }),
    ).rejects.toThrow(ProviderRejected);
    expect(hostile.seen.map(({ path }) => path)).not.toContain('/other-keys');
  });

  it('accepts an id_token with several audiences when its authorized party is this client', async () => {
    await expect(login({ claims: { aud: ['client & co', 'other'], azp: 'client & co' } })).resolves.toMatchObject({
      subject: 'ann',
    });
  });

  it.each<[string, Partial<Behaviour>]>([
    ['is of another subject', { userinfo: { sub: 'bob' } }],
    ['has no subject', { userinfo: { sub: undefined } }],
    ['is not an object', { routes: { '/userinfo': answersWith(200, ['ann']) } }],
  ])('rejects a login whose profile %s', async (_, changes) => {
    await expect(login(changes)).rejects.toThrow(ProviderRejected);
  });

  const [p256, short] = [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('rsa', { modulusLength: 1024 }),
  ];
  const rsa = { kid: 'one', ...stranger.publicKey.export({ format: 'jwk' }) };
  const ec = { kid: 'one', ...p256.publicKey.export({ format: 'jwk' }) };
  const signedES256 = sign({ alg: 'ES256' }, p256.privateKey);
  const signedEdDSA = sign({ alg: 'EdDSA' }, generateKeyPairSync('ed25519').privateKey);

  it.each<[string, unknown, Behaviour['idToken']?]>([
    ['an RSA key of 1024 bits', { kid: 'one', ...short.publicKey.export({ format: 'jwk' }) }],
    ['an RSA key without a modulus', { ...rsa, n: undefined }],
    ['an RSA key without an exponent', { ...rsa, e: undefined }],
    ['an RSA key with an empty modulus', { ...rsa, n: '' }],
    ['an RSA key whose modulus is a number', { ...rsa, n: 3 }],
    ['an RSA key whose modulus is null', { ...rsa, n: null }],
    ['an RSA key whose modulus is not base64url', { ...rsa, n: '§§§' }],
    ['an RSA key whose exponent is 0', { ...rsa, e: 'AA' }],
    ['an RSA key whose exponent is enormous', { ...rsa, e: 'A'.repeat(10_000) }],
    ['an RSA key whose modulus is enormous', { ...rsa, n: '_'.repeat(100_000) }],
    ['an RSA key with a list of uses', { ...rsa, use: ['sig'] }],
    ['an RSA key whose operations are not a list', { ...rsa, key_ops: 'verify' }],
    ['an RSA key whose operations have wrong types', { ...rsa, key_ops: [1, null] }],
    ['a private RSA key with members missing', { ...rsa, d: 'AQAB' }],
    ['a key without a type', { ...rsa, kty: undefined }],
    ['a key of an unknown type', { ...rsa, kty: 'XYZ' }],
    ['a key whose type is a number', { ...rsa, kty: 1 }],
    ['a symmetric key', { kid: 'one', kty: 'oct', k: 'AQAB' }],
    ['null', null],
    ['a text', 'key'],
    ['a list', [rsa]],
    ['a point off the curve', { ...ec, y: ec.x }, signedES256],
    ['a point without a coordinate', { ...ec, y: undefined }, signedES256],
    ['a point with a coordinate that is too short', { ...ec, x: 'AQAB' }, signedES256],
    ['a point on an unknown curve', { ...ec, crv: 'P-1' }, signedES256],
    ['a point on another curve than the algorithm names', { ...ec, crv: 'P-384' }, signedES256],
    ['an Ed25519 key that is too short', { kid: 'one', kty: 'OKP', crv: 'Ed25519', x: 'AQAB' }, signedEdDSA],
    ['an Ed25519 key without its point', { kid: 'one', kty: 'OKP', crv: 'Ed25519' }, signedEdDSA],
    ['an Ed25519 key whose curve is an object', { kid: 'one', kty: 'OKP', crv: {}, x: 'AQAB' }, signedEdDSA],
  ])('rejects a login when the key set of the provider has %s', async (_, key, idToken = sign()) => {
    await expect(login({ idToken, routes: { '/jwks': answersWith(200, { keys: [key] }) } })).rejects.toThrow(
      ProviderRejected,
    );
  });

  it.each<[string, unknown]>([
    ['a text', 'keys'],
    ['a list', []],
    ['an object without keys', {}],
    ['an object whose keys are an object', { keys: { length: 1 } }],
  ])('rejects a login when the key set of the provider is %s', async (_, keySet) => {
    await expect(login({ routes: { '/jwks': answersWith(200, keySet) } })).rejects.toThrow(ProviderRejected);
  });

  it('uses a profile that is a JWT and verifies', async () => {
    const { email, firstName } = await login({ userinfoJwt: sign(), userinfo: { given_name: 'Ann' } });
    expect({ email, firstName }).toEqual({ email: { address: 'ann@example.com', isVerified: true }, firstName: 'Ann' });
  });

  const forging =
    (changes: object, forge = sign()): Behaviour['userinfoJwt'] =>
    (claims, keys) =>
      forge({ ...claims, ...changes }, keys);
  it.each<[string, Behaviour['userinfoJwt']]>([
    ['is not signed', unsigned],
    ['is signed with another key', sign({}, stranger.privateKey)],
    ['is an HMAC made with the public key', hmacWithThePublicKey],
    ['has another issuer', forging({ iss: 'https://accounts.google.com' })],
    ['has no issuer', forging({ iss: undefined })],
    ['has another audience', forging({ aud: 'another client' })],
    ['has no audience', forging({ aud: undefined })],
    ['is of another subject', forging({ sub: 'bob' })],
    ['has no subject', forging({ sub: undefined })],
    ['is expired', forging({ exp: now - 3600 })],
    ['is encrypted or is not a JWT', () => 'a.b.c.d.e'],
  ])('accepts a login without its profile when that is a JWT that %s', async (_, userinfoJwt) => {
    const { subject, email, firstName } = await login({ userinfoJwt, userinfo: { given_name: 'Bob' } });
    expect({ subject, email, firstName }).toEqual({ subject: 'ann', email: null, firstName: '' });
  });

  it.each([401, 403, 404])(
    'accepts a login whose userinfo endpoint answers %i, by the id_token alone',
    async (status) => {
      const routes = { '/userinfo': answersWith(status, { error: 'invalid_token' }) };
      const claims = { email: 'ann@example.com', email_verified: true, given_name: 'Ann' };
      expect(await login({ routes, claims })).toMatchObject({
        subject: 'ann',
        email: { address: 'ann@example.com', isVerified: true },
        firstName: 'Ann',
        userinfoDenial: status,
      });
      expect(await login({ routes })).toMatchObject({ subject: 'ann', email: null, userinfoDenial: status });
      // The id_token must verify as always.
      await expect(login({ routes, idToken: sign({}, stranger.privateKey) })).rejects.toThrow(ProviderRejected);
    },
  );

  it.each([400, 402, 405, 410])('rejects a login whose userinfo endpoint answers %i', async (status) => {
    await expect(login({ routes: { '/userinfo': answersWith(status, {}) } })).rejects.toThrow(ProviderRejected);
  });

  describe('an id_token whose auth_time is no number', () => {
    it.each<[unknown, unknown]>([
      [String(now), now],
      ['2026-01-01T00:00:00Z', undefined],
      ['', undefined],
      [-1, undefined],
      [null, undefined],
      [true, undefined],
      [{}, undefined],
      ['9'.repeat(400), undefined],
    ])('is accepted with %j, and with the seconds if it has them', async (auth_time, seconds) => {
      const { subject, claims } = await login({ claims: { auth_time, amr: ['pwd'] } });
      expect([subject, claims['auth_time'], claims['amr']]).toEqual(['ann', seconds, ['pwd']]);
    });

    const auth_time = String(now);
    it.each<[string, Partial<Behaviour>]>([
      ['is signed with another key', { claims: { auth_time }, idToken: sign({}, stranger.privateKey) }],
      ['is not signed', { claims: { auth_time }, idToken: unsigned }],
      ['is an HMAC made with the public key', { claims: { auth_time }, idToken: hmacWithThePublicKey }],
      ['has another audience', { claims: { auth_time, aud: 'another client' } }],
      ['has another issuer', { claims: { auth_time, iss: 'https://accounts.google.com' } }],
      ['has another nonce', { claims: { auth_time, nonce: 'another' } }],
      ['is expired', { claims: { auth_time, exp: now - 3600, iat: now - 7200 } }],
      ['has no subject', { claims: { auth_time, sub: undefined } }],
    ])('is rejected when it %s', async (_, changes) => {
      await expect(login(changes)).rejects.toThrow(ProviderRejected);
    });
  });

  it.each(['true', 1, 'yes', {}, null, undefined])(
    'does not treat an address as verified when email_verified is %j',
    async (value) => {
      expect((await login({ userinfo: { email_verified: value } })).email).toEqual({
        address: 'ann@example.com',
        isVerified: false,
      });
    },
  );

  it('does not apply the verification of one address to another', async () => {
    const { email } = await login({ claims: { email: 'victim@example.com' } });
    expect(email).toEqual({ address: 'victim@example.com', isVerified: false });
  });

  it('stores names without control characters and lone surrogates', async () => {
    const names = await login({
      userinfo: { given_name: `A\0n\u{d800}n ${'x'.repeat(300)}`, family_name: { no: 'text' } },
    });
    expect(names.firstName).toHaveLength(256);
    expect(names.firstName).toMatch(/^An\u{fffd}n x+$/u);
    expect(names.lastName).toBe('');
  });

  describe.each(['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'])('a request to %s', (path) => {
    it.each<[string, Behaviour['routes'][string], typeof ProviderRejected | typeof ProviderUnavailable]>([
      ['hangs', hangs, ProviderUnavailable],
      ['drips', drips, ProviderUnavailable],
      ['fails', fails, ProviderUnavailable],
      ['is overloaded', answersWith(429, {}), ProviderUnavailable],
      ['pours 50 MB', pours, ProviderRejected],
      ['answers HTML', answersHtml, ProviderRejected],
      ['answers null', answersWith(200, null), ProviderRejected],
      ['redirects', redirectsTo('/elsewhere'), ProviderRejected],
      ['answers nothing (204)', answersWith(204, {}), ProviderRejected],
      ['says it did not change (304)', answersWith(304, {}), ProviderRejected],
    ])('ends a login in bounded time when the provider %s', async (_, route, refusal) => {
      const outbound = new PatientOutbound(route === hangs || route === drips ? path : undefined);
      const provider = new TestedProvider(PROVIDERS, outbound);
      await expect(login({ routes: { [path]: route } }, {}, provider)).rejects.toThrow(refusal);
      // Discovery, token, keys and profile, without retries: each request has a time limit, so their number bounds the time.
      expect(outbound.requests).toBeLessThanOrEqual(4);
      expect(hostile.seen.map((request) => request.path)).not.toContain('/elsewhere');
    });
  });

  describe('compressed responses, though none were requested', () => {
    const paths = ['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'];
    const codings: [string, (body: Buffer) => Buffer][] = [
      ['gzip', gzipSync],
      ['X-GZIP', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['gzip, br', (body) => brotliCompressSync(gzipSync(body))],
      ['identity', (body) => body],
      ['', (body) => Buffer.concat([Buffer.from('\ufeff'), body])],
    ];

    it.each(codings)('are decoded at every endpoint: %s', async (coding, encode) => {
      expect(await login({ encoded: { coding, encode, paths } })).toMatchObject({
        subject: 'ann',
        email: { address: 'ann@example.com', isVerified: true },
      });
      expect(hostile.seen.map(({ path }) => path)).toEqual(paths);
    });

    it('are decoded where the profile is a JWT', async () => {
      const encoded = { coding: 'gzip', encode: gzipSync, paths };
      const { email } = await login({ userinfoJwt: sign(), encoded });
      expect(email?.address).toBe('ann@example.com');
    });

    it.each<[string, string, () => Buffer]>([
      ['an unknown coding', 'zstd', () => Buffer.from('{}')],
      ['a damaged body', 'gzip', () => Buffer.from('{"a":1}')],
      ['a body that ends early', 'gzip', () => gzipSync(Buffer.from('{"a":1}')).subarray(0, 12)],
      ['a name of Object.prototype', 'constructor', () => Buffer.from('{}')],
      ['three codings', 'gzip, gzip, gzip', () => gzipSync(gzipSync(gzipSync(Buffer.from('{}'))))],
    ])('end the login when they have %s', async (_, coding, encode) => {
      for (const path of paths)
        await expect(login({ encoded: { coding, encode, paths: [path] } })).rejects.toMatchObject({
          code: 'provider_error',
          reason: expect.stringContaining('cannot be decoded'),
        });
    });

    it('are not decoded beyond the bound of size', async () => {
      const bomb = Buffer.from(`{"access_token":"${'a'.repeat(50_000_000)}"}`);
      for (const [coding, encode] of [
        ['gzip', gzipSync],
        ['deflate', deflateSync],
        ['br', (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
        ['gzip, gzip', (body: Buffer) => gzipSync(gzipSync(body))],
      ] as const) {
        const packed = encode(bomb);
        for (const path of paths) {
          const encoded = { coding, encode: () => packed, paths: [path] };
          const before = process.memoryUsage();
          await expect(login({ encoded })).rejects.toThrow(ProviderRejected);
          const after = process.memoryUsage();
          expect(after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed).toBeLessThan(20_000_000);
        }
      }
      expect(logged.at(-1)).toMatchObject({ reason: expect.stringContaining('answered too much') });
    });
  });

  it.each([undefined, null, ''])('accepts a login at a provider whose userinfo_endpoint is %j', async (endpoint) => {
    const { subject, userinfoDenial } = await login({ discovery: { userinfo_endpoint: endpoint } });
    expect([subject, userinfoDenial]).toEqual(['ann', null]);
  });

  describe('a connection without PKCE', () => {
    it('sends neither challenge nor verifier, and completes', async () => {
      const used = connection({ issuer: hostile.issuer, sendsPkce: false });
      const provider = new TestedProvider();
      const { url, codeVerifier } = await provider.begin(used, binding);
      expect(claimsOf(url)).toMatchObject({ state: 'the-state', nonce: 'the-nonce', client_id: 'client & co' });
      expect(url).not.toContain('code_challenge');
      expect(codeVerifier).toBe('');
      const answer = claimsOf(hostile.authorize(url));
      expect(await provider.complete(used, answer, { ...binding, codeVerifier })).toMatchObject({ subject: 'ann' });
      // A login that a previous release began has a verifier.
      const again = claimsOf(hostile.authorize((await provider.begin(used, binding)).url));
      await provider.complete(used, again, { ...binding, codeVerifier: 'x'.repeat(43) });
      const tokens = hostile.seen.filter(({ path }) => path === '/token');
      expect(tokens.map(({ form }) => form.has('code_verifier'))).toEqual([false, false]);
    });

    it('completes a login that began without it after the setting was switched on', async () => {
      const provider = new TestedProvider();
      const used = connection({ issuer: hostile.issuer });
      const { url } = await provider.begin({ ...used, sendsPkce: false }, binding);
      await provider.complete(used, claimsOf(hostile.authorize(url)), { ...binding, codeVerifier: '' });
      expect(hostile.seen.find(({ path }) => path === '/token')!.form.has('code_verifier')).toBe(false);
    });
  });

  it.each(['/token', '/userinfo'])(
    'logs in the user of another app while 64 calls of one app hang at %s',
    async (path) => {
      const provider = new TestedProvider(PROVIDERS, new PatientOutbound());
      const appId = newId('app');
      await login({}, { appId }, provider);
      const used = connection({ issuer: hostile.issuer, appId });
      const waiting: ServerResponse[] = [];
      hostile.behave({ routes: { [path]: (_, response) => void waiting.push(response) } });
      const hanging = Array.from({ length: 64 }, async () => {
        const { url, codeVerifier } = await provider.begin(used, binding);
        return provider.complete(used, claimsOf(hostile.authorize(url)), { ...binding, codeVerifier });
      });
      const ended = Promise.allSettled(hanging);
      while (waiting.length < 64) await new Promise(setImmediate);
      expect(await login({}, {}, provider)).toMatchObject({ subject: 'ann' });
      for (const response of waiting) response.destroy();
      await ended;
    },
  );

  it('reports a provider as unavailable when its address refuses connections', async () => {
    await expect(login({ discovery: { token_endpoint: 'http://127.0.0.1:1/token' } })).rejects.toThrow(
      ProviderUnavailable,
    );
  });

  it.each([undefined, ''])('rejects the code %j without a request for tokens', async (code) => {
    const provider = new TestedProvider();
    const used = connection({ issuer: hostile.issuer });
    hostile.behave({});
    const { codeVerifier } = await provider.begin(used, binding);
    await expect(provider.complete(used, { code }, { ...binding, codeVerifier })).rejects.toThrow(ProviderRejected);
    expect(hostile.seen.map((request) => request.path)).not.toContain('/token');
  });

  it.each<[string, Behaviour['routes'][string]]>([
    ['an error of RFC 6749', answersWith(400, { error: 'invalid_grant' })],
    ['an error with status 200', answersWith(200, { error: 'bad_verification_code' })],
    ['no access token', answersWith(200, { token_type: 'Bearer' })],
    ['an access token that is not a string', answersWith(200, { access_token: { a: 1 } })],
    ['a token of an unknown type', answersWith(200, { access_token: 'x', token_type: 'mac' })],
    ['a token that is bound to a key', answersWith(200, { access_token: 'x', token_type: 'DPoP' })],
  ])('rejects a login when the token endpoint answers %s', async (_, route) => {
    await expect(login({ routes: { '/token': route } })).rejects.toThrow(ProviderRejected);
  });

  /** Twitch sends a list of scopes, and some providers omit the token type. */
  it('accepts a token response that deviates in members that a login does not use', async () => {
    const tokens = { token_type: undefined, scope: ['openid'], expires_in: 'soon', refresh_token: '' };
    expect(await login({ tokens })).toMatchObject({ subject: 'ann', accessToken: 'at-secret', refreshToken: '' });
  });

  it('logs the reason of a rejection for the operator, without values that the provider sent', async () => {
    logged.length = 0;
    const refused = login({ routes: { '/token': answersWith(400, { error: 'at-secret <script>' }) } });
    const refusal = await refused.catch((error: ProviderRejected) => error);
    expect((refusal as Error).message).toBe('The identity provider did not complete the login.');
    await expect(login({ claims: { nonce: 'another' } })).rejects.toThrow(ProviderRejected);
    expect(logged).toMatchObject([
      {
        connection_id: connectionId,
        provider: 'acme',
        reason: 'the token endpoint answered 400 an error without a code',
      },
      { connection_id: connectionId, provider: 'acme', reason: 'the id_token has another nonce' },
    ]);
    expect(JSON.stringify(logged)).not.toMatch(/secret|script|se:cret/);
  });

  it.each<[string, Partial<Behaviour>]>([
    [
      'names another issuer, as its tokens do',
      { discovery: { issuer: 'https://accounts.google.com' }, claims: { iss: 'https://accounts.google.com' } },
    ],
    ['lacks an endpoint', { discovery: { jwks_uri: undefined } }],
    ['accepts no client secret', { discovery: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } }],
    ['has an endpoint that is not a web address', { discovery: { token_endpoint: 'file:///etc/passwd' } }],
  ])('rejects a provider whose discovery document %s', async (_, changes) => {
    await expect(login(changes)).rejects.toThrow(ProviderRejected);
  });

  /** @see CVE-2026-104973 */
  it('calls no private address that is the issuer or an endpoint of a provider', async () => {
    const strict = new TestedProvider(PROVIDERS, new Outbound({ allowPrivateNetworks: false }));
    await expect(login({}, {}, strict)).rejects.toThrow(ProviderRejected);
    await expect(login({}, { issuer: 'https://169.254.169.254' }, strict)).rejects.toThrow(ProviderRejected);
    expect(hostile.seen).toEqual([]);
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'refuses a private address as %s in the discovery document of a public issuer',
    async (name) => {
      const issuer = 'https://8.8.8.8';
      const document = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
      };
      class Published extends Outbound {
        constructor(private readonly changes: object = {}) {
          super({ allowPrivateNetworks: false });
        }
        override async send() {
          return { status: 200, headers: {}, body: JSON.stringify({ ...document, ...this.changes }) };
        }
      }
      const metadata = (changes?: object) =>
        new OpenidMetadata(new ProviderHttp(new Published(changes)), new SystemClock());
      await expect(metadata().endpoints(issuer)).resolves.toMatchObject({ token: `${issuer}/token` });
      for (const url of ['https://169.254.169.254/latest', 'https://[::ffff:10.0.0.1]/', 'http://8.8.8.8/']) {
        await expect(metadata({ [name]: url }).endpoints(issuer)).rejects.toThrow(ProviderRejected);
      }
    },
  );

  it('rejects an HMAC whose secret is published as a key', async () => {
    const secret = 'published'.padEnd(32, '\0');
    const oct = { kty: 'oct', kid: 'one', alg: 'HS256', k: Buffer.from(secret).toString('base64url') };
    const changes = { idToken: hmacWith(secret), routes: { '/jwks': answersWith(200, { keys: [oct] }) } };
    await expect(login(changes)).rejects.toThrow(ProviderRejected);
  });

  it('fetches an unknown signing key at most once a minute, and accepts its tokens after that', async () => {
    const provider = new TestedProvider();
    await login({}, {}, provider);
    const next = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...(await exportJWK(next.publicKey)), kid: 'two' };
    const rotated = {
      idToken: sign({ kid: 'two' }, next.privateKey),
      routes: { '/jwks': answersWith(200, { keys: [jwk] }) },
    };
    const fetches = () => hostile.seen.filter(({ path }) => path === '/jwks').length;
    for (let i = 0; i < 3; i++) await expect(login(rotated, {}, provider)).rejects.toThrow(ProviderRejected);
    expect(fetches()).toBe(0);
    const aMinuteLater = Date.now() + 61_000;
    const time = jest.spyOn(Date, 'now').mockImplementation(() => aMinuteLater);
    try {
      await expect(login(rotated, {}, provider)).resolves.toMatchObject({ subject: 'ann' });
      expect(fetches()).toBe(1);
    } finally {
      time.mockRestore();
    }
  });

  it('requests a discovery document once, and again after a failure', async () => {
    const provider = new TestedProvider();
    await expect(login({ routes: { '/.well-known/openid-configuration': fails } }, {}, provider)).rejects.toThrow(
      ProviderUnavailable,
    );
    await login({}, {}, provider);
    await Promise.all([login({}, {}, provider), login({}, {}, provider)]);
    expect(hostile.seen.filter(({ path }) => path.startsWith('/.well-known'))).toHaveLength(0);
  });

  describe('a response from another provider (RFC 9207)', () => {
    it('rejects an authorization response with another issuer', async () => {
      await expect(login({ callback: { iss: 'https://honest.example' } })).rejects.toThrow(ProviderRejected);
      expect(hostile.seen.map(({ path }) => path)).not.toContain('/token');
    });

    it('rejects an authorization response without an issuer when the provider announces one', async () => {
      const promised = { authorization_response_iss_parameter_supported: true };
      await expect(login({ discovery: promised })).rejects.toThrow(ProviderRejected);
      await expect(login({ discovery: promised, callback: { iss: hostile.issuer } })).resolves.toMatchObject({
        subject: 'ann',
      });
    });
  });

  it.each<[Record<string, string | undefined>, typeof AccessDenied | typeof ProviderRejected]>([
    [{ error: 'access_denied', code: undefined }, AccessDenied],
    [{ error: 'user_cancelled_authorize', code: undefined }, AccessDenied],
    [{ error: 'temporarily_unavailable', code: undefined }, ProviderRejected],
    [{ error: 'server_error' }, ProviderRejected],
    [{ code: undefined }, ProviderRejected],
  ])('ends the login when the authorization response is %j', async (callback, refusal) => {
    await expect(login({ callback })).rejects.toThrow(refusal);
    expect(hostile.seen.map(({ path }) => path)).not.toContain('/token');
  });

  it('sends the client secret in one place: the header for basic, else the form', async () => {
    await login({ discovery: { token_endpoint_auth_methods_supported: undefined } });
    const [basic] = hostile.seen.filter(({ path }) => path === '/token');
    expect(basic?.headers.authorization).toBe(`Basic ${Buffer.from('client+%26+co:se%3Acret+%25').toString('base64')}`);
    expect(basic?.form.has('client_secret')).toBe(false);
    expect(basic?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    await login({ discovery: { token_endpoint_auth_methods_supported: ['client_secret_post'] } });
    const [post] = hostile.seen.filter(({ path }) => path === '/token');
    expect(post?.headers.authorization).toBeUndefined();
    expect(Object.fromEntries(post!.form)).toMatchObject({
      client_id: 'client & co',
      client_secret: 'se:cret %',
      grant_type: 'authorization_code',
    });
  });
});

describe('a built-in provider', () => {
  let fake: HostileProvider;
  beforeAll(async () => (fake = await startHostileProvider()));
  beforeEach(() => fake.behave());
  afterAll(() => fake.stop());

  /** The provider's own row of the table. Only its addresses are changed to loopback. */
  function moved(name: string): TestedProvider {
    const provider = PROVIDERS[name]!;
    const move = (url: string) => fake.issuer + new URL(url).pathname;
    const { endpoints } = provider;
    return new TestedProvider({
      [name]: {
        ...provider,
        endpoints: {
          ...endpoints!,
          token: `${fake.issuer}/token`,
          ...(endpoints?.profile && { profile: move(endpoints.profile) }),
          ...(endpoints?.emails && { emails: move(endpoints.emails) }),
          ...(endpoints?.openid && { openid: { ...endpoints.openid, jwks: `${fake.issuer}/jwks` } }),
        },
      },
    });
  }

  async function login(
    name: string,
    changes: Partial<Behaviour>,
    client: Partial<ProviderConnection> = {},
    first: { user?: string } = {},
  ) {
    const provider = moved(name);
    const used = connection({ provider: name, ...client });
    fake.behave(changes);
    const { url, codeVerifier } = await provider.begin(used, binding);
    return provider.complete(used, { ...claimsOf(fake.authorize(url)), ...first }, { ...binding, codeVerifier });
  }

  it('google: reads everything from the id_token', async () => {
    const claims = {
      iss: 'https://accounts.google.com',
      email: 'a@gmail.com',
      email_verified: true,
      given_name: 'A',
      family_name: 'B',
    };
    expect(await login('google', { claims })).toMatchObject({
      email: { address: 'a@gmail.com', isVerified: true },
      firstName: 'A',
      lastName: 'B',
    });
    expect(fake.seen.map(({ path }) => path)).toEqual(['/token', '/jwks']);
  });

  it('google: accepts its issuer with and without https://, as documented, and for no other provider', async () => {
    const iss = 'accounts.google.com';
    await expect(login('google', { claims: { iss } })).resolves.toMatchObject({ subject: 'ann' });
    await expect(login('google', { claims: { iss: 'evil.example' } })).rejects.toThrow(ProviderRejected);
    for (const other of ['microsoft', 'acme']) {
      const client = other === 'acme' ? { issuer: fake.issuer } : {};
      const provider = other === 'acme' ? 'google' : other;
      await expect(login(provider, { claims: { iss } }, client)).rejects.toThrow(ProviderRejected);
    }
  });

  describe('microsoft', () => {
    const tid = '9188040d-6c67-4c5b-b112-36a304b66dad';
    const iss = `https://login.microsoftonline.com/${tid}/v2.0`;

    it('microsoft: accepts only the issuer of the tenant in the token', async () => {
      await expect(login('microsoft', { claims: { iss, tid } })).resolves.toMatchObject({ subject: 'ann' });
      const other = '00000000-0000-4000-8000-000000000000';
      await expect(login('microsoft', { claims: { iss, tid: other } })).rejects.toThrow(ProviderRejected);
      await expect(login('microsoft', { claims: { iss, tid: undefined } })).rejects.toThrow(ProviderRejected);
      await expect(
        login('microsoft', { claims: { iss: 'https://login.microsoftonline.com/../evil/v2.0', tid: '../evil' } }),
      ).rejects.toThrow(ProviderRejected);
    });

    /** nOAuth: a tenant can write any address into the claim. */
    it('microsoft: treats an address as verified only by the claim that the tenant owns its domain', async () => {
      const said = { iss, tid, email: 'victim@example.com', email_verified: true };
      expect((await login('microsoft', { claims: said })).email?.isVerified).toBe(false);
      expect((await login('microsoft', { claims: { ...said, xms_edov: true } })).email?.isVerified).toBe(true);
    });
  });

  describe('apple', () => {
    const team = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const privateKey = team.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const client = { clientSecret: null, teamId: 'TEAM', keyId: 'KEY', privateKey };
    const claims = { iss: 'https://appleid.apple.com', email: 'a@privaterelay.appleid.com', email_verified: 'true' };

    it('apple: signs its client secret with the key of the team and reads the names from the first post', async () => {
      const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'Smith' }, email: 'victim@example.com' });
      expect(await login('apple', { claims }, client, { user })).toMatchObject({
        email: { address: 'a@privaterelay.appleid.com', isVerified: true },
        firstName: 'Ann',
        lastName: 'Smith',
      });
      const secret = fake.seen.find(({ path }) => path === '/token')!.form.get('client_secret')!;
      const { payload, protectedHeader } = await jwtVerify(secret, team.publicKey, {
        audience: 'https://appleid.apple.com',
        issuer: 'TEAM',
      });
      expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'KEY' });
      expect(payload.sub).toBe('client & co');
      expect(payload.exp! - payload.iat!).toBe(300);
    });

    it.each(['not json', 'null', '[]', '"x"', '{"name":null}', '{"name":{"firstName":{}}}'])(
      'apple: accepts a login with a first post of %s',
      async (user) => {
        expect(await login('apple', { claims }, client, { user })).toMatchObject({
          subject: 'ann',
          firstName: '',
          lastName: '',
        });
      },
    );

    it('apple: rejects a connection whose key cannot sign', async () => {
      await expect(login('apple', { claims }, { ...client, privateKey: 'nonsense' })).rejects.toThrow(ProviderRejected);
      await expect(login('apple', { claims }, { ...client, keyId: null })).rejects.toThrow(ProviderRejected);
    });
  });

  describe('github', () => {
    const profile = answersWith(200, { id: 583_231, name: 'Ann B. Smith', email: 'public@example.com' });
    const emails = (list: unknown) => ({ routes: { '/user': profile, '/user/emails': answersWith(200, list) } });

    it('github: reads the primary address and its verification from the list of addresses', async () => {
      const list = [
        { email: 'previous@example.com', primary: false, verified: true },
        { email: 'ann@example.com', primary: true, verified: true },
      ];
      expect(await login('github', emails(list))).toMatchObject({
        subject: '583231',
        email: { address: 'ann@example.com', isVerified: true },
        firstName: 'Ann B.',
        lastName: 'Smith',
      });
      expect((await login('github', emails([{ ...list[1], verified: false }]))).email?.isVerified).toBe(false);
    });

    it.each([[[]], [{}], [[null]], ['x']])('github: treats no address as verified by a list of %j', async (list) => {
      expect((await login('github', emails(list))).email).toEqual({ address: 'public@example.com', isVerified: false });
    });

    it.each([403, 404])(
      'github: accepts a login without a verified address when the list of addresses answers %i',
      async (status) => {
        const denied = answersWith(status, { message: 'Resource not accessible by integration' });
        const privately = answersWith(200, { id: 583_231, name: 'Ann', email: null });
        const logIn = (user: typeof profile) => login('github', { routes: { '/user': user, '/user/emails': denied } });
        expect(await logIn(privately)).toMatchObject({ subject: '583231', email: null });
        expect((await logIn(profile)).email).toEqual({ address: 'public@example.com', isVerified: false });
      },
    );

    it('github: rejects a login when the list of addresses answers 401', async () => {
      const routes = { '/user': profile, '/user/emails': answersWith(401, {}) };
      await expect(login('github', { routes })).rejects.toThrow(ProviderRejected);
    });

    it('github: rejects a token in an answer with an error status', async () => {
      const list = [{ email: 'ann@example.com', primary: true, verified: true }];
      const { routes } = emails(list);
      await expect(
        login('github', { routes: { ...routes, '/token': answersWith(400, { access_token: 'x' }) } }),
      ).rejects.toThrow(ProviderRejected);
    });

    it('github: rejects a profile without an id', async () => {
      const routes = { '/user': answersWith(200, { login: 'ann' }), '/user/emails': answersWith(200, []) };
      await expect(login('github', { routes })).rejects.toThrow(ProviderRejected);
    });
  });

  it('discord: reads everything from the profile', async () => {
    const profile = { id: '80351110224678912', global_name: 'Ann', email: 'ann@example.com', verified: true };
    expect(await login('discord', { routes: { '/api/users/@me': answersWith(200, profile) } })).toMatchObject({
      subject: '80351110224678912',
      email: { address: 'ann@example.com', isVerified: true },
      firstName: 'Ann',
    });
  });

  it.each([
    ['slack', 'https://slack.com', '/api/openid.connect.userInfo', { name: 'Ann Smith' }, 'Ann'],
    ['gitlab', 'https://gitlab.com', '/oauth/userinfo', { name: 'Ann Smith' }, 'Ann'],
    ['twitch', 'https://id.twitch.tv/oauth2', '/oauth2/userinfo', { preferred_username: 'ann_plays' }, 'ann_plays'],
    ['linkedin', null, '/v2/userinfo', { given_name: 'Ann', family_name: 'Smith' }, 'Ann'],
  ])('%s: treats an address as verified only when the profile says so', async (name, iss, path, said, firstName) => {
    const logIn = (email_verified: unknown) => {
      const profile = { sub: 'ann', email: 'ann@example.com', email_verified, ...said };
      const routes = { [path]: answersWith(200, profile) };
      // LinkedIn's id_token has no nonce.
      return login(name, { routes, claims: iss === null ? { nonce: undefined } : { iss } });
    };
    expect(await logIn(true)).toMatchObject({
      subject: 'ann',
      email: { address: 'ann@example.com', isVerified: true },
      firstName,
    });
    for (const value of [false, 'true', undefined]) expect((await logIn(value)).email?.isVerified).toBe(false);
  });

  it('twitch: requests the address by the claims parameter', async () => {
    const { url } = await moved('twitch').begin(connection({ provider: 'twitch' }), binding);
    expect(JSON.parse(claimsOf(url)['claims']!)).toMatchObject({ userinfo: { email: null, email_verified: null } });
  });

  it('facebook: reads everything from the profile, and treats no address as verified', async () => {
    const profile = { id: '10158', name: 'Ann Smith', email: 'ann@example.com', verified: true, email_verified: true };
    expect(await login('facebook', { routes: { '/me': answersWith(200, profile) } })).toMatchObject({
      subject: '10158',
      email: { address: 'ann@example.com', isVerified: false },
      firstName: 'Ann',
      lastName: 'Smith',
    });
  });
});
