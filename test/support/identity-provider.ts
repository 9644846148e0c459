import { generateKeyPairSync, randomUUID, type JsonWebKey } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import './quiet-oidc-provider.js';
import Provider from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

/** The claims of the user who signs in. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly given_name?: string;
  readonly middle_name?: string;
  readonly family_name?: string;
  readonly groups?: readonly string[];
}

export interface ProviderClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method?: 'client_secret_basic' | 'client_secret_post';
  readonly id_token_signed_response_alg?: 'RS256' | 'ES256';
}

/** The browser's request to the callback: a GET of `url`, or a POST of `form` to it. */
export interface Callback {
  readonly url: string;
  readonly form?: URLSearchParams;
}

/** A real, certified OpenID provider on loopback, with a browser that can log in at it. */
export interface OpenIdProvider {
  readonly issuer: string;
  register(client: ProviderClient): Promise<void>;
  /** Follows the authorization URL like a browser, signs in, and stops before calling the redirect URI. */
  signIn(authorizationUrl: string, person: Person): Promise<Callback>;
  /** The same, but the user declines. */
  deny(authorizationUrl: string): Promise<Callback>;
  stop(): Promise<void>;
}

export interface ProviderSettings {
  /** Default: a free port. */
  readonly port?: number;
  /** The user who is signed in without a login page, for walks that use only curl. */
  readonly alwaysSignsIn?: Person;
}

export async function startIdentityProvider({
  port = 0,
  alwaysSignsIn,
}: ProviderSettings = {}): Promise<OpenIdProvider> {
  const people = new Map<string, Person>(alwaysSignsIn && [[alwaysSignsIn.sub, alwaysSignsIn]]);
  const server = http.createServer();
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: Provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [privateJwk('RS256'), privateJwk('ES256')] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'middle_name', 'family_name', 'groups'],
    },
    cookies: { keys: [randomUUID()] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    clientBasedCORS: () => false,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: 3600,
      AuthorizationCode: 60,
      IdToken: 3600,
      RefreshToken: 86_400,
      Interaction: 600,
      Session: 600,
      Grant: 86_400,
    },
    interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => people.get(sub) ?? { sub } }),
    loadExistingGrant: async ({
      oidc,
    }: {
      oidc: { client: { clientId: string }; session: { accountId: string }; params: { scope: string } };
    }) => {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope(oidc.params.scope);
      await grant.save();
      return grant;
    },
  });

  const answer = provider.callback();
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return answer(request, response);
    const form = new URLSearchParams(await text(request));
    const sub = form.get('sub') ?? alwaysSignsIn?.sub;
    const result = sub
      ? { login: { accountId: sub } }
      : { error: 'access_denied', error_description: 'The user declined.' };
    await provider.interactionFinished(request, response, result);
  });

  async function browse(authorizationUrl: string, login: URLSearchParams): Promise<Callback> {
    const cookies = new Map<string, string>();
    let url = authorizationUrl;
    for (let step = 0; step < 10; step++) {
      const { pathname } = new URL(url);
      const response = await fetch(url, {
        method: pathname.startsWith('/interaction/') ? 'POST' : 'GET',
        body: pathname.startsWith('/interaction/') ? login : undefined,
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        redirect: 'manual',
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        cookies.set(name!, value!);
      }
      const location = response.headers.get('location');
      if (!location) return submittedForm(response.status, await response.text());
      url = new URL(location, url).href;
      if (!url.startsWith(`${issuer}/`)) return { url };
    }
    throw new Error('The provider keeps redirecting.');
  }

  return {
    issuer,
    register: (client) =>
      provider.Client.adapter.upsert(client.client_id, {
        grant_types: ['authorization_code', 'refresh_token'],
        ...client,
      }),
    signIn: (authorizationUrl, person) => {
      people.set(person.sub, person);
      return browse(authorizationUrl, new URLSearchParams({ sub: person.sub }));
    },
    deny: (authorizationUrl) => browse(authorizationUrl, new URLSearchParams()),
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

function privateJwk(alg: 'RS256' | 'ES256'): JsonWebKey {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: alg };
}

/** Reads the page of the `form_post` response mode, which submits itself in a browser. */
function submittedForm(status: number, page: string): Callback {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
  if (!action)
    throw new Error(`The provider answered ${status}: ${page.replace(/<style>.*?<\/style>/s, '').slice(0, 2_000)}`);
  const form = new URLSearchParams();
  for (const [, name, value] of page.matchAll(/<input[^>]* name="([^"]+)" value="([^"]*)"/g))
    form.append(unescaped(name!), unescaped(value!));
  return { url: unescaped(action), form };
}

function unescaped(html: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return html.replace(/&(amp|lt|gt|quot|#39);/g, (_, entity: string) => entities[entity]!);
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
