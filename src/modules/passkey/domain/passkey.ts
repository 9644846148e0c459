import type { AppId, Id, UserId } from '../../../kernel/ids.js';

export type PasskeyId = Id<'passkey'>;

export interface Passkey {
  readonly appId: AppId;
  readonly id: PasskeyId;
  readonly userId: UserId;
  /** Unique in the app. */
  readonly credentialId: Buffer;
  /** COSE. */
  readonly publicKey: Buffer;
  readonly rpId: string;
  readonly name: string;
  readonly transports: readonly string[];
  /** Whether it may be copied to other devices. Some authenticators change it when they begin or end to sync. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
  /** True until the first login after an import shows it. */
  readonly isBackupUnknown: boolean | null;
  /** Base64url, for an imported passkey; null if it is that of the user. */
  readonly userHandle: string | null;
}

export interface StoredPasskey extends Passkey {
  readonly createdAt: Date;
}

export interface NewPasskey extends Passkey {
  /** The authenticator's signature counter; 0 if it has none. */
  readonly signCount: number;
}

export interface PasskeyUse extends Pick<NewPasskey, 'signCount' | 'isBackupEligible' | 'isBackedUp'> {}

export interface PasskeyDescriptor {
  /** Base64url. */
  readonly credentialId: string;
  readonly transports: readonly string[];
}

export const MAX_PASSKEYS = 100;

/** COSE algorithms in order of preference: ES256, EdDSA, RS256. */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

/** The handle contains no personal data. */
export function userHandleOf(userId: UserId): string {
  return Buffer.from(userId).toString('base64url');
}

export function handleOf({ userHandle, userId }: Pick<Passkey, 'userHandle' | 'userId'>): string {
  return userHandle ?? userHandleOf(userId);
}

/** Every method that adds or removes a passkey runs after the user is locked. */
export abstract class PasskeyRepository {
  /** False when the app has the credential already: of concurrent calls only one adds it. */
  abstract add(passkey: NewPasskey): Promise<boolean>;

  abstract count(appId: AppId, userId: UserId): Promise<number>;

  abstract find(appId: AppId, credentialId: Buffer): Promise<StoredPasskey | null>;

  /** The oldest is the first. The list is also empty for an unknown user. */
  abstract descriptors(appId: AppId, userId: UserId, rpId: string): Promise<readonly PasskeyDescriptor[]>;

  abstract holdersAmong(appId: AppId, userIds: readonly UserId[], rpId: string): Promise<readonly UserId[]>;

  /** Null for a removed passkey. It is suspicious if the counter did not rise, as after a copy of the key, or the eligibility changed. */
  abstract use(passkey: Passkey, answer: PasskeyUse): Promise<{ readonly isSuspicious: boolean } | null>;

  abstract ownerOf(appId: AppId, id: PasskeyId): Promise<UserId | null>;

  abstract remove(appId: AppId, id: PasskeyId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}
