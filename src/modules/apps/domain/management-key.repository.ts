import type { KeyId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** The operators' own keys, which belong to no app. */
export abstract class ManagementKeyRepository {
  abstract insert(key: { readonly id: KeyId; readonly name: string; readonly hash: TokenHash }): Promise<void>;

  /** Makes the environment's key valid and ends the one it carried before, if another. */
  abstract adopt(hash: TokenHash): Promise<void>;

  /** Ends a key for good. False when there is no such live key. */
  abstract revoke(id: KeyId): Promise<boolean>;

  /** Whether no management key was ever made. */
  abstract isEmpty(): Promise<boolean>;

  /** Until the transaction ends, no other replica goes through its first start. */
  abstract lockFirstStart(): Promise<void>;
}
