import type { KeyId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

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
