import { randomInt } from 'node:crypto';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';
import { loginRefusal, type ProofFault } from '../../../kernel/refusals.js';
import type { SecretTokens, TokenHash } from '../../../kernel/secret-tokens.js';

/** The lifetimes that a request may give to a passcode, in minutes. A mail may be delayed for minutes, by greylisting for example. */
export const PASSCODE_LIFETIMES = {
  email: { min: 1, max: 10, standard: 10 },
  phone_number: { min: 1, max: 10, standard: 5 },
} as const satisfies Record<string, Lifetime>;

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
  /** The keyed hash of the code, which says for an hour after its end why it is refused. */
  readonly codeHash: TokenHash;
}

/** A uniformly distributed code from the system's random source. */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function codeContext(appId: AppId, methodId: MethodId): SealContext {
  return ['one-time-passcode', appId, methodId];
}

export function hashOfCode(tokens: SecretTokens, appId: AppId, methodId: MethodId, code: string): TokenHash {
  return tokens.hash('one_time_passcode', `${appId} ${methodId} ${code}`);
}

/** One of the last codes that were sent to an address, and when and how it ended or will end. */
export interface SentCode {
  readonly hash: TokenHash | null;
  readonly endsAt: Date;
  readonly ending: 'expired' | 'replaced' | 'spent';
}

/** The passcode of an address. Its try is counted, and it may now be compared if it is live. */
export interface TriedPasscode extends Omit<Passcode, 'sealedCode' | 'codeHash'> {
  /** Null once it is spent or void. */
  readonly sealedCode: Sealed | null;
  /** Whether it can still be spent. */
  readonly isLive: boolean;
  /** The last three codes that were sent to the address, the newest first. */
  readonly codes: readonly SentCode[];
  /** The database's time of the try. */
  readonly asOf: Date;
  /** Distinguishes the passcode from earlier and later ones for the same address. */
  readonly generation: number;
  /** Whether its user still holds the address and has proved it. */
  readonly isProved: boolean;
  /** How often it was tried, including this try. */
  readonly tries: number;
}

const REMEMBERED_SECONDS = 3_600;

/** Why a code that did not open the passcode of its address was refused. */
export function faultOf(typed: TokenHash, { codes, asOf, isLive }: TriedPasscode): ProofFault {
  const code = codes.find(({ hash }, position) => !(isLive && position === 0) && hash?.equals(typed));
  if (!code) return { reason: 'wrong' };
  const endedSecondsAgo = Math.max(0, Math.round((asOf.getTime() - code.endsAt.getTime()) / 1_000));
  return endedSecondsAgo > REMEMBERED_SECONDS ? { reason: 'none_sent' } : { reason: code.ending, endedSecondsAgo };
}

export abstract class PasscodeRepository {
  /** Stores the passcode, together with the events of the transaction. It replaces an earlier one for the same address. */
  abstract add(passcode: Passcode, minutes: number): void;

  /**
   * Counts a try. The count is committed when the promise resolves, so call it outside any transaction and compare
   * afterwards. Null when no passcode was sent in the last hour. Counts nothing when the session of the request is another user's.
   * A passcode that is not live is counted too: the call must take the same time.
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
  abstract revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number>;
}

export class InvalidOtp extends loginRefusal('invalid', 'invalid_otp', {
  message: 'The passcode is not valid. Check it, or send a new one.',
  help: 'The passcode is wrong, spent, expired or replaced by a newer one, or no passcode was sent to this `method_id`. Send a new one.',
}) {}

export class OtpAttemptsExceeded extends loginRefusal('invalid', 'otp_attempts_exceeded', {
  message: 'The passcode was tried too often. Send a new one.',
  help: 'The passcode was tried too often and is void, so even the right value is refused. Send a new one. Wrong tries also count per user.',
}) {}
