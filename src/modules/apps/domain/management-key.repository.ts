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

  /** The names of the keys among these ids, also of revoked keys. */
  abstract namesOf(ids: readonly string[]): Promise<readonly (readonly [id: string, name: string])[]>;

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

/** A session ends when it was not used for this time. */
export const MANAGEMENT_SESSION_IDLE_SECONDS = 3_600;

/** A session as lists show it. */
export interface ManagementSession {
  /** Null for an operator who signed in at the OpenID provider. */
  readonly keyId: KeyId | null;
  readonly operator: string | null;
  readonly role: ManagementRole;
  readonly createdAt: Date;
  /** The time of the last call, exact to the minute. */
  readonly lastUsedAt: Date;
  /** When the operator proved who they are; null if that is not known. */
  readonly provedAt: Date | null;
  readonly expiresAt: Date;
}

/** A person who signed in at the OpenID provider of the operators. */
export interface Operator {
  /** A hash of the settings under which the operator signed in. The session ends when these settings change. */
  readonly registration: string;
  /** The address that the provider has verified, else `sub:` and the subject. */
  readonly name: string;
  readonly role: ManagementRole;
  /** When the provider says that the operator proved who they are; null if it does not say. */
  readonly provedAt: Date | null;
}

/** The actor of an operator in the audit log. */
export const actorOf = ({ name }: Pick<Operator, 'name'>): string => `oidc:${name}`;

/** The name of the operator whom an actor names; undefined for any other actor. */
export const operatorIn = (actor: string): string | undefined => /^oidc:(.*)$/s.exec(actor)?.[1];

/** The sessions of browsers that signed in with a management key, with which they end, or at the operators' OpenID provider. */
export abstract class ManagementSessionRepository {
  /** Returns when the session ends: never after its key. */
  abstract insert(hash: TokenHash, of: KeyId | Operator): Promise<Date>;

  /** The live sessions under these settings, and those of keys, the newest first. */
  abstract list(): Promise<readonly ManagementSession[]>;

  /** Ends the session on every replica within a second. Returns its actor, or null when there is no such session. */
  abstract delete(hash: TokenHash): Promise<string | null>;

  /** Deletes all sessions of operators but those under these settings; null keeps none. */
  abstract keepOperatorsOf(registration: string | null): Promise<void>;

  /** Ends all sessions of the operator, in any case of letters, on every replica within a second. Returns their number. */
  abstract deleteOf(operatorName: string): Promise<number>;

  /** Deletes the sessions that have expired. */
  abstract deleteExpired(): Promise<void>;
}
