import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { CHECK_NAMES, type CheckName } from '../domain/connection-test.js';

export class ConnectionCheckResponse {
  /** The name of the check. */
  @EnumValues(CHECK_NAMES)
  readonly name!: CheckName;
  /** Whether the check found no fault. */
  @Example(true)
  readonly ok!: boolean;
  /** The result of the check, or the fault that it found. */
  @Example('The metadata of the provider were read.')
  readonly detail!: string;
}

@ApiSchema({ description: 'The results of all checks. A fault that they found is a result, not an error.' })
export class ConnectionTestResponse {
  /** The checks `credentials`, `discovery`, `keys`, `clock`, `pkce` and `userinfo`, in this order. */
  readonly checks!: ConnectionCheckResponse[];
}
