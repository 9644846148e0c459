import { ApiSchema } from '@nestjs/swagger';
import { ListOf, Nested } from '../../../edge/http/compound-fields.js';
import { EmailAddress, PhoneNumber } from '../../../edge/http/fields.js';
import type { UpdatedUser } from '../application/manage-users.js';
import { type Address, emailAddress, phoneAddress } from '../domain/address.js';
import { UserDataRequest, UserEmail, UserPhoneNumber, UserResponse } from './user.dto.js';

export class EmailToAttach {
  @EmailAddress({ example: 'grace@example.com' })
  readonly email!: string;
}

export class PhoneNumberToAttach {
  @PhoneNumber({ example: '+4915112345679' })
  readonly phone_number!: string;
}

export class UpdateUserRequest extends UserDataRequest {
  /** The email addresses to attach. The user keeps all present addresses. */
  @ListOf(Nested(() => EmailToAttach), { max: 20, optional: true })
  readonly emails?: EmailToAttach[];

  /** The phone numbers to attach. The user keeps all present numbers. */
  @ListOf(Nested(() => PhoneNumberToAttach), { max: 20, optional: true })
  readonly phone_numbers?: PhoneNumberToAttach[];

  static addresses({ emails = [], phone_numbers = [] }: UpdateUserRequest): Address[] {
    return [
      ...emails.map(({ email }, index) => emailAddress(email, `emails[${index}].email`)),
      ...phone_numbers.map(({ phone_number }, index) =>
        phoneAddress(phone_number, `phone_numbers[${index}].phone_number`),
      ),
    ];
  }
}

@ApiSchema({ description: 'The changed user with the addresses that the request contained.' })
export class UpdateUserResponse {
  readonly user_id!: string;
  /** The emails that the request contained. */
  readonly emails!: UserEmail[];
  /** The phone numbers that the request contained. */
  readonly phone_numbers!: UserPhoneNumber[];
  /** The whole user after the change. */
  readonly user!: UserResponse;

  static of({ profile, attached }: UpdatedUser): UpdateUserResponse {
    return {
      user_id: profile.userId,
      emails: profile.emails.filter(({ id }) => attached.has(id)).map(UserEmail.of),
      phone_numbers: profile.phoneNumbers.filter(({ id }) => attached.has(id)).map(UserPhoneNumber.of),
      user: UserResponse.of(profile),
    };
  }
}
