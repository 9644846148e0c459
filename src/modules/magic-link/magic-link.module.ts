import { Module, type OnModuleInit } from '@nestjs/common';
import { Retention } from '../../kernel/retention.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, SignInMethods } from '../identity/index.js';
import { FactorType, FactorTypes, IDENTITY_METHODS, SessionModule } from '../session/index.js';
import { CreateMagicLink } from './application/create-magic-link.js';
import { SendMagicLink } from './application/send-magic-link.js';
import { VerifyMagicLink } from './application/verify-magic-link.js';
import { MagicLinkRepository } from './domain/magic-link.js';
import { MagicLinkController } from './http/magic-link.controller.js';
import { PostgresMagicLinkRepository } from './infrastructure/postgres-magic-link.repository.js';

const MAGIC_LINK_FACTOR = FactorType.declare({
  type: 'magic_link',
  deliveryChannels: ['email', 'embedded'],
  methods: IDENTITY_METHODS,
});

/** Links that sign in a user. Deprecated by the interface; no module depends on this one, so it can be deleted as a whole. */
@Module({
  imports: [AppsModule, IdentityModule, SessionModule],
  controllers: [MagicLinkController],
  providers: [
    { provide: MagicLinkRepository, useClass: PostgresMagicLinkRepository },
    SendMagicLink,
    CreateMagicLink,
    VerifyMagicLink,
  ],
})
export class MagicLinkModule implements OnModuleInit {
  constructor(
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly retention: Retention,
    private readonly links: MagicLinkRepository,
  ) {}

  onModuleInit(): void {
    this.factorTypes.register(MAGIC_LINK_FACTOR);
    this.signInMethods.register({
      factorType: 'magic_link',
      credentials: KEPT_BY_IDENTITY,
      revoke: (appId, userId) => this.links.revokeAllOf(appId, userId),
    });
    // Until then an expired link is refused as expired, not as unknown.
    this.retention.register({ table: 'magic_links', endedWhen: 'expires_at', after: '1 day' });
  }
}
