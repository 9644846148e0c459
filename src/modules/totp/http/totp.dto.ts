import { ApiSchema } from '@nestjs/swagger';
import type { UserId } from '../../../kernel/ids.js';
import { IdOf, MinutesWithin, Token, TypedCode } from '../../../edge/http/fields.js';
import type { CreatedTotp, UnusedRecoveryCodes } from '../application/manage-totps.js';
import { ENROLMENT_LIFETIME, ONE_TIME_CODE, PLAIN_RECOVERY_CODE } from '../domain/totp.js';
import { Example, NeverEmpty } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES, secondExampleId, exampleId } from '../../../kernel/examples.js';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { VerifiedTotp } from '../application/sign-in-with-totp.js';
import { PartOfUser } from '../../identity/index.js';

export class CreateTotpRequest {
  @IdOf('user', { example: secondExampleId('user') })
  readonly user_id!: UserId;

  /** Minutes within which the enrolment must be verified. */
  @MinutesWithin(ENROLMENT_LIFETIME)
  readonly expires_in: number = ENROLMENT_LIFETIME.standard;
}

@ApiSchema({ description: 'The enrolment. Its secret and its recovery codes are shown only once.' })
export class CreateTotpResponse {
  @NeverEmpty()
  readonly user_id!: string;
  /** Shared secret in base32, for an authenticator app that cannot scan. */
  @NeverEmpty()
  @Example('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')
  readonly secret!: string;
  /** Begins with `totp_`. */
  @NeverEmpty()
  readonly totp_id!: string;
  /** The 16 recovery codes, each valid for one login without the authenticator. */
  @Example([EXAMPLES.recoveryCode])
  readonly recovery_codes!: string[];
  /** PNG image of the QR code to scan, as a data URL. */
  @NeverEmpty()
  @Example('data:image/png;base64,iVBORw0KGgo=')
  readonly qr_base64!: string;

  static of({ id, userId, secret, recoveryCodes, qrCode }: CreatedTotp): CreateTotpResponse {
    return {
      user_id: userId,
      secret,
      totp_id: id,
      recovery_codes: [...recoveryCodes],
      qr_base64: `data:image/png;base64,${qrCode.toString('base64')}`,
    };
  }
}

@ApiSchema({ description: 'The authenticator was deleted.' })
export class TotpDeletionResponse {
  /** The user of the deleted authenticator. */
  readonly user_id!: string;
  @Example('The authenticator was deleted.')
  readonly message!: string;
}

export class ListRecoveryCodesRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** The token of a fresh session of the user. Without a session the call acts for the app. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_token?: string;

  /** A JWT of a fresh session of the user. An empty string counts as absent. */
  @Token({ optional: true })
  readonly session_jwt?: string;
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

@ApiSchema({ description: 'The unused recovery codes of the user.' })
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

export class VerifyTotpRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** The code that the authenticator app shows. Send the text as the user typed it, see the field `otp` of passcodes. */
  @TypedCode({ pattern: ONE_TIME_CODE, patternName: 'six digits', example: EXAMPLES.passcode })
  readonly totp!: string;
}

const RECOVERY_CODE = { pattern: PLAIN_RECOVERY_CODE, patternName: 'a recovery code', optional: true } as const;

@AtLeastOneOf('recovery_code', 'totp')
export class VerifyRecoveryCodeRequest extends SessionArgumentsRequest {
  @IdOf('user')
  readonly user_id!: UserId;

  /** A recovery code. Upper case, blanks and missing hyphens are accepted. */
  @TypedCode({ ...RECOVERY_CODE, example: EXAMPLES.recoveryCode })
  readonly recovery_code?: string;

  /** The recovery code under the name that existing clients use. Ignored when `recovery_code` is given. */
  @TypedCode(RECOVERY_CODE)
  readonly totp?: string;
}

@ApiSchema({ description: 'The user whose code is right, and the session if the request asks for one.' })
export class VerifiedTotpResponse extends VerifiedUserResponse {
  /** Begins with `totp_`. */
  readonly totp_id!: string;
  readonly user_id!: string;

  static async of({ totpId, userId, session }: VerifiedTotp): Promise<VerifiedTotpResponse> {
    return { totp_id: totpId, user_id: userId, ...(await VerifiedUserResponse.verifiedFieldsOf({ session })) };
  }
}

/** An enrolment as GET user shows it. */
@PartOfUser('totps')
export class UserTotp {
  /** Begins with `totp_`. */
  @Example(exampleId('totp'))
  readonly id!: string;
  /** The owner. */
  readonly user_id!: string;
  /** Whether the enrolment was completed. */
  @Example(true)
  readonly verified!: boolean;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;
}
