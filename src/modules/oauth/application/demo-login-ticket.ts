import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DEMO_MINUTES, exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Vault } from '../../../kernel/vault.js';
import { DemoData } from '../../apps/index.js';
import { LOGIN_TOKEN, providerTokensContext } from '../domain/login-ticket.js';
import { OauthLoginRepository } from '../domain/oauth-login.repository.js';

/** A login of the demo user by an identity provider. Its token is public, so it exists in development only. */
@Injectable()
export class DemoLoginTicket implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly logins: OauthLoginRepository,
    private readonly tokens: SecretTokens,
    private readonly vault: Vault,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private add(appId: AppId): Promise<void> {
    const tokenHash = this.tokens.hash(LOGIN_TOKEN, EXAMPLES.token);
    const issued = Buffer.from(JSON.stringify({ accessToken: 'demo-access-token', refreshToken: '' }));
    const ticket = {
      appId,
      tokenHash,
      userId: exampleId('user'),
      connectionId: exampleId('oauthConnection'),
      provider: EXAMPLES.provider,
      subject: '1234567890',
      providerIdentityId: exampleId('providerIdentity'),
      sealedTokens: this.vault.seal(issued, providerTokensContext(appId, tokenHash)),
      codeChallenge: null,
      isBrowserBound: false,
    };
    return this.logins.addTicket(ticket, DEMO_MINUTES);
  }
}
