import { Injectable } from '@nestjs/common';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { IdentityFacade } from '../../identity/index.js';
import { TotpNotFound } from '../domain/totp.errors.js';
import { TotpDeleted } from '../domain/totp.events.js';
import { TotpRepository } from '../domain/totp.js';

@Injectable()
export class DeleteTotp {
  constructor(
    private readonly totps: TotpRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Deletes the authenticator and returns its user, who must be `ofUser` if that is given. Refuses to delete the last sign-in method.
   */
  async execute(appId: AppId, id: TotpId, ofUser?: UserId): Promise<UserId> {
    const userId = await this.totps.ownerOf(appId, id);
    if (!userId || (ofUser !== undefined && userId !== ofUser)) throw new TotpNotFound();
    await this.identity.removeSignInMethod(appId, userId, { type: 'totp', id }, async () => {
      if (!(await this.totps.remove(appId, id))) throw new TotpNotFound();
      await this.events.publish(new TotpDeleted(appId, id, userId));
    });
    return userId;
  }
}
