import type { INestApplication } from '@nestjs/common';
import { type Client, type components, createClient, ok } from '../../openapi/client/src/index.js';

type Schemas = components['schemas'];
type Fetch = (request: Request) => Promise<Response>;

export interface GivenApp {
  readonly id: string;
  readonly secretKey: string;
  readonly publicToken: string;
}

/** Builders with defaults for everything that a test is not about. They use the public API by the typed client. */
export class Given {
  private readonly management: Client;

  constructor(
    private readonly baseUrl: string,
    private readonly fetch: Fetch,
    readonly nest: INestApplication,
    managementKey: string,
  ) {
    this.management = createClient({ baseUrl, fetch, managementKey });
  }

  async app(settings: Record<string, unknown> = {}): Promise<GivenApp> {
    const body = { name: 'Acme', mode: 'test', ...settings } as Schemas['CreateAppRequest'];
    const app = await ok(this.management.POST('/management/v1/apps', { body }));
    return { id: app.id, secretKey: app.secret_key, publicToken: app.public_token };
  }

  user({ secretKey }: GivenApp, fields: Record<string, unknown> = {}) {
    const client = createClient({ baseUrl: this.baseUrl, fetch: this.fetch, secretKey });
    const body = { email: `${unique()}@example.com`, ...fields };
    return ok(client.POST('/v1/auth/users/create', { body }));
  }

  redirectUrl({ id }: GivenApp, kind: 'login' | 'registration' | 'invite', url: string, isDefault = true) {
    const body = { url, kind, is_default: isDefault };
    const params = { path: { app_id: id } };
    return ok(this.management.POST('/management/v1/apps/{app_id}/redirect_urls', { params, body }));
  }

  connection({ id }: GivenApp, fields: Record<string, unknown>) {
    const body = fields as Schemas['CreateOauthConnectionRequest'];
    const params = { path: { app_id: id } };
    return ok(this.management.POST('/management/v1/apps/{app_id}/oauth_connections', { params, body }));
  }
}

let counter = 0;
/** A word that is unique in this test run. */
export function unique(): string {
  return `t${process.pid.toString(36)}${Date.now().toString(36)}${(counter++).toString(36)}`;
}
