import type { INestApplication } from '@nestjs/common';
import type { Answer, Call } from './app.js';

export interface GivenApp {
  readonly id: string;
  readonly secretKey: string;
  readonly publicToken: string;
}

/** Builders with defaults for everything that a test is not about. They use the public API. */
export class Given {
  constructor(
    private readonly call: (method: string, path: string, call?: Call) => Promise<Answer>,
    readonly nest: INestApplication,
    private readonly managementKey: string,
  ) {}

  async app(settings: Record<string, unknown> = {}): Promise<GivenApp> {
    const body = await this.post(
      '/management/v1/apps',
      { name: 'Acme', mode: 'test', ...settings },
      this.managementKey,
    );
    return { id: body.id, secretKey: body.secret_key, publicToken: body.public_token };
  }

  /** A user, as `POST /v1/auth/users/create` returns it. */
  user(
    app: GivenApp,
    fields: Record<string, unknown> = {},
  ): Promise<{ user_id: string; email_id: string; phone_number_id: string }> {
    return this.post('/v1/auth/users/create', { email: `${unique()}@example.com`, ...fields }, app.secretKey);
  }

  redirectUrl(
    app: GivenApp,
    kind: 'login' | 'registration' | 'invite',
    url: string,
    isDefault = true,
  ): Promise<{ id: string; url: string }> {
    return this.post(
      `/management/v1/apps/${app.id}/redirect_urls`,
      { url, kind, is_default: isDefault },
      this.managementKey,
    );
  }

  connection(app: GivenApp, fields: Record<string, unknown>): Promise<{ id: string; callback_url: string }> {
    return this.post(`/management/v1/apps/${app.id}/oauth_connections`, fields, this.managementKey);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  private async post(path: string, body: unknown, key: string): Promise<any> {
    const answer = await this.call('POST', path, { key, body });
    if (answer.status !== 200) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }
}

let counter = 0;
/** A word that is unique in this test run. */
export function unique(): string {
  return `t${process.pid.toString(36)}${Date.now().toString(36)}${(counter++).toString(36)}`;
}
