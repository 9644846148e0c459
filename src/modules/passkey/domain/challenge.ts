import { randomBytes } from 'node:crypto';
import type { UserId, AppId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** The purpose of a challenge: the signed challenge of one purpose never serves the other. */
export type ChallengePurpose = 'registration' | 'authentication';

/** 32 random bytes that an authenticator signs once, by their hash. */
export interface Challenge {
  readonly hash: TokenHash;
  readonly purpose: ChallengePurpose;
  /** The only user whose passkey may sign; null permits any user of the app. */
  readonly userId: UserId | null;
}

export const CHALLENGE_SECONDS = 300;

/** The purpose under which challenges are hashed. */
export const CHALLENGE_TOKEN = 'webauthn_challenge';

/** A new challenge in base64url. */
export function mintChallenge(): string {
  return randomBytes(32).toString('base64url');
}

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
