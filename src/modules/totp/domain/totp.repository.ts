import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import type { SealedTotp, Totp } from './totp.js';

/** The state of a user, and their authenticator if there is one. */
export interface HeldTotp {
  readonly owner: 'active' | 'inactive' | 'unknown';
  readonly totp: Totp | null;
}

/** Stores authenticators, at most one per user. Every method that activates or deletes one must run after the user is locked. */
export abstract class TotpRepository {
  /**
   * Stores a new enrolment for `minutes` and replaces a pending one. False, and nothing is changed, when the user's
   * authenticator is active. Of several concurrent enrolments exactly one remains.
   */
  abstract enrol(totp: SealedTotp, minutes: number): Promise<boolean>;

  abstract ofUser(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /**
   * Counts a try of the user's authenticator and returns the authenticator. The count is committed, so call it outside any
   * transaction. Throws `TooManyRequests`, and counts nothing, after too many wrong tries (`TRIES`).
   */
  abstract tryOf(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /**
   * Spends the step and all earlier steps, and resets the wrong tries. A pending enrolment becomes active. Null when the
   * step is already spent or the authenticator is deleted: at most one call spends a step.
   */
  abstract spendStep(totp: Totp, step: number): Promise<{ readonly isActivation: boolean } | null>;

  /** Spends the recovery code at the position, and resets the wrong tries. False when it is already spent or the authenticator is deleted. */
  abstract spendRecoveryCode(totp: Totp, position: number): Promise<boolean>;

  /** The user of the authenticator or pending enrolment, or null. */
  abstract ownerOf(appId: AppId, id: TotpId): Promise<UserId | null>;

  /** Deletes the authenticator. False when it is already deleted. */
  abstract remove(appId: AppId, id: TotpId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): void;
}
