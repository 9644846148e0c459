import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import type { SealedTotp, Totp } from './totp.js';

/** What there is of a user and their authenticator. */
export interface HeldTotp {
  readonly owner: 'active' | 'inactive' | 'unknown';
  readonly totp: Totp | null;
}

/** Authenticators of users, one each. Whoever makes one a way to sign in, or takes it away, locks the user first. */
export abstract class TotpRepository {
  /**
   * Keeps a new enrolment for so many minutes, in place of a pending one. False, and nothing is changed, when the user's
   * authenticator is active. However many enrol at once, exactly one enrolment stays.
   */
  abstract enrol(totp: SealedTotp, minutes: number): Promise<boolean>;

  abstract ofUser(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /**
   * Counts a try at the user's authenticator and returns it, the count committed, if called outside any transaction.
   * Throws `TooManyRequests`, and counts nothing, while too many tries (`TRIES`) were wrong just now.
   */
  abstract tryOf(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /**
   * Spends the step, and with it all before, and forgets the wrong tries. A pending enrolment becomes active. Null when
   * the step is spent already or the authenticator gone: at most one caller ever spends a step.
   */
  abstract spendStep(totp: Totp, step: number): Promise<{ readonly isActivation: boolean } | null>;

  /** Spends the recovery code at the position, and forgets the wrong tries. False when it is spent already or the authenticator gone. */
  abstract spendRecoveryCode(totp: Totp, position: number): Promise<boolean>;

  /** Whose authenticator or pending enrolment this is, or null. */
  abstract ownerOf(appId: AppId, id: TotpId): Promise<UserId | null>;

  /** Forgets the authenticator. False when it is gone already. */
  abstract remove(appId: AppId, id: TotpId): Promise<boolean>;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Forgets up to `limit` enrolments of each app that were not verified in time. Returns how many. */
  abstract removeEnded(limit: number): Promise<number>;
}
