import type { UserId } from '../../../kernel/ids.js';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { IdOf, Text } from '../../../edge/http/fields.js';
import { SessionArgumentsRequest, SessionFieldsResponse } from '../../session/index.js';
import type { VerifiedTotp } from '../application/sign-in-with-totp.js';
import { ONE_TIME_CODE } from '../domain/one-time-codes.js';
import { TYPED_RECOVERY_CODE } from '../domain/recovery-codes.js';
import { EXAMPLES } from '../../../kernel/examples.js';

export class VerifyTotpRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** The code that the authenticator app shows. */
  @Text({ pattern: ONE_TIME_CODE, patternName: 'six digits', example: EXAMPLES.passcode })
  readonly totp!: string;
}

const RECOVERY_CODE = { pattern: TYPED_RECOVERY_CODE, patternName: 'a recovery code', optional: true } as const;

@AtLeastOneOf('recovery_code', 'totp')
export class VerifyRecoveryCodeRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** A recovery code. Upper case and a missing hyphen are accepted. */
  @Text({ ...RECOVERY_CODE, example: EXAMPLES.recoveryCode })
  readonly recovery_code?: string;

  /** The recovery code under the name that existing clients use. Ignored when `recovery_code` is given. */
  @Text(RECOVERY_CODE)
  readonly totp?: string;
}

export class VerifiedTotpResponse extends SessionFieldsResponse {
  /** Begins with `totp_`. */
  readonly totp_id!: string;
  readonly user_id!: string;

  static async of({ totpId, userId, session }: VerifiedTotp): Promise<VerifiedTotpResponse> {
    return { totp_id: totpId, user_id: userId, ...(await SessionFieldsResponse.fieldsOf(session)) };
  }
}
