import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { RESETTABLE } from '../../../edge/http/field.js';
import { EmailAddress, EpochSeconds, IdOf, MAX_LENGTH, OneOf, Text, WholeNumber } from '../../../edge/http/fields.js';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { EXAMPLES, exampleId } from '../../../kernel/examples.js';
import type { UserId } from '../../../kernel/ids.js';
import { SettingOfApp } from '../../apps/index.js';
import { PartOfUserRow } from '../../identity/index.js';
import { SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { NamedUser, VerifiedPassword } from '../application/verify-password.js';
import { PASSWORD_LOGIN_UNTIL, type PasswordLogin } from '../domain/imported-password.js';
import { ALGORITHMS, type StatedHash } from '../domain/password-hash.js';

const UNTIL = 'The time until which imported passwords sign in, in epoch seconds';

SettingOfApp(PASSWORD_LOGIN_UNTIL, {
  requested: EpochSeconds({ ...RESETTABLE, description: `${UNTIL}; \`null\` ends it.`, example: 1_900_000_000 }),
  shown: ApiProperty({ type: 'integer', description: `${UNTIL}; \`0\` if they do not.`, example: 1_900_000_000 }),
});

export const passwordLoginIn = (_: PasswordLogin | null, until: Date): PasswordLogin => ({
  until: epochSeconds(until),
});
export const passwordLoginUntil = (login: PasswordLogin | null): number => login?.until ?? 0;

@PartOfUserRow(
  'password',
  {
    max: 'one',
    description: 'The hash of the password at the former vendor. An export has it only with `include_secrets`.',
  },
  ({ algorithm, hash, ...firebase }: UserRowPassword): StatedHash => ({ algorithm, hash, ...firebase }),
)
export class UserRowPassword {
  /** The algorithm of the hash. */
  @OneOf(ALGORITHMS)
  readonly algorithm!: StatedHash['algorithm'];

  /** The hash as PHC or crypt text, with salt and costs; of `ssha…`, digest and salt in base64; of `scrypt-firebase`, the hash in base64. */
  @Text({
    min: 1,
    max: 512,
    example: '$argon2id$v=19$m=4096,t=2,p=1$c2FsdCBvZiB0aGUgZGVtbw$nMsqQVcHMXcwjKfaGX6xn0Lagxx0c8p053dQblElP3A',
  })
  readonly hash!: string;

  /** The salt of the user, in base64. Only with `scrypt-firebase`, as are the next four. */
  @Text({ max: 256, optional: true, example: 'c2FsdA==' })
  readonly salt?: string;

  /** The salt separator of the project, in base64. */
  @Text({ max: 256, optional: true, example: 'Bw==' })
  readonly salt_separator?: string;

  /** The signer key of the project, in base64. */
  @Text({ max: 256, optional: true, example: 'c2lnbmVyIGtleSBvZiB0aGUgcHJvamVjdA==' })
  readonly signer_key?: string;

  @WholeNumber({ optional: true, example: 8, description: 'The rounds of the project.' })
  readonly rounds?: number;

  @WholeNumber({ optional: true, example: 14, description: 'The memory cost of the project.' })
  readonly mem_cost?: number;
}

@AtLeastOneOf('email', 'user_id')
export class VerifyPasswordRequest extends SessionArgumentsRequest {
  @EmailAddress({ optional: true, example: EXAMPLES.email })
  readonly email?: string;

  /** The user, instead of an email address. */
  @IdOf('user', { optional: true })
  readonly user_id?: UserId;

  /** The password that the user has at the former vendor, as it was typed. */
  @Text({ min: 1, max: MAX_LENGTH.text, example: EXAMPLES.password })
  readonly password!: string;

  /** Given both, the id counts. */
  static namedUser({ email, user_id: userId }: VerifyPasswordRequest): NamedUser {
    return userId === undefined ? { email: email! } : { userId };
  }
}

@ApiSchema({ description: 'The user whose password is right, and the session if the request asks for one.' })
export class VerifiedPasswordResponse extends VerifiedUserResponse {
  readonly user_id!: string;
  /** The id of the address that named the user, else of the user. */
  @Example(exampleId('email'))
  readonly method_id!: string;
  /** The kind of the method: `email`, or `user` if an id named the user. */
  @EnumValues(['email', 'user'])
  @Example('email')
  readonly method_type!: string;

  static async of({ userId, contact, session }: VerifiedPassword): Promise<VerifiedPasswordResponse> {
    return {
      user_id: userId,
      method_id: contact?.id ?? userId,
      method_type: contact ? 'email' : 'user',
      ...(await VerifiedUserResponse.verifiedFieldsOf({ session })),
    };
  }
}
