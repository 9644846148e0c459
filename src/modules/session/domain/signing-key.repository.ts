import type { AppId } from '../../../kernel/ids.js';
import type { NewSigningKey, SigningKey } from './signing-key.js';

export interface RotationPeriods {
  readonly publishedMinutes: number;
  readonly retentionMinutes: number;
}

/** An app's signing keys: at most one next and one current, enforced by the database. */
export abstract class SigningKeyRepository {
  /** All keys of the app, newest first; empty before its first. Null when there is no such app. */
  abstract of(appId: AppId): Promise<SigningKey[] | null>;

  /**
   * Gives the app its first keys. Of simultaneous callers one wins, the rest change nothing. Committed at once,
   * independent of the caller's transaction: the keys are published and may sign.
   */
  abstract createFirst(appId: AppId, current: NewSigningKey, next: NewSigningKey): Promise<void>;

  /**
   * Makes current previous and next current, and stores `next` as the new next; deletes keys retired for
   * `retentionMinutes`. Changes nothing and returns false if the next key was published for less than
   * `publishedMinutes`: so of simultaneous callers one rotates. Needs a transaction.
   */
  abstract rotate(appId: AppId, next: NewSigningKey, periods: RotationPeriods): Promise<boolean>;

  /** Up to `limit` apps whose current key has been signing for `days` or longer. */
  abstract dueForRotation(days: number, limit: number): Promise<AppId[]>;
}
