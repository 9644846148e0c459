import { ApiProperty } from '@nestjs/swagger';
import { ListOf } from '../../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../../edge/http/field.js';
import { Text, WholeNumber } from '../../../../edge/http/fields.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { snakeCase } from '../../../../kernel/snake-case.js';
import { type AppLimits, LIMITS } from '../../domain/app-limits.js';
import type { AppChanges } from '../../domain/app.js';
import { given } from '../wire-names.js';

// The fields of `LIMITS`. They stand in classes above, because a subclass documents them first.
class NumbersRequest {
  readonly [limit: string]: unknown;
}
class NumbersResponse {
  readonly [limit: string]: unknown;
}

for (const [name, { description, standard, ...bound }] of Object.entries(LIMITS)) {
  WholeNumber({ ...bound, ...RESETTABLE, description })(NumbersRequest.prototype, snakeCase(name));
  ApiProperty({ type: 'integer', description, example: standard })(NumbersResponse.prototype, snakeCase(name));
}

const LIMIT_NAMES = [...Object.keys(LIMITS), 'smsCountries'] as (keyof AppLimits)[];

/** Limits to set. Limits that the request omits stay; `null` restores the default. */
export class LimitsRequest extends NumbersRequest {
  /** The countries that SMS may go to (ISO 3166-1 alpha-2); `*` stands for all of them, an empty list for none. */
  @ListOf(Text({ pattern: /^([A-Z]{2}|\*)$/, patternName: 'a country code such as DE, or *' }), {
    max: 250,
    ...RESETTABLE,
  })
  readonly sms_countries?: string[] | null;
}

export function limitsIn(request: LimitsRequest): AppChanges['limits'] {
  return given(Object.fromEntries(LIMIT_NAMES.map((name) => [name, request[snakeCase(name)]])));
}

/** The limits in force. */
export class LimitsResponse extends NumbersResponse {
  /** The countries that SMS may go to; `*` stands for all countries. */
  @Example(['*'])
  sms_countries!: string[];

  static of(limits: AppLimits): LimitsResponse {
    return Object.assign(
      new LimitsResponse(),
      Object.fromEntries(LIMIT_NAMES.map((name) => [snakeCase(name), limits[name]])),
    );
  }
}
