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
  /** When the first code was verified; null while the enrolment is pending. */
  readonly verifiedAt: Date | null;
  /** Positions of the recovery codes that were used. */
  readonly usedRecoveryCodes: readonly number[];
  /** The database's time when it was read. */
  readonly asOf: Date;
}
