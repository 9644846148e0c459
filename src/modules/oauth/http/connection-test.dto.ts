import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { CHECK_NAMES, type CheckName } from '../domain/connection-test.js';

export class ConnectionCheckResponse {
  @EnumValues(CHECK_NAMES)
  readonly name!: CheckName;
  readonly ok!: boolean;
  /** The result of the check, or the fault that it found. */
  @Example('The metadata of the provider were read.')
  readonly detail!: string;
}

export class ConnectionTestResponse {
  /** The checks `credentials`, `discovery`, `keys` and `clock`, in this order. */
  readonly checks!: ConnectionCheckResponse[];
}
