import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Token } from '../../../edge/http/fields.js';
import { SessionArgumentsRequest, VerifiedUserResponse } from '../../session/index.js';
import type { VerifiedLink } from '../application/verify-magic-link.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

export class VerifyMagicLinkRequest extends SessionArgumentsRequest {
  /**
   * The token of the link. The demo app of a development start accepts the example once within seven days, unless another link is sent
   * first; a reset of the demo data renews it.
   */
  @Token({ example: EXAMPLES.token })
  readonly token!: string;
}

@ApiSchema({ description: 'The user who followed the link, and the session if the request asks for one.' })
export class MagicLinkUserResponse extends VerifiedUserResponse {
  readonly user_id!: string;
  readonly app_id!: string;
  /** May be empty. */
  @Example(EXAMPLES.firstName)
  readonly first_name!: string;
  /** May be empty. */
  @Example('')
  readonly middle_name!: string;
  /** May be empty. */
  @Example(EXAMPLES.lastName)
  readonly last_name!: string;
  /** False while the user is pending. */
  @Example(true)
  readonly active!: boolean;
  /** The status of the user: `pending` or `active`. */
  @EnumValues(['pending', 'active'])
  @Example('active')
  readonly status!: string;
  /** The time of the last change in epoch seconds. */
  readonly updated_at!: number;
  /** The time of creation in epoch seconds. */
  readonly created_at!: number;
  /** The address that the link was mailed to, which is now verified; for an embedded link the user's first. Empty when there is none. */
  readonly email_id!: string;
  /** The user's first phone number. Empty when there is none. */
  readonly phone_number_id!: string;
  /** Always null here: see `GET /v1/auth/users/{user_id}`. */
  @ApiProperty({ type: 'null' })
  readonly emails!: null;
  /** Always null here: see `GET /v1/auth/users/{user_id}`. */
  @ApiProperty({ type: 'null' })
  readonly phone_numbers!: null;
  /** The id of the email, or for an embedded link also of the phone number or the user. */
  @Example(exampleId('email'))
  readonly method_id!: string;
  /** The kind of credential: `email`, `phone_number` or `user`. */
  @EnumValues(['email', 'phone_number', 'user'])
  readonly method_type!: string;

  static async of(verified: VerifiedLink): Promise<MagicLinkUserResponse> {
    const { user, method } = verified;
    return {
      user_id: user.userId,
      app_id: user.appId,
      first_name: user.firstName,
      middle_name: user.middleName,
      last_name: user.lastName,
      active: user.active,
      status: user.status,
      updated_at: user.updatedAt,
      created_at: user.createdAt,
      email_id: method.type === 'email' ? method.emailId : '',
      phone_number_id: user.phoneNumbers[0]?.id ?? '',
      emails: null,
      phone_numbers: null,
      method_id: idOf(method),
      method_type: method.type,
      ...(await VerifiedUserResponse.verifiedFieldsOf(verified)),
    };
  }
}

function idOf(method: VerifiedLink['method']): string {
  switch (method.type) {
    case 'email':
      return method.emailId;
    case 'phone_number':
      return method.phoneNumberId;
    case 'user':
      return method.userId;
  }
}
