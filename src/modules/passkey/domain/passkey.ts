import type { AppId, Id, UserId } from '../../../kernel/ids.js';

export type PasskeyId = Id<'passkey'>;

/** A public key of a user's authenticator, which signs the user in. */
export interface Passkey {
  readonly appId: AppId;
  readonly id: PasskeyId;
  readonly userId: UserId;
  /** As the authenticator named it. Unique in the app. */
  readonly credentialId: Buffer;
  /** The public key in COSE form. */
  readonly publicKey: Buffer;
  /** The domain that it was made for. */
  readonly rpId: string;
  /** The name that the app chose; may be empty. */
  readonly name: string;
  readonly transports: readonly string[];
  /** Whether it may be copied to other devices of the user. Some authenticators change it when they begin or end to sync. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  /** True while only the first login after an import can say whether it may be copied. */
  readonly isBackupUnknown: boolean | null;
  /** The handle under which the authenticator stores an imported passkey, in base64url; null if it is that of the user. */
  readonly userHandle: string | null;
}

/** A passkey as it is stored. */
export interface StoredPasskey extends Passkey {
  readonly createdAt: Date;
}

export interface NewPasskey extends Passkey {
  /** The authenticator's signature counter; 0 if it has none. */
  readonly signCount: number;
}

/** The statements of an authenticator besides its signature. */
export interface PasskeyUse extends Pick<NewPasskey, 'signCount' | 'isBackupEligible' | 'isBackedUp'> {}

/** A passkey as options name it to an authenticator. */
export interface PasskeyDescriptor {
  /** Base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
}

export const MAX_PASSKEYS = 100;

/** The accepted COSE algorithms in the order of preference: ES256, EdDSA, RS256. */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

/** The user handle that authenticators store with a passkey, in base64url. The id contains no personal data. */
export function userHandleOf(userId: UserId): string {
  return Buffer.from(userId).toString('base64url');
}

/** The user handle with which an authenticator signs by the passkey. */
export function handleOf({ userHandle, userId }: Pick<Passkey, 'userHandle' | 'userId'>): string {
  return userHandle ?? userHandleOf(userId);
}

/** Passkeys of users. Every method that adds or removes one runs after the user is locked. */
export abstract class PasskeyRepository {
  /** False, and nothing is added, when the app has the credential already: of concurrent calls only one adds it. */
  abstract add(passkey: NewPasskey): Promise<boolean>;

  /** The number of the user's passkeys, stable while the user is locked. */
  abstract count(appId: AppId, userId: UserId): Promise<number>;

  abstract find(appId: AppId, credentialId: Buffer): Promise<StoredPasskey | null>;

  /** The descriptors of the user's passkeys of a domain, oldest first. Empty also for an unknown user. */
  abstract descriptors(appId: AppId, userId: UserId, rpId: string): Promise<readonly PasskeyDescriptor[]>;

  /** The users among these who have a passkey of a domain, each once. */
  abstract holdersAmong(appId: AppId, userIds: readonly UserId[], rpId: string): Promise<readonly UserId[]>;

  /**
   * Records a login. Null when the passkey was removed. `isSuspicious`: the counter of the authenticator did not rise, as after a
   * copy of its key, or whether it may be copied has changed. The highest counter stays.
   */
  abstract use(passkey: Passkey, answer: PasskeyUse): Promise<{ readonly isSuspicious: boolean } | null>;

  abstract ownerOf(appId: AppId, id: PasskeyId): Promise<UserId | null>;

  /** False when it is removed already. */
  abstract remove(appId: AppId, id: PasskeyId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}
