import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { IdentityFacade } from '../../identity/index.js';
import { PasskeyNotFound } from '../domain/passkey.errors.js';
import { PasskeyDeleted } from '../domain/passkey.events.js';
import { type PasskeyId, PasskeyRepository } from '../domain/passkey.js';

@Injectable()
export class DeletePasskey {
  constructor(
    private readonly passkeys: PasskeyRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
  ) {}

  /** Deletes the passkey and returns its user, who must be `ofUser` if that is given. Refuses to delete the last sign-in method. */
  async execute(appId: AppId, id: PasskeyId, ofUser?: UserId): Promise<UserId> {
    const userId = await this.passkeys.ownerOf(appId, id);
    if (!userId || (ofUser !== undefined && userId !== ofUser)) throw new PasskeyNotFound();
    await this.identity.removeSignInMethod(appId, userId, { type: 'webauthn', id }, async () => {
      if (!(await this.passkeys.remove(appId, id))) throw new PasskeyNotFound();
      await this.events.publish(new PasskeyDeleted(appId, id, userId));
    });
    return userId;
  }
}
