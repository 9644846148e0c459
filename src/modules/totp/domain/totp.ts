import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Sealed } from '../../../kernel/vault.js';

/** Minutes within which an enrolment must be verified, or it never becomes active. */
export const ENROLMENT_LIFETIME = { min: 5, max: 2160, standard: 30 } as const satisfies Lifetime;

/** The parameters of RFC 6238 that every authenticator app supports: SHA-1, 6 digits, 30 seconds. */
export const DIGITS = 6;
export const STEP_SECONDS = 30;
/** The length that RFC 4226, section 4, recommends. */
export const SECRET_BYTES = 20;

/**
 * A code is accepted for three steps. After `max` consecutive wrong tries, each within `seconds` of the one before, no try
 * is compared for `seconds`. So an attacker has at most `max` tries of any code.
 */
export const TRIES = { max: 5, seconds: 3 * STEP_SECONDS } as const;

/** A code as authenticator apps show it. Number parsers accept more, so the form is checked first. */
export const ONE_TIME_CODE = /^[0-9]{6}$/;

/** The arithmetic of time-based one-time passwords (RFC 6238). */
export abstract class OneTimeCodes {
  /** The time step of the code, if it is the current, the previous or the next step at that time; null otherwise. */
  abstract stepOf(code: string, secret: Buffer, at: Date): number | null;
}

/** The secrets of an authenticator as the database stores them. */
export interface SealedTotp {
  readonly appId: AppId;
  readonly id: TotpId;
  readonly userId: UserId;
  readonly sealedSecret: Sealed;
  readonly sealedRecoveryCodes: Sealed;
}

/** A user's authenticator, pending or active. An expired pending one does not exist for any method. */
export interface Totp extends SealedTotp {
  /** Whether a code was verified. Until then it is a pending enrolment and not a sign-in method. */
  readonly isActive: boolean;
  /** Positions of the recovery codes that were used. */
  readonly usedRecoveryCodes: readonly number[];
  /** The database's time when it was read. */
  readonly asOf: Date;
}

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

  /** Records that the unused recovery codes of the active authenticator are shown now. */
  abstract recordReading(appId: AppId, id: TotpId): Promise<void>;

  /** Spends the recovery code at the position, and resets the wrong tries. False when it is already spent or the authenticator is deleted. */
  abstract spendRecoveryCode(totp: Totp, position: number): Promise<boolean>;

  /** The user of the authenticator or pending enrolment, or null. */
  abstract ownerOf(appId: AppId, id: TotpId): Promise<UserId | null>;

  /** Deletes the authenticator. False when it is already deleted. */
  abstract remove(appId: AppId, id: TotpId): Promise<boolean>;

  /** Forgets the wrong tries of the user's authenticator. */
  abstract forgetTries(appId: AppId, userId: UserId): void;

  abstract removeAllOf(appId: AppId, userId: UserId): Promise<number>;
}

const COUNT = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Each of the 16 codes `xxxxx-xxxxx` has more than 51 random bits. */
export function mintRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => `${group()}-${group()}`);
}

function group(): string {
  return Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A code without separators, as requests pass it on. Users may type it in upper case. Imported codes have lengths of their own. */
export const PLAIN_RECOVERY_CODE = /^[0-9A-Za-z]{8,40}$/;

/** The position of the typed code among the codes, or -1. The time does not depend on the position. */
export function positionOf(typed: string, codes: readonly string[]): number {
  const wanted = digest(typed);
  return codes.reduce((found, code, position) => (timingSafeEqual(digest(code), wanted) ? position : found), -1);
}

/** `timingSafeEqual` requires inputs of equal length. */
function digest(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^0-9a-z]/g, ''))
    .digest();
}
