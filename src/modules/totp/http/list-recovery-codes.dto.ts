import type { UserId } from '../../../kernel/ids.js';
import { IdOf } from '../../../edge/http/fields.js';
import type { UnusedRecoveryCodes } from '../application/list-recovery-codes.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

export class ListRecoveryCodesRequest {
  @IdOf('user')
  readonly user_id!: UserId;
}

export class TotpRecoveryCodes {
  /** Begins with `totp_`. */
  @Example(exampleId('totp'))
  readonly id!: string;
  /** Whether the enrolment is complete. The codes work only then. */
  @Example(true)
  readonly verified!: boolean;
  /** The unused codes. */
  @Example([EXAMPLES.recoveryCode])
  readonly recovery_codes!: string[];
}

export class ListRecoveryCodesResponse {
  readonly user_id!: string;
  /** The user's authenticator, or an empty list. */
  readonly totps!: TotpRecoveryCodes[];

  static of(userId: UserId, unused: UnusedRecoveryCodes | null): ListRecoveryCodesResponse {
    if (!unused) return { user_id: userId, totps: [] };
    const { id, isActive, recoveryCodes } = unused;
    return { user_id: userId, totps: [{ id, verified: isActive, recovery_codes: [...recoveryCodes] }] };
  }
}
