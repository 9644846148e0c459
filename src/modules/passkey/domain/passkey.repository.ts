import type { AppId, UserId } from '../../../kernel/ids.js';
import type { NewPasskey, Passkey, PasskeyDescriptor, PasskeyId } from './passkey.js';

/** Passkeys of users. Every method that adds or removes one runs after the user is locked. */
export abstract class PasskeyRepository {
  /** False, and nothing is added, when the app has the credential already: of concurrent calls only one adds it. */
  abstract add(passkey: NewPasskey): Promise<boolean>;

  /** The number of the user's passkeys, stable while the user is locked. */
  abstract count(appId: AppId, userId: UserId): Promise<number>;

  abstract find(appId: AppId, credentialId: Buffer): Promise<Passkey | null>;

  /** The descriptors of the user's passkeys of a domain, oldest first. Empty also for an unknown user. */
  abstract descriptors(appId: AppId, userId: UserId, rpId: string): Promise<readonly PasskeyDescriptor[]>;

  /**
   * Records a login. Null when the passkey was removed. `isSuspicious`: the counter of the authenticator did not rise, as after a
   * copy of its key; the highest counter stays.
   */
  abstract use(
    passkey: Passkey,
    answer: { readonly signCount: number; readonly isBackedUp: boolean },
  ): Promise<{ readonly isSuspicious: boolean } | null>;

  abstract ownerOf(appId: AppId, id: PasskeyId): Promise<UserId | null>;

  /** False when it is removed already. */
  abstract remove(appId: AppId, id: PasskeyId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): void;
}
