import { randomInt } from 'node:crypto';
import type { AppId, EmailId, PhoneNumberId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { SealContext, Sealed } from '../../../kernel/vault.js';

/** How long a passcode may be asked to live, in minutes. */
export const PASSCODE_LIFETIME = { min: 1, max: 10, standard: 1 } as const satisfies Lifetime;

const DIGITS = 6;
export const PASSCODE = new RegExp(`^[0-9]{${DIGITS}}$`);

/** What a passcode is a factor by: the address it was sent to, under its id. */
export type MethodId = EmailId | PhoneNumberId;

/** A one-time passcode on its way. An address has one at most. */
export interface Passcode {
  readonly appId: AppId;
  readonly methodId: MethodId;
  readonly userId: UserId;
  /** Where it was sent, as its user holds it. */
  readonly address: string;
  /** Sealed rather than hashed: a million codes are soon hashed through. */
  readonly sealedCode: Sealed;
}

/** A code from the system's random source; every one is equally likely. */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function codeContext(appId: AppId, methodId: MethodId): SealContext {
  return ['one-time-passcode', appId, methodId];
}
