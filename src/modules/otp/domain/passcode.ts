import { randomInt } from 'node:crypto';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';
import { loginRefusal } from '../../../kernel/refusals.js';

/** The lifetime that a request may give to a passcode, in minutes. */
export const PASSCODE_LIFETIME = { min: 1, max: 10, standard: 1 } as const satisfies Lifetime;

const DIGITS = 6;
export const PASSCODE = new RegExp(`^[0-9]{${DIGITS}}$`);

/** The id of the address that the passcode was sent to. */
export type MethodId = EmailId | PhoneNumberId;

/** A one-time passcode that was sent. An address has at most one. */
export interface Passcode {
  readonly appId: AppId;
  readonly methodId: MethodId;
  readonly userId: UserId;
  /** The address that it was sent to. */
  readonly address: string;
  /** Sealed instead of hashed: an attacker could hash all one million codes. */
  readonly sealedCode: Sealed;
}

/** A uniformly distributed code from the system's random source. */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function codeContext(appId: AppId, methodId: MethodId): SealContext {
  return ['one-time-passcode', appId, methodId];
}

/** A passcode whose try is counted and which may now be compared. */
export interface TriedPasscode extends Passcode {
  /** Distinguishes the passcode from earlier and later ones for the same address. */
  readonly generation: number;
  /** Whether its user still holds the address and has proved it. */
  readonly isProved: boolean;
  /** How often it was tried, including this try. */
  readonly tries: number;
}

export abstract class PasscodeRepository {
  /** Stores the passcode, together with the events of the transaction. It replaces an earlier one for the same address. */
  abstract add(passcode: Passcode, minutes: number): void;

  /**
   * Counts a try. The count is committed when the promise resolves, so call it outside any transaction and compare
   * afterwards. Null when there is no live passcode. Counts nothing when the session of the request is another user's.
   */
  abstract beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null>;

  /** Takes the count of a try back. */
  abstract giveBackTry(passcode: TriedPasscode): void;

  /**
   * Spends the passcode, unless it is spent, void or replaced. Of several concurrent calls exactly one succeeds.
   *
   * Locks the user before the passcode, in the same order as every statement that ends passcodes of a user.
   */
  abstract spend(passcode: TriedPasscode): Promise<boolean>;

  /** Voids the live passcodes of the user, except those that were sent to these addresses. */
  abstract revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): void;
}

export class InvalidOtp extends loginRefusal('invalid', 'invalid_otp', {
  message: 'The passcode is not valid. Check it, or send a new one.',
  help: 'The passcode is wrong, spent, expired or replaced by a newer one, or no passcode was sent to this `method_id`. Send a new one.',
}) {}

export class OtpAttemptsExceeded extends loginRefusal('invalid', 'otp_attempts_exceeded', {
  message: 'The passcode was tried too often. Send a new one.',
  help: 'The passcode was tried too often and is void, so even the right value is refused. Send a new one. Wrong tries also count per user.',
}) {}
