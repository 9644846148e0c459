import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { evolve } from '../../../kernel/entity.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { ApiKey, keyText, PURPOSES } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { DemoData } from '../domain/demo-data.js';
import { OauthConnection } from '../domain/oauth-connection.js';
import { OauthConnectionRepository } from '../domain/oauth-connection.repository.js';
import { RedirectUrl } from '../domain/redirect-url.js';
import { RedirectUrlRepository } from '../domain/redirect-url.repository.js';
import { ConnectionSecrets } from './connection-secrets.js';

/** The key, the redirect URL and the connection of the demo app that the examples name. */
@Injectable()
export class DemoAppObjects implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly keys: ApiKeyRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly connections: OauthConnectionRepository,
    private readonly secrets: ConnectionSecrets,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private async add(appId: AppId): Promise<void> {
    const now = this.clock.now();
    const hash = this.tokens.hash(PURPOSES.secret, keyText('secret', 'test', this.tokens.mint()));
    const key = ApiKey.create({ appId, kind: 'secret', name: 'Staging', expiresAt: null }, hash, now);
    await this.keys.insert(evolve(key, { id: exampleId('key') }));

    const url = RedirectUrl.create(
      { appId, mode: 'test', kind: 'login', url: 'http://localhost:3001/welcome', isDefault: false },
      now,
    );
    await this.redirectUrls.insert(evolve(url, { id: exampleId('redirectUrl') }));

    const place = { appId, id: exampleId('oauthConnection'), provider: EXAMPLES.provider, clientId: 'demo-client' };
    const sealed = this.secrets.seal({ ...place, issuer: null }, { clientSecret: 'demo-secret' });
    await this.connections.insert(OauthConnection.create(place, {}, sealed, now));
  }
}
