import { ApiSchema } from '@nestjs/swagger';
import { WALLET_TYPE_ALIASES, DEFAULT_WALLET_TYPES, type DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import type { AuthenticatedApp } from '../../../edge/http/authenticated-request.js';
import { AtLeastOneOf } from '../../../edge/http/at-least-one-of.js';
import { EmailAddress, Flag, OneOf, PhoneNumber } from '../../../edge/http/fields.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import type { UserProfile } from '../domain/user-profiles.js';
import type { NewUser } from '../domain/user.js';
import { UserDataRequest, UserResponse } from './user.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

@AtLeastOneOf('email', 'phone_number')
export class CreateUserRequest extends UserDataRequest {
  @EmailAddress({ optional: true, example: 'grace@example.com' })
  readonly email?: string;

  @PhoneNumber({ optional: true })
  readonly phone_number?: string;

  /** Whether the user stays pending until the email or phone number is verified. */
  @Flag()
  readonly requires_verification: boolean = false;

  /** The type of the user's default wallet. If absent, the app's setting applies. */
  @OneOf(DEFAULT_WALLET_TYPES, { optional: true, aliases: WALLET_TYPE_ALIASES })
  readonly wallet_type?: DefaultWalletType;

  /** Whether the response contains the whole user under `user`. */
  @Flag()
  readonly include_user: boolean = false;

  static addresses({ email, phone_number }: CreateUserRequest): [Address, ...Address[]] {
    // At least one is there: the class says so above.
    return [
      ...(email === undefined ? [] : [emailAddress(email)]),
      ...(phone_number === undefined ? [] : [phoneAddress(phone_number)]),
    ] as unknown as [Address, ...Address[]];
  }

  /** A wallet type that is absent is looked up when the user is created, unless `app` is given. */
  static choices(request: CreateUserRequest, app?: AuthenticatedApp): Partial<NewUser> {
    return {
      ...UserDataRequest.personalName(request),
      ...UserDataRequest.appData(request),
      walletType: request.wallet_type ?? app?.defaultWalletType,
      status: request.requires_verification ? 'pending' : 'active',
    };
  }
}

@ApiSchema({ description: 'The new user with the addresses that the request contained.' })
export class CreateUserResponse extends UserResponse {
  /** The email as it was given; empty if the user was created without one. */
  @Example(EXAMPLES.email)
  readonly email!: string;
  /** The phone number in E.164 form; empty if the user was created without one. */
  @Example(EXAMPLES.phoneNumber)
  readonly phone_number!: string;
  /** The value of the request. */
  readonly requires_verification!: boolean;
  /** The whole user; present only if `include_user` is true. */
  readonly user?: UserResponse;

  static with(profile: UserProfile, request: CreateUserRequest): CreateUserResponse {
    const user = UserResponse.of(profile);
    return {
      ...user,
      email: user.emails[0]?.email ?? '',
      phone_number: user.phone_numbers[0]?.phone_number ?? '',
      requires_verification: request.requires_verification,
      ...(request.include_user && { user }),
    };
  }
}
