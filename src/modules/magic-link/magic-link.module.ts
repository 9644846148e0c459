import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Jobs } from '../../kernel/jobs.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, SignInMethods } from '../identity/index.js';
import { FactorTypes, IDENTITY_METHODS, SessionModule } from '../session/index.js';
import { CreateMagicLink } from './application/create-magic-link.js';
import { RemoveEndedLinks } from './application/remove-ended-links.js';
import { SendMagicLink } from './application/send-magic-link.js';
import { VerifyMagicLink } from './application/verify-magic-link.js';
import { MagicLinkRepository } from './domain/magic-link.repository.js';
import { MagicLinkController } from './http/magic-link.controller.js';
import { MagicLinkSchema } from './infrastructure/magic-link.schema.js';
import { PostgresMagicLinkRepository } from './infrastructure/postgres-magic-link.repository.js';

const HOUR = 3600;

/** Links that sign in a user. Deprecated by the interface; no module depends on this one, so it can be deleted as a whole. */
@Module({
  imports: [AppsModule, IdentityModule, SessionModule, TypeOrmModule.forFeature([MagicLinkSchema])],
  controllers: [MagicLinkController],
  providers: [
    { provide: MagicLinkRepository, useClass: PostgresMagicLinkRepository },
    SendMagicLink,
    CreateMagicLink,
    VerifyMagicLink,
    RemoveEndedLinks,
  ],
})
export class MagicLinkModule implements OnModuleInit {
  constructor(
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly jobs: Jobs,
    private readonly links: MagicLinkRepository,
    private readonly removeEndedLinks: RemoveEndedLinks,
  ) {}

  onModuleInit(): void {
    this.factorTypes.register({
      type: 'magic_link',
      deliveryChannels: ['email', 'embedded'],
      methods: IDENTITY_METHODS,
    });
    this.signInMethods.register({
      factorType: 'magic_link',
      credentials: KEPT_BY_IDENTITY,
      revoke: (appId, userId) => this.links.revokeAllOf(appId, userId),
    });
    this.jobs.schedule('magic-link.remove-ended-links', HOUR, () => this.removeEndedLinks.execute());
  }
}
