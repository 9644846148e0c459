import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { Transactions } from '../../../kernel/transactions.js';
import { IdentityFacade, type UserProfile, UserProfiles } from '../../identity/index.js';
import type { PasskeyDescriptor } from '../domain/passkey.js';
import { PasskeyRepository } from '../domain/passkey.repository.js';
import type { WebauthnSettings } from '../domain/webauthn-settings.js';
import { Challenges } from './challenges.js';
import { PasskeySettings } from './passkey-settings.js';

/** The data that an authenticator needs to make a passkey. */
export interface BegunRegistration {
  readonly userId: UserId;
  readonly settings: WebauthnSettings;
  readonly challenge: string;
  /** The name of the user's account at the authenticator. */
  readonly account: string;
  /** May be empty. */
  readonly fullName: string;
  /** Authenticators that hold one of these refuse to make another. */
  readonly known: readonly PasskeyDescriptor[];
}

@Injectable()
export class BeginRegistration {
  constructor(
    private readonly settings: PasskeySettings,
    private readonly identity: IdentityFacade,
    private readonly profiles: UserProfiles,
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: Challenges,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `WebauthnNotConfigured`, `UserNotFound`, `UserInactive`, and `InvalidRequest` for a domain that is not the app's. */
  async execute(appId: AppId, userId: UserId, domain: string | undefined): Promise<BegunRegistration> {
    const settings = await this.settings.of(appId);
    if (domain !== undefined && domain !== settings.rpId)
      throw new InvalidRequest([{ field: 'domain', rule: 'rp_id', message: 'must be the rp_id of the app' }]);
    const profile = await this.profiles.get(appId, userId);
    const begun = await this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      const known = await this.passkeys.descriptors(appId, userId, settings.rpId);
      return { known, challenge: await this.challenges.issue(appId, 'registration', userId) };
    });
    return { userId, settings, account: accountOf(profile), fullName: fullNameOf(profile), ...begun };
  }
}

function accountOf({ emails, phoneNumbers, userId }: UserProfile): string {
  return emails[0]?.email ?? phoneNumbers[0]?.phoneNumber ?? userId;
}

function fullNameOf({ firstName, middleName, lastName }: UserProfile): string {
  return [firstName, middleName, lastName].filter((name) => name !== '').join(' ');
}
