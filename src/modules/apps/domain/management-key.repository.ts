import type { KeyId } from '../../../kernel/ids.js';
import type { ManagementRole } from '../../../kernel/management-role.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

export interface ManagementKeyOptions {
  readonly name: string;
  readonly role: ManagementRole;
  readonly expiresAt: Date | null;
}

export interface ManagementKey extends ManagementKeyOptions {
  readonly id: KeyId;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The operators' own keys, which belong to no app. */
export abstract class ManagementKeyRepository {
  abstract insert(key: ManagementKeyOptions & { readonly id: KeyId; readonly hash: TokenHash }): Promise<void>;

  /** Newest first, those that have ended included. */
  abstract list(): Promise<ManagementKey[]>;

  abstract namesOf(ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]>;

  /** Makes the environment's key valid, as an owner's, and ends the one it carried before, if another. */
  abstract adopt(hash: TokenHash): Promise<void>;

  abstract revoke(id: KeyId): Promise<boolean>;

  abstract isEmpty(): Promise<boolean>;

  /** Keeps other replicas from their first start until the transaction ends. */
  abstract lockFirstStart(): Promise<void>;
}

export const SESSION_PURPOSE = 'management_session';

export const MANAGEMENT_SESSION_SECONDS = 8 * 3_600;

export const MANAGEMENT_SESSION_IDLE_SECONDS = 3_600;

export interface ManagementSession {
  /** Null for an operator who signed in at the OpenID provider. */
  readonly keyId: KeyId | null;
  readonly operator: string | null;
  readonly role: ManagementRole;
  readonly createdAt: Date;
  /** Exact to the minute. */
  readonly lastUsedAt: Date;
  readonly provedAt: Date | null;
  readonly expiresAt: Date;
}

export interface Operator {
  /** A hash of the operator's sign-in settings. The session ends when they change. */
  readonly registration: string;
  /** The address that the provider has verified, else `sub:` and the subject. */
  readonly name: string;
  readonly role: ManagementRole;
  /** When the provider says that the operator proved who they are; null if it does not say. */
  readonly provedAt: Date | null;
}

export const actorOf = ({ name }: Pick<Operator, 'name'>): string => `oidc:${name}`;

export const operatorIn = (actor: string): string | undefined => /^oidc:(.*)$/s.exec(actor)?.[1];

/** The sessions of browsers that signed in with a management key, with which they end, or at the operators' OpenID provider. */
export abstract class ManagementSessionRepository {
  /** Returns when the session ends: never after its key. */
  abstract insert(hash: TokenHash, of: KeyId | Operator): Promise<Date>;

  /** The live sessions under these settings, and those of keys, newest first. */
  abstract list(): Promise<readonly ManagementSession[]>;

  /** Takes effect on every replica within a second. Returns the session's actor, or null if there is no such session. */
  abstract delete(hash: TokenHash): Promise<string | null>;

  /** Deletes all sessions of operators but those under these settings; null keeps none. */
  abstract keepOperatorsOf(registration: string | null): Promise<void>;

  /** The name matches in any case of letters. Takes effect on every replica within a second. */
  abstract deleteOf(operatorName: string): Promise<number>;

  abstract deleteExpired(): Promise<void>;
}
