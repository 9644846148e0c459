import { MAX_LENGTH, Text } from '../../../edge/http/fields.js';
import type { PersonalName } from '../domain/user.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { EXAMPLES } from '../../../kernel/examples.js';

/** The names of a user, in requests that create or update one. */
export class PersonalNameRequest {
  @Text({ max: MAX_LENGTH.name, optional: true, example: 'Grace' })
  readonly first_name?: string;

  @Text({ max: MAX_LENGTH.name, optional: true })
  readonly middle_name?: string;

  @Text({ max: MAX_LENGTH.name, optional: true, example: 'Hopper' })
  readonly last_name?: string;

  /** Not called `name`: the OpenAPI document would take that for the name of the schema. */
  static personalName({ first_name, middle_name, last_name }: PersonalNameRequest): Partial<PersonalName> {
    return { firstName: first_name, middleName: middle_name, lastName: last_name };
  }
}

/** The names of a user, in responses. */
export class PersonalNameResponse {
  /** The first name; may be empty. */
  @Example(EXAMPLES.firstName)
  readonly first_name!: string;
  /** The middle name; may be empty. */
  @Example('')
  readonly middle_name!: string;
  /** The last name; may be empty. */
  @Example(EXAMPLES.lastName)
  readonly last_name!: string;

  static personalName({ firstName, middleName, lastName }: PersonalName): PersonalNameResponse {
    return { first_name: firstName, middle_name: middleName, last_name: lastName };
  }
}
