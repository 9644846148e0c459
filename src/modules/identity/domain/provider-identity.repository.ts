import type { AppId, UserId } from '../../../kernel/ids.js';
import type { ProviderIdentity, ProviderSubject } from './provider-identity.js';

/** Identities at providers. */
export abstract class ProviderIdentityRepository {
  abstract find(appId: AppId, subject: ProviderSubject): Promise<ProviderIdentity | null>;

  /**
   * Makes other first sign-ins of this subject wait until the transaction ends. A subject without a row has nothing else
   * to lock, and a lost race on the unique key would undo the caller's whole transaction.
   */
  abstract lockSubject(appId: AppId, subject: ProviderSubject): Promise<void>;

  abstract add(appId: AppId, identity: ProviderIdentity): Promise<void>;

  abstract removeAll(appId: AppId, userId: UserId): Promise<void>;
}
