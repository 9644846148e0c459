import type { AppId, UserId } from '../../../kernel/ids.js';
import type { ProviderIdentity, ProviderSubject } from './provider-identity.js';

/** The users' identities at providers. */
export abstract class ProviderIdentityRepository {
  abstract find(appId: AppId, subject: ProviderSubject): Promise<ProviderIdentity | null>;

  /**
   * Stores the identity; false, and nothing is stored, when the subject has one. Waits for another transaction that is storing
   * one for the subject.
   */
  abstract add(appId: AppId, identity: ProviderIdentity): Promise<boolean>;

  abstract removeAll(appId: AppId, userId: UserId): Promise<void>;
}
