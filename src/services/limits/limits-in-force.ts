import type { AppId } from '../../kernel/ids.js';

/** The limits that are counted in the database, as the app has set them. */
export interface CountedLimits {
  readonly recipientSendsPerTenMinutes: number;
  readonly networkSendsPerTenMinutes: number;
  readonly sendsPerHour: number;
  readonly smsPerCountryPerHour: number;
  /** ISO 3166-1 alpha-2 codes; `*` is all countries. */
  readonly smsCountries: readonly string[];
  readonly wrongTriesPerHour: number;
  readonly lockMinutes: number;
}

/** Knows the limits of each app. */
export abstract class LimitsInForce {
  /** Throws when there is no such app. */
  abstract of(appId: AppId): CountedLimits | Promise<CountedLimits>;
}
