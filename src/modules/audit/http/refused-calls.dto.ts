import { ApiSchema } from '@nestjs/swagger';
import { IdOf } from '../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../edge/http/list.dto.js';
import { Example } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { exampleId } from '../../../kernel/examples.js';
import type { Id, KeyId } from '../../../kernel/ids.js';
import type { RefusedCallsOfHour } from '../domain/refused-calls.js';

export class ListRefusedCallsQuery extends ManagementListQuery {
  /** Lists only calls with this key. */
  @IdOf('key', { optional: true })
  readonly key_id?: KeyId;

  /** The id of the last item of the previous page. */
  @IdOf('refusedCalls', { optional: true })
  readonly starting_after?: Id<'refusedCalls'>;
}

@ApiSchema({ description: 'The calls that a key was refused for one reason within an hour.' })
export class RefusedCallsOfHourResponse {
  @Example(exampleId('refusedCalls'))
  id!: string;
  /** The start of the hour, in epoch seconds. */
  at!: number;
  @Example(exampleId('key'))
  key_id!: string;
  /** The method and the route. */
  @Example('POST /v1/auth/otps/verify')
  operation!: string;
  /** The error type of the refusals. */
  @Example('invalid_otp')
  error_type!: string;
  /** The number of calls. */
  calls!: number;
  /** The time of the last one, in epoch seconds. */
  last_at!: number;
  /** The request id of the last one. */
  @Example('6f1c1b1e-6f0e-4f0e-9d8a-0c6b5a4e3d2c')
  last_request_id!: string;

  static of(row: RefusedCallsOfHour): RefusedCallsOfHourResponse {
    return {
      id: row.id,
      at: epochSeconds(row.hour),
      key_id: row.keyId,
      operation: row.operation,
      error_type: row.errorType,
      calls: row.calls,
      last_at: epochSeconds(row.lastAt),
      last_request_id: row.lastRequestId,
    };
  }
}

@ApiSchema({ description: 'A page of refused calls.' })
export class RefusedCallsResponse {
  /** The hours, newest first. */
  refused_calls!: RefusedCallsOfHourResponse[];
  /** Whether older ones follow. */
  has_more!: boolean;
}
