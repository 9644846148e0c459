import type { AppMode } from './app-mode.js';

interface Bound {
  readonly min: number;
  readonly max: number;
  readonly standard: number;
  readonly unit: string;
}

/** Validation, documentation and defaults all read this list. */
export const LIMITS = {
  secretKeyCallsPerSecond: { min: 1, max: 1_000_000, standard: 5_000, unit: 'calls per second' },
  recipientSendsPerTenMinutes: { min: 1, max: 1_000, standard: 10, unit: 'messages in ten minutes' },
  networkSendsPerTenMinutes: { min: 1, max: 1_000_000, standard: 100, unit: 'messages in ten minutes' },
  sendsPerHour: { min: 0, max: 10_000_000, standard: 10_000, unit: 'messages an hour' },
  smsPerCountryPerHour: { min: 0, max: 10_000_000, standard: 10_000, unit: 'messages an hour' },
  wrongTriesPerCode: { min: 1, max: 20, standard: 5, unit: 'tries' },
  wrongTriesPerHour: { min: 1, max: 1_000, standard: 20, unit: 'tries an hour' },
  networkWrongTriesPerHour: { min: 1, max: 1_000_000, standard: 100, unit: 'tries an hour' },
  sessionsPerUser: { min: 1, max: 1_000, standard: 100, unit: 'sessions' },
  storedAnswersMb: { min: 1, max: 1_048_576, standard: 4_096, unit: 'MiB' },
  lockMinutes: { min: 1, max: 1_440, standard: 15, unit: 'minutes' },
} as const satisfies Record<string, Bound>;

export const ALL_COUNTRIES = '*';

export type AppLimits = { readonly [K in keyof typeof LIMITS]: number } & {
  /** ISO 3166-1 alpha-2 codes; `*` is all countries, an empty list none. */
  readonly smsCountries: readonly string[];
};

/** Live apps send no SMS until they name countries. */
export function limitsInForce(mode: AppMode, own: Partial<AppLimits>): AppLimits {
  const standard = Object.fromEntries(Object.entries(LIMITS).map(([name, bound]) => [name, bound.standard]));
  return { ...standard, smsCountries: mode === 'test' ? [ALL_COUNTRIES] : [], ...own } as AppLimits;
}
