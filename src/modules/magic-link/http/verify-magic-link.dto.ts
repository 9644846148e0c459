import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { LoginFields } from '../../../edge/idempotency/repeated-logins.js';
import { Token } from '../../../edge/http/fields.js';
import type { UserId } from '../../../kernel/ids.js';
import type { UserProfile, UserProfiles } from '../../identity/index.js';
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
    const fields = MagicLinkUserResponse.linkFields(user, { method_id: idOf(method), method_type: method.type });
    return { ...fields, ...(await VerifiedUserResponse.verifiedFieldsOf(verified)) };
  }

  static linkFields(user: UserProfile, { method_id, method_type }: StoredLink): LinkFields {
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
      email_id: method_type === 'email' ? method_id : '',
      phone_number_id: user.phoneNumbers[0]?.id ?? '',
      emails: null,
      phone_numbers: null,
      method_id,
      method_type,
    };
  }
}

type LinkFields = Omit<MagicLinkUserResponse, keyof VerifiedUserResponse>;
type StoredLink = Pick<LinkFields, 'method_id' | 'method_type'>;

/** The profile is read anew. */
export const LINK_FIELDS: LoginFields<
  LinkFields,
  StoredLink & { readonly user_id: UserId },
  { readonly profiles: UserProfiles }
> = {
  stored: ({ user_id, method_id, method_type }) => ({ user_id: user_id as UserId, method_id, method_type }),
  restored: async ({ user_id, ...method }, appId, { profiles }) =>
    MagicLinkUserResponse.linkFields(await profiles.get(appId, user_id), method),
};

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
