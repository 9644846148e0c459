import { randomInt } from 'node:crypto';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

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
