import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Jobs } from '../../kernel/jobs.js';
import { DomainEvents } from '../../kernel/outbox.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, UserCredentialsRevoked, UserDeleted } from '../identity/index.js';
import { SessionModule } from '../session/index.js';
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
    private readonly events: DomainEvents,
    private readonly jobs: Jobs,
    private readonly links: MagicLinkRepository,
    private readonly removeEndedLinks: RemoveEndedLinks,
  ) {}

  onModuleInit(): void {
    const revoke = ({ appId, userId }: UserDeleted | UserCredentialsRevoked) => this.links.revokeAllOf(appId, userId);
    this.events.subscribe(UserDeleted, revoke);
    this.events.subscribe(UserCredentialsRevoked, revoke);
    this.jobs.schedule('magic-link.remove-ended-links', HOUR, () => this.removeEndedLinks.execute());
  }
}
