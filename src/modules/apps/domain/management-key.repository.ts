import type { KeyId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** The options of a new key. */
export interface ManagementKeyOptions {
  readonly name: string;
  readonly role: ManagementRole;
  /** The time from which the key is refused; null if it is valid until it is revoked. */
  readonly expiresAt: Date | null;
}

/** A key as lists show it. */
export interface ManagementKey extends ManagementKeyOptions {
  readonly id: KeyId;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The operators' own keys, which belong to no app. */
export abstract class ManagementKeyRepository {
  abstract insert(key: ManagementKeyOptions & { readonly id: KeyId; readonly hash: TokenHash }): Promise<void>;

  /** All keys, newest first, those that have ended included. */
  abstract list(): Promise<ManagementKey[]>;

  /** Makes the environment's key valid, as an owner's, and ends the one it carried before, if another. */
  abstract adopt(hash: TokenHash): Promise<void>;

  /** Ends a key permanently. Returns false if there is no such live key. */
  abstract revoke(id: KeyId): Promise<boolean>;

  /** Whether no management key was ever made. */
  abstract isEmpty(): Promise<boolean>;

  /** Keeps other replicas from their first start until the transaction ends. */
  abstract lockFirstStart(): Promise<void>;
}

/** The purpose under which tokens of sessions are hashed. */
export const SESSION_PURPOSE = 'management_session';

export const MANAGEMENT_SESSION_SECONDS = 8 * 3_600;

/** The sessions of browsers that signed in with a management key. A session ends with its key. */
export abstract class ManagementSessionRepository {
  /** Returns when the session ends: never after its key. */
  abstract insert(keyId: KeyId, hash: TokenHash): Promise<Date>;

  /** Ends the session on every replica within a second. Returns its key, or null when there is no such session. */
  abstract delete(hash: TokenHash): Promise<KeyId | null>;

  /** Deletes the sessions that have expired. */
  abstract deleteExpired(): Promise<void>;
}
