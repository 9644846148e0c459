import type { KeyId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** What a new key is for. */
export interface ManagementKeyOptions {
  readonly name: string;
  readonly role: ManagementRole;
  /** From then on the key is refused. Null: until it is revoked. */
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

  /** Ends a key for good. False when there is no such live key. */
  abstract revoke(id: KeyId): Promise<boolean>;

  /** Whether no management key was ever made. */
  abstract isEmpty(): Promise<boolean>;

  /** Until the transaction ends, no other replica goes through its first start. */
  abstract lockFirstStart(): Promise<void>;
}
