import { randomInt } from 'node:crypto';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';
import { loginRefusal, type ProofFault } from '../../../kernel/refusals.js';
import type { SecretTokens, TokenHash } from '../../../kernel/secret-tokens.js';

/** Minutes. A mail may be delayed, by greylisting for example. */
export const PASSCODE_LIFETIMES = {
  email: { min: 1, max: 10, standard: 10 },
  phone_number: { min: 1, max: 10, standard: 5 },
} as const satisfies Record<string, Lifetime>;

const DIGITS = 6;
export const PASSCODE = new RegExp(`^[0-9]{${DIGITS}}$`);

export type MethodId = EmailId | PhoneNumberId;

/** An address has at most one. */
export interface Passcode {
  readonly appId: AppId;
  readonly methodId: MethodId;
  readonly userId: UserId;
  readonly address: string;
  /** Sealed instead of hashed: an attacker could hash all one million codes. */
  readonly sealedCode: Sealed;
  /** Says for an hour after its end why the code is refused. */
  readonly codeHash: TokenHash;
}

export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function codeContext(appId: AppId, methodId: MethodId): SealContext {
  return ['one-time-passcode', appId, methodId];
}

export function hashOfCode(tokens: SecretTokens, appId: AppId, methodId: MethodId, code: string): TokenHash {
  return tokens.hash('one_time_passcode', `${appId} ${methodId} ${code}`);
}

/** When and how a code ended or will end. */
export interface SentCode {
  readonly hash: TokenHash | null;
  readonly endsAt: Date;
  readonly ending: 'expired' | 'replaced' | 'spent';
}

export interface TriedPasscode extends Omit<Passcode, 'sealedCode' | 'codeHash'> {
  /** Null once it is spent or void. */
  readonly sealedCode: Sealed | null;
  readonly isLive: boolean;
  /** The last three codes of the address, newest first. */
  readonly codes: readonly SentCode[];
  /** The database's time of the try. */
  readonly asOf: Date;
  /** Distinguishes passcodes of the same address. */
  readonly generation: number;
  /** Whether its user still holds the address and has proved it. */
  readonly isProved: boolean;
  /** Includes this try. */
  readonly tries: number;
}

const REMEMBERED_SECONDS = 3_600;

export function faultOf(typed: TokenHash, { codes, asOf, isLive }: TriedPasscode): ProofFault {
  const code = codes.find(({ hash }, position) => !(isLive && position === 0) && hash?.equals(typed));
  if (!code) return { reason: 'wrong' };
  const endedSecondsAgo = Math.max(0, Math.round((asOf.getTime() - code.endsAt.getTime()) / 1_000));
  return endedSecondsAgo > REMEMBERED_SECONDS ? { reason: 'none_sent' } : { reason: code.ending, endedSecondsAgo };
}

export abstract class PasscodeRepository {
  /** Replaces an earlier passcode of the same address. */
  abstract add(passcode: Passcode, minutes: number): void;

  /**
   * Commits the count, so call it outside any transaction. Counts a dead passcode too, to take the same time, but nothing in the session of
   * another user. Null when none was sent in the last hour.
   */
  abstract beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null>;

  abstract giveBackTry(passcode: TriedPasscode): void;

  /** Exactly one of concurrent calls succeeds. Lock order: the user, then the passcode. */
  abstract spend(passcode: TriedPasscode): Promise<boolean>;

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
