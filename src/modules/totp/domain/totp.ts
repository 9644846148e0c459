import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Sealed } from '../../../kernel/vault.js';

/** Minutes within which an enrolment must be verified. */
export const ENROLMENT_LIFETIME = { min: 5, max: 2160, standard: 30 } as const satisfies Lifetime;

/** RFC 6238 with the parameters that every authenticator app supports: SHA-1, 6 digits, 30 seconds. */
export const DIGITS = 6;
export const STEP_SECONDS = 30;
/** RFC 4226, section 4. */
export const SECRET_BYTES = 20;

/** A code is accepted for three steps. After `max` wrong tries none is compared for `seconds`, so an attacker has `max` tries of a code. */
export const TRIES = { max: 5, seconds: 3 * STEP_SECONDS } as const;

/** Number parsers accept more, so the form is checked first. */
export const ONE_TIME_CODE = /^[0-9]{6}$/;

/** RFC 6238. */
export abstract class OneTimeCodes {
  /** The step of the code if it is the current, the previous or the next one; otherwise null. */
  abstract stepOf(code: string, secret: Buffer, at: Date): number | null;
}

export interface SealedTotp {
  readonly appId: AppId;
  readonly id: TotpId;
  readonly userId: UserId;
  readonly sealedSecret: Sealed;
  readonly sealedRecoveryCodes: Sealed;
}

/** An expired pending authenticator does not exist for any method. */
export interface Totp extends SealedTotp {
  /** Until a code is verified it is a pending enrolment and not a sign-in method. */
  readonly isActive: boolean;
  readonly usedRecoveryCodes: readonly number[];
  /** The database's time. */
  readonly asOf: Date;
}

export interface HeldTotp {
  readonly owner: 'active' | 'inactive' | 'unknown';
  readonly totp: Totp | null;
}

/** Methods that activate or delete an authenticator must run after the user is locked. A user has at most one. */
export abstract class TotpRepository {
  /** Replaces a pending enrolment. False, without a change, when the authenticator is active. Of concurrent enrolments one remains. */
  abstract enrol(totp: SealedTotp, minutes: number): Promise<boolean>;

  abstract ofUser(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /** Commits the count, so call it outside any transaction. Throws `TooManyRequests`, and counts nothing, after too many (`TRIES`). */
  abstract tryOf(appId: AppId, userId: UserId): Promise<HeldTotp>;

  /** Spends the step and all earlier ones. Null when it is spent or the authenticator is deleted: at most one call spends a step. */
  abstract spendStep(totp: Totp, step: number): Promise<{ readonly isActivation: boolean } | null>;

  abstract recordReading(appId: AppId, id: TotpId): Promise<void>;

  /** False when the code is spent or the authenticator is deleted. Resets the wrong tries. */
  abstract spendRecoveryCode(totp: Totp, position: number): Promise<boolean>;

  abstract ownerOf(appId: AppId, id: TotpId): Promise<UserId | null>;

  abstract remove(appId: AppId, id: TotpId): Promise<boolean>;

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

/** Users may type upper case, and imported codes have lengths of their own. */
export const PLAIN_RECOVERY_CODE = /^[0-9A-Za-z]{8,40}$/;

/** -1 if there is none. The time does not depend on the position. */
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
