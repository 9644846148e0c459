import type { AppId } from '../../kernel/ids.js';

export interface CountedLimits {
  readonly recipientSendsPerTenMinutes: number;
  readonly networkSendsPerTenMinutes: number;
  readonly sendsPerHour: number;
  readonly smsPerCountryPerHour: number;
  /** ISO 3166-1 alpha-2; `*` stands for all countries. */
  readonly smsCountries: readonly string[];
  readonly wrongTriesPerHour: number;
  readonly networkWrongTriesPerHour: number;
  readonly lockMinutes: number;
  readonly storedAnswersMb: number;
}

export abstract class LimitsInForce {
  abstract of(appId: AppId): CountedLimits | Promise<CountedLimits>;
}
