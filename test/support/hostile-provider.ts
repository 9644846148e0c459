import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

export interface Keys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Makes an id_token from the claims of an honest provider. */
export type IdTokenForge = (claims: JWTPayload, keys: Keys) => string | Promise<string>;

/** What the provider does; each part honest until a test says otherwise. */
export interface Behaviour {
  /** Merged over the honest claims; undefined removes a claim. */
  claims: Record<string, unknown>;
  idToken: IdTokenForge;
  /** Merged over the token response. */
  tokens: Record<string, unknown>;
  /** Merged over the answer of the userinfo endpoint. */
  userinfo: Record<string, unknown>;
  /** Makes a signed answer (`application/jwt`) from the claims of the userinfo endpoint. */
  userinfoJwt: IdTokenForge | null;
  /** Merged over the discovery document. */
  discovery: Record<string, unknown>;
  /** Merged over the query of the redirect back. */
  callback: Record<string, string | undefined>;
  /** Sends the responses at these paths in a content coding. */
  encoded: {
    readonly coding: string;
    readonly encode: (body: Buffer) => Buffer;
    readonly paths: readonly string[];
  } | null;
  /** Request handlers that replace the provider's own at these paths. */
  routes: Record<string, RequestListener>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

/** An OpenID provider on loopback that can be made to lie, stall or flood. */
export interface HostileProvider {
  readonly issuer: string;
  /** Changes what it does, until `behave()` makes it honest again. */
  behave(changes?: Partial<Behaviour>): void;
  /** The redirect back for an authorization URL of this provider, as the browser would follow it. */
  authorize(authorizationUrl: string): string;
  /** Requests since the last `behave`. */
  readonly seen: readonly SeenRequest[];
  stop(): Promise<void>;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const keys: Keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicJwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const authorizations = new Map<string, URLSearchParams>();
  const seen: SeenRequest[] = [];
  const honest: Behaviour = {
    claims: {},
    idToken: sign(),
    tokens: {},
    userinfo: {},
    userinfoJwt: null,
    discovery: {},
    callback: {},
    encoded: null,
    routes: {},
  };
  let behaviour = honest;
  let clientId: string | null = null;

  const server = http.createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const answers: Record<string, (form: URLSearchParams) => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      ...behaviour.discovery,
    }),
    '/jwks': () => ({ keys: [publicJwk] }),
    '/userinfo': () => ({ sub: 'ann', email: 'ann@example.com', email_verified: true, ...behaviour.userinfo }),
    '/token': async (form) => {
      const asked = authorizations.get(form.get('code') ?? '');
      if (!asked) return { error: 'invalid_grant' };
      clientId = asked.get('client_id');
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        sub: 'ann',
        aud: clientId,
        nonce: asked.get('nonce'),
        iat: now,
        exp: now + 300,
      };
      const id_token = await behaviour.idToken({ ...claims, ...behaviour.claims } as JWTPayload, keys);
      return {
        access_token: 'at-secret',
        refresh_token: 'rt-secret',
        token_type: 'Bearer',
        id_token,
        ...behaviour.tokens,
      };
    },
  };

  server.on('request', async (request, response) => {
    const path = new URL(request.url!, issuer).pathname;
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const form = new URLSearchParams(body);
    seen.push({ path, headers: request.headers, form });
    const takenOver = behaviour.routes[path];
    if (takenOver) return takenOver(request, response);
    const answer = await answers[path]?.(form);
    const send = (status: number, type: string, text: string): void => {
      const { coding, encode, paths } = behaviour.encoded ?? { coding: '', encode: (body: Buffer) => body, paths: [] };
      const isEncoded = paths.includes(path);
      const headers = { 'Content-Type': type, ...(isEncoded && coding !== '' && { 'Content-Encoding': coding }) };
      response.writeHead(status, headers).end(isEncoded ? encode(Buffer.from(text)) : text);
    };
    if (path === '/userinfo' && behaviour.userinfoJwt) {
      const jwt = await behaviour.userinfoJwt({ iss: issuer, aud: clientId!, ...(answer as object) }, keys);
      return send(200, 'application/jwt; charset=utf-8', jwt);
    }
    send(answer ? 200 : 404, 'application/json', JSON.stringify(answer ?? {}));
  });

  return {
    issuer,
    seen,
    behave: (changes = {}) => {
      behaviour = { ...honest, ...changes };
      seen.length = 0;
    },
    authorize: (authorizationUrl) => {
      const asked = new URL(authorizationUrl).searchParams;
      const code = randomUUID();
      authorizations.set(code, asked);
      const back = new URL(asked.get('redirect_uri')!);
      for (const [name, value] of Object.entries({ code, state: asked.get('state')!, ...behaviour.callback })) {
        if (value !== undefined) back.searchParams.set(name, value);
      }
      return back.href;
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** Signs as an honest provider does, with changes to the header, or with another key. */
export function sign(header: Partial<JWTHeaderParameters> = {}, key?: KeyObject): IdTokenForge {
  return (claims, { privateKey }) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key ?? privateKey);
}

export const unsigned: IdTokenForge = (claims) => new UnsecuredJWT(claims).encode();

/** Key type confusion: the public key is used as an HMAC secret. */
export const hmacWithThePublicKey: IdTokenForge = (claims, { publicKey }) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }) as string));

export function hmacWith(secret: string): IdTokenForge {
  return (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.from(secret.padEnd(32, '\0')));
}

export const hangs: RequestListener = () => undefined;

export const fails: RequestListener = (_, response) => response.writeHead(500).end('Internal Server Error');

export const answersHtml: RequestListener = (_, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>access_token=stolen&id_token=x</html>');

export function redirectsTo(location: string): RequestListener {
  return (_, response) => response.writeHead(302, { Location: location }).end();
}

export function answersWith(status: number, json: unknown): RequestListener {
  return (_, response) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
}

/** Sends 50 MB of JSON. */
export const pours: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"access_token":"');
  let left = 800;
  const pour = (): void => {
    while (left-- > 0 && !response.destroyed) if (!response.write('a'.repeat(65_536))) return;
    response.end('"}');
  };
  response.on('drain', pour);
  pour();
};

/** Sends a byte every 50 ms, so that no idle timeout fires. */
export const drips: RequestListener = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(drip));
};
