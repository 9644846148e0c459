import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { Sealed } from '../../../kernel/vault.js';

/** Within this long an enrolment must be verified, or it never becomes active. */
export const ENROLMENT_LIFETIME = { min: 5, max: 2160, standard: 30 } as const satisfies Lifetime;

/** RFC 6238 as every authenticator app speaks it: SHA-1, 6 digits, 30 seconds. */
export const DIGITS = 6;
export const STEP_SECONDS = 30;
/** RFC 4226, section 4: the recommended length. */
export const SECRET_BYTES = 20;

/**
 * A code is accepted for three steps. After so many wrong tries in a row, none of which came that long after the one
 * before, no more are compared for that long: so nobody ever has more tries at any one code.
 */
export const TRIES = { max: 5, seconds: 3 * STEP_SECONDS } as const;

/** What an authenticator keeps in the database. */
export interface SealedTotp {
  readonly appId: AppId;
  readonly id: TotpId;
  readonly userId: UserId;
  readonly sealedSecret: Sealed;
  readonly sealedRecoveryCodes: Sealed;
}

/** A user's authenticator, pending or active. There is at most one: a pending one past its time is none. */
export interface Totp extends SealedTotp {
  /** Whether it was ever verified: until then it is a pending enrolment, and no way to sign in. */
  readonly isActive: boolean;
  /** Positions of the recovery codes that were used. */
  readonly usedRecoveryCodes: readonly number[];
  /** The database's time when it was read. */
  readonly asOf: Date;
}
