import type { AppId } from '../../kernel/ids.js';

/** The limits that are counted in the database, as set by the app. */
export interface CountedLimits {
  readonly recipientSendsPerTenMinutes: number;
  readonly networkSendsPerTenMinutes: number;
  readonly sendsPerHour: number;
  readonly smsPerCountryPerHour: number;
  /** The permitted countries as ISO 3166-1 alpha-2 codes; `*` stands for all countries. */
  readonly smsCountries: readonly string[];
  readonly wrongTriesPerHour: number;
  readonly networkWrongTriesPerHour: number;
  readonly lockMinutes: number;
  readonly storedAnswersMb: number;
}

/** Knows the limits of each app. */
export abstract class LimitsInForce {
  /** Throws when the app does not exist. */
  abstract of(appId: AppId): CountedLimits | Promise<CountedLimits>;
}
