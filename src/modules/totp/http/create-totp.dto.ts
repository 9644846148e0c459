import type { UserId } from '../../../kernel/ids.js';
import { IdOf, MinutesWithin } from '../../../edge/http/fields.js';
import type { CreatedTotp } from '../application/create-totp.js';
import { ENROLMENT_LIFETIME } from '../domain/totp.js';
import { Example, NeverEmpty } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES, secondExampleId } from '../../../kernel/examples.js';

export class CreateTotpRequest {
  @IdOf('user', { example: secondExampleId('user') })
  readonly user_id!: UserId;

  /** Minutes within which the enrolment must be verified. */
  @MinutesWithin(ENROLMENT_LIFETIME)
  readonly expires_in: number = ENROLMENT_LIFETIME.standard;
}

/** An enrolment. The secret is shown only here. */
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
