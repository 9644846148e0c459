import { Injectable, type OnModuleInit } from '@nestjs/common';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { DemoData } from '../../apps/index.js';
import { LINK_LIFETIME } from '../domain/magic-link.js';
import { MagicLinkRepository } from '../domain/magic-link.repository.js';

/** A link to the demo user. Its token is public, so it exists in development only. */
@Injectable()
export class DemoMagicLink implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly links: MagicLinkRepository,
    private readonly tokens: SecretTokens,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => Promise.resolve(this.add(appId)) });
  }

  private add(appId: AppId): void {
    this.links.add({
      appId,
      tokenHash: this.tokens.hash('magic_link', EXAMPLES.token),
      userId: exampleId('user'),
      mailedTo: { emailId: exampleId('email'), email: EXAMPLES.email },
      device: {},
      minutes: LINK_LIFETIME.max,
    });
  }
}
