import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { isId } from '../../../kernel/ids.js';
import { IdOf, Text } from '../../../edge/http/fields.js';
import { SessionArgumentsRequest, SessionFieldsResponse } from '../../session/index.js';
import type { VerifiedPasscode } from '../application/verify-passcode.js';
import { type MethodId, PASSCODE } from '../domain/passcode.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

export class VerifyPasscodeRequest extends SessionArgumentsRequest {
  /** The `email_id` or `phone_number_id` that the passcode was sent to. */
  @IdOf(['email', 'phoneNumber'])
  readonly method_id!: MethodId;

  @Text({ pattern: PASSCODE, patternName: 'a passcode of 6 digits', example: EXAMPLES.passcode })
  readonly otp!: string;
}

export class VerifiedPasscodeResponse extends SessionFieldsResponse {
  readonly user_id!: string;
  /** The `email_id` or `phone_number_id`, which is now verified. */
  @Example(exampleId('email'))
  readonly method_id!: string;
  /** The kind of address: `email` or `phone_number`. */
  @EnumValues(['email', 'phone_number'])
  readonly method_type!: string;

  static async of({ userId, methodId, session }: VerifiedPasscode): Promise<VerifiedPasscodeResponse> {
    return {
      user_id: userId,
      method_id: methodId,
      method_type: isId('email', methodId) ? 'email' : 'phone_number',
      ...(await SessionFieldsResponse.fieldsOf(session)),
    };
  }
}
