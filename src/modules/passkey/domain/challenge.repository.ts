import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Challenge, ChallengePurpose } from './challenge.js';

/** Challenges that wait for their signature, each for `CHALLENGE_SECONDS` by the database's clock. */
export abstract class ChallengeRepository {
  abstract add(appId: AppId, challenge: Challenge): Promise<void>;

  /**
   * Spends the challenge for a passkey of the user and returns it; null when it is unknown, expired, spent, of another purpose
   * or another user's. At most one caller gets it.
   */
  abstract spend(appId: AppId, hash: TokenHash, purpose: ChallengePurpose, userId: UserId): Promise<Challenge | null>;

  abstract removeAllOf(appId: AppId, userId: UserId): void;
}
