import { ListOf } from '../../../edge/http/compound-fields.js';
import { Flag, Text } from '../../../edge/http/fields.js';
import { FormerId, PartOfUserRow, PastTime, timeIn } from '../../identity/index.js';
import { EXAMPLES } from '../../../kernel/examples.js';
import type { ImportedTotp } from '../application/portable-totps.js';

@PartOfUserRow(
  'totps',
  { max: 1, description: 'The authenticator app of the user. An export has it only with `include_secrets`.' },
  ({ id, secret, verified, verified_at, recovery_codes }: UserRowTotp): ImportedTotp => ({
    id,
    secret,
    isVerified: verified,
    verifiedAt: timeIn(verified_at),
    recoveryCodes: recovery_codes,
  }),
)
export class UserRowTotp {
  @FormerId('totp')
  readonly id?: string;

  /** The shared secret in base32, for codes of 6 digits by SHA-1 and steps of 30 seconds. */
  @Text({ min: 16, max: 128, example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' })
  readonly secret!: string;

  /** Whether the user has completed the enrolment. Otherwise it waits for its first code for 30 minutes. */
  @Flag()
  readonly verified: boolean = false;

  @PastTime('When the user completed it. If absent, the time of the creation of the user.')
  readonly verified_at?: Date;

  /** The unused recovery codes: letters and digits, and hyphens between them. */
  @ListOf(
    Text({
      pattern: /^[0-9A-Za-z](?:-?[0-9A-Za-z]){7,39}$/,
      patternName: 'a code of 8 to 40 letters and digits',
    }),
    { max: 64, example: [EXAMPLES.recoveryCode] },
  )
  readonly recovery_codes: string[] = [];
}
