import { createHash, randomBytes } from 'node:crypto';
import type { TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';
import { Browser } from '../../support/cookie-browser.js';
import { signIn } from '../../support/sign-in.js';

export { Browser };

/** An app that is an authorization server. */
export class Server {
  private constructor(
    readonly service: TestApp,
    readonly app: GivenApp,
  ) {}

  static async of(service: TestApp, given?: GivenApp): Promise<Server> {
    const authorization_server = { login_url: 'https://acme.example/login' };
    const server = new Server(service, given ?? (await service.given.app({ authorization_server })));
    if (given) await server.manage('PATCH', '', { authorization_server });
    return server;
  }

  get issuer(): string {
    return `${this.service.url}/oauth2/${this.app.id}`;
  }

  /** The same server at another replica. */
  at(service: TestApp): Server {
    return new Server(service, this.app);
  }

  /** The body of a call of the management API that must succeed. */
  manage(method: string, path: string, body?: object) {
    const { managementKey: key } = this.service;
    return this.service.ok(method, `/management/v1/apps/${this.app.id}${path}`, { key, ...(body && { body }) });
  }

  resource(audience: string, scopes: readonly string[] = ['orders:read', 'orders:write'], further: object = {}) {
    return this.manage('POST', '/resources', { audience, name: 'Orders', scopes, ...further });
  }

  async client(settings: object = {}): Promise<{ readonly id: string; readonly secret: string }> {
    const standard = { name: 'Import', type: 'confidential', grant_types: ['client_credentials'] };
    const { id, client_secret } = await this.manage('POST', '/oauth_clients', { ...standard, ...settings });
    return { id, secret: client_secret };
  }

  /** A form that is sent to an endpoint. The client authenticates by HTTP Basic. */
  async post(
    path: string,
    client: { readonly id: string; readonly secret: string } | null,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const response = await fetch(`${this.issuer}${path}`, {
      method: 'POST',
      headers: {
        ...(client && { authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` }),
        ...headers,
      },
      body: new URLSearchParams(form),
    });
    const text = await response.text();
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the body of any endpoint
    const body: any = text.startsWith('{') ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body };
  }

  token(client: { readonly id: string; readonly secret: string }, form: Readonly<Record<string, string>> = {}) {
    return this.post('/token', client, { grant_type: 'client_credentials', ...form });
  }

  async isActive(client: { readonly id: string; readonly secret: string }, token: string): Promise<boolean> {
    return (await this.post('/introspect', client, { token })).body.active;
  }
}

/** The token of a session of a new user. */
export async function sessionOf(service: TestApp, app: GivenApp): Promise<string> {
  return (await signIn(service, app, await service.given.user(app))).session_token!;
}

export const CALLBACK = 'https://shop.example/callback';

export interface Request {
  readonly url: string;
  readonly verifier: string;
}

/** An authorization request with a challenge. */
export function requestOf(server: Server, clientId: string, params: Readonly<Record<string, string>> = {}): Request {
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${server.issuer}/auth`);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  for (const [name, value] of Object.entries({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...params,
  }))
    if (value !== '') url.searchParams.set(name, value);
  return { url: url.href, verifier };
}

/** Answers the interaction to whose login page the browser came. */
export async function answer(server: Server, page: URL, action: 'accept' | 'reject', body: object) {
  const path = `/v1/oauth2/interactions/${page.searchParams.get('interaction')}/${action}`;
  return server.service.call('POST', path, { key: server.app.secretKey, body });
}

export const CODE = { grant_types: ['authorization_code', 'refresh_token'], redirect_uris: [CALLBACK] };

/** The response of the token endpoint after the user of the session has consented. The body of a refusal to accept, if it was refused. */
export async function consented(
  server: Server,
  client: { readonly id: string; readonly secret: string },
  session_token: string,
  params: Readonly<Record<string, string>> = {},
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const browser = new Browser(server);
  const request = requestOf(server, client.id, params);
  const { url: page } = await browser.visit(request.url);
  if (!page.searchParams.has('interaction')) throw new Error(page.href);
  const { body: accepted } = await answer(server, page, 'accept', { session_token, ...body });
  if (!accepted.redirect_url) return accepted;
  const { url } = await browser.visit(accepted.redirect_url);
  const code = url.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: request.verifier };
  return (await server.post('/token', client, form, headers)).body;
}
