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
   * Stores the first keys of the app. Of concurrent calls, only one stores keys. It commits at once, outside the caller's
   * transaction, because the keys are published and may sign.
   */
  abstract createFirst(appId: AppId, current: NewSigningKey, next: NewSigningKey): Promise<void>;

  /**
   * Makes current previous and next current, and stores `next` as the new next; deletes keys retired for
   * `retentionMinutes`. Changes nothing and returns false if the next key was published for less than
   * `publishedMinutes`, so only one of several concurrent calls rotates. Needs a transaction.
   */
  abstract rotate(appId: AppId, next: NewSigningKey, periods: RotationPeriods): Promise<boolean>;

  /** Up to `limit` apps whose current key has been signing for `days` or longer. */
  abstract dueForRotation(days: number, limit: number): Promise<AppId[]>;
}
