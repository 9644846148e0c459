import type { TestApp } from '../../support/app.js';
import type { GivenApp } from '../../support/given.js';

/** An app that is an authorization server. */
export class Server {
  private constructor(
    readonly service: TestApp,
    readonly app: GivenApp,
  ) {}

  static async of(service: TestApp): Promise<Server> {
    const app = await service.given.app({ authorization_server: { login_url: 'https://acme.example/login' } });
    return new Server(service, app);
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
