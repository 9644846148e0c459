import { Module, type OnModuleInit } from '@nestjs/common';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, KEPT_BY_IDENTITY, MessageResends } from '../identity/index.js';
import { IDENTITY_METHODS, SessionModule, SignInModule } from '../session/index.js';
import { IssueMagicLink } from './application/issue-magic-link.js';
import { INVITE_MAIL, LINK_MAIL } from './application/link-mails.js';
import { VerifyMagicLink } from './application/verify-magic-link.js';
import { MagicLinkRepository } from './domain/magic-link.js';
import { InvitationController, MagicLinkController } from './http/magic-link.controller.js';
import './infrastructure/personal-data.js';
import { PostgresMagicLinkRepository } from './infrastructure/postgres-magic-link.repository.js';

const SIGN_IN = SignInModule.declare({
  factor: {
    type: 'magic_link',
    deliveryChannels: ['email', 'embedded'],
    methods: IDENTITY_METHODS,
    proofs: { embedded: 'nothing' },
  },
  credentials: KEPT_BY_IDENTITY,
  revoke: (the, appId, userId, codesStay) => the(MagicLinkRepository).revokeAllOf(appId, userId, codesStay),
  // Until then an expired link is refused as expired, not as unknown.
  retention: [
    { table: 'magic_links', endedWhen: 'expires_at', after: '1 day' },
    { table: 'replaced_magic_links', endedWhen: 'ended_at', after: '1 hour' },
  ],
});

/** Deprecated by the interface. No module depends on it, so it can be deleted as a whole. */
@Module({
  imports: [AppsModule, IdentityModule, SessionModule, SIGN_IN],
  controllers: [MagicLinkController, InvitationController],
  providers: [{ provide: MagicLinkRepository, useClass: PostgresMagicLinkRepository }, IssueMagicLink, VerifyMagicLink],
})
export class MagicLinkModule implements OnModuleInit {
  constructor(
    private readonly resends: MessageResends,
    private readonly issueLink: IssueMagicLink,
  ) {}

  onModuleInit(): void {
    for (const mail of [LINK_MAIL, INVITE_MAIL])
      this.resends.register('mail', mail.name, (appId, email, record) =>
        this.issueLink.mailAgain(appId, mail, email, record),
      );
  }
}
