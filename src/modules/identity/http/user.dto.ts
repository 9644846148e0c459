import { ApiSchema } from '@nestjs/swagger';
import { JsonObject } from '../../../edge/http/compound-fields.js';
import type { FieldOptions } from '../../../edge/http/field.js';
import { MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import { METADATA, type Metadata } from '../domain/metadata.js';
import { type AppData, type PersonalName, USER_STATUSES, type UserStatus } from '../domain/user.js';
import { Example, EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES, exampleId } from '../../../kernel/examples.js';
import type {
  ProfileEmail,
  ProfilePhoneNumber,
  ProfileProviderIdentity,
  UserProfile,
} from '../domain/user-profiles.js';

/** The names of a user, in requests that create or update one. */
export class PersonalNameRequest {
  /** The first name; may be empty. */
  @Text({ max: MAX_LENGTH.name, optional: true, example: 'Grace' })
  readonly first_name?: string;

  /** The middle name; may be empty. */
  @Text({ max: MAX_LENGTH.name, optional: true })
  readonly middle_name?: string;

  /** The last name; may be empty. */
  @Text({ max: MAX_LENGTH.name, optional: true, example: 'Hopper' })
  readonly last_name?: string;

  /** Not called `name`: the OpenAPI document would take that for the name of the schema. */
  static personalName({ first_name, middle_name, last_name }: PersonalNameRequest): Partial<PersonalName> {
    return { firstName: first_name, middleName: middle_name, lastName: last_name };
  }
}

/** An id of the user in the app's own data. */
export const ExternalId = (options: FieldOptions) =>
  Text({ max: MAX_LENGTH.customId, example: 'customer-1043', ...options });

/** Members of the metadata of a user. */
export const MetadataObject = (options: FieldOptions) =>
  JsonObject({ levels: METADATA.levels, example: { plan: 'pro' }, ...options });

/** The names of a user and the app's data about the user, in requests that create or update one. */
export class UserDataRequest extends PersonalNameRequest {
  /** The id of the user in the app's own data, unique in the app. An empty text stands for none. */
  @ExternalId({ optional: true })
  readonly external_id?: string;

  /**
   * The app's data about the user: an object of at most 5 levels and 4,096 bytes as JSON. In an update its members are set; a member that
   * is `null` is removed, and other members stay.
   */
  @MetadataObject({ optional: true })
  readonly metadata?: Record<string, unknown>;

  static appData({ external_id, metadata }: UserDataRequest): AppData {
    return { externalId: external_id === '' ? null : external_id, metadata };
  }
}

/** The names of a user, in responses. */
export class PersonalNameResponse {
  @Example(EXAMPLES.firstName)
  readonly first_name!: string;
  @Example('')
  readonly middle_name!: string;
  @Example(EXAMPLES.lastName)
  readonly last_name!: string;

  static personalName({ firstName, middleName, lastName }: PersonalName): PersonalNameResponse {
    return { first_name: firstName, middle_name: middleName, last_name: lastName };
  }
}

export class UserEmail {
  /** Begins with `email_`. */
  @Example(exampleId('email'))
  readonly id!: string;
  /** Whether its user has proved to hold it. */
  @Example(true)
  readonly verified!: boolean;
  /** The address as it was given. */
  @Example(EXAMPLES.email)
  readonly email!: string;
  readonly updated_at!: number;
  readonly created_at!: number;

  static of({ id, verified, email, updatedAt, createdAt }: ProfileEmail): UserEmail {
    return { id, verified, email, updated_at: updatedAt, created_at: createdAt };
  }
}

export class UserPhoneNumber {
  /** Begins with `pn_`. */
  @Example(exampleId('phoneNumber'))
  readonly id!: string;
  /** Whether its user has proved to hold it. */
  @Example(true)
  readonly verified!: boolean;
  /** The phone number in E.164 form. */
  @Example(EXAMPLES.phoneNumber)
  readonly phone_number!: string;
  readonly updated_at!: number;
  readonly created_at!: number;

  static of({ id, verified, phoneNumber, updatedAt, createdAt }: ProfilePhoneNumber): UserPhoneNumber {
    return { id, verified, phone_number: phoneNumber, updated_at: updatedAt, created_at: createdAt };
  }
}

export class UserIdentityAtProvider {
  /** Begins with `idpuser_`. */
  @Example(exampleId('providerIdentity'))
  readonly id!: string;
  /** The name of the identity provider. */
  @Example(EXAMPLES.provider)
  readonly provider!: string;
  /** The same as `provider`, for older clients. */
  @Example(EXAMPLES.provider)
  readonly idp_type!: string;
  /** The same as `id`, as factors of sessions name it. */
  @Example(exampleId('providerIdentity'))
  readonly method_id!: string;
  /** The type of the method, always `oauth`. */
  readonly method_type!: 'oauth';
  @Example('1234567890')
  readonly provider_subject!: string;
  /** The id of the connection to the provider through which the user signed in. */
  @Example(exampleId('oauthConnection'))
  readonly connection_id!: string;
  readonly updated_at!: number;
  readonly created_at!: number;

  static of({
    id,
    provider,
    subject,
    connectionId,
    updatedAt,
    createdAt,
  }: ProfileProviderIdentity): UserIdentityAtProvider {
    return {
      id,
      provider,
      idp_type: provider,
      method_id: id,
      method_type: 'oauth',
      provider_subject: subject,
      connection_id: connectionId,
      updated_at: updatedAt,
      created_at: createdAt,
    };
  }
}

/** Modules add fields to it by `PartOfUser`. */
@ApiSchema({ description: 'The user with their addresses and credentials.' })
export class UserResponse extends PersonalNameResponse {
  /** Begins with `user_`. */
  readonly user_id!: string;
  readonly app_id!: string;
  /** False while the user is pending, and after management deactivated them. */
  @Example(true)
  readonly active!: boolean;
  /** `pending` until an address is verified, if the request required that; otherwise `active`. */
  @EnumValues(USER_STATUSES)
  @Example('active')
  readonly status!: UserStatus;
  readonly updated_at!: number;
  readonly created_at!: number;
  /** The id of the user in the app's own data; empty if the app gave none. */
  @Example(EXAMPLES.externalId)
  readonly external_id!: string;
  /** The app's data about the user. */
  @Example(EXAMPLES.metadata)
  readonly metadata!: Metadata;
  /** The id of the first of `emails`; empty if there is none. */
  readonly email_id!: string;
  /** The id of the first of `phone_numbers`; empty if there is none. */
  readonly phone_number_id!: string;
  /** The email addresses of the user, the oldest first. */
  readonly emails!: UserEmail[];
  /** The phone numbers of the user, the oldest first. */
  readonly phone_numbers!: UserPhoneNumber[];
  /** The user's identities at identity providers. */
  readonly idp_providers!: UserIdentityAtProvider[];

  static of(profile: UserProfile): UserResponse {
    return {
      user_id: profile.userId,
      app_id: profile.appId,
      ...PersonalNameResponse.personalName(profile),
      active: profile.active,
      status: profile.status,
      updated_at: profile.updatedAt,
      created_at: profile.createdAt,
      external_id: profile.externalId ?? '',
      metadata: profile.metadata,
      email_id: profile.emails[0]?.id ?? '',
      phone_number_id: profile.phoneNumbers[0]?.id ?? '',
      emails: profile.emails.map(UserEmail.of),
      phone_numbers: profile.phoneNumbers.map(UserPhoneNumber.of),
      idp_providers: profile.providerIdentities.map(UserIdentityAtProvider.of),
      ...profile.parts,
    };
  }
}

@ApiSchema({ description: 'The user, email or phone number was deleted.' })
export class UserDeletionResponse {
  /** The id of the user who was deleted, or whose email or phone number was deleted. */
  readonly user_id!: string;
  @Example('The user was deleted.')
  readonly message!: string;
}
