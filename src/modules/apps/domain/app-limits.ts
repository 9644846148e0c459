import type { AppMode } from './app-mode.js';

/** A bound that an app may set for itself, and the default. */
interface Bound {
  readonly min: number;
  readonly max: number;
  readonly standard: number;
  /** The plural noun for the counted things. */
  readonly unit: string;
}

/** The limits of an app that are numbers. Written once here: validation, documentation and defaults all read it. */
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

/** Every country, in a list of destination countries. */
export const ALL_COUNTRIES = '*';

export type AppLimits = { readonly [K in keyof typeof LIMITS]: number } & {
  /** Countries SMS may go to, as ISO 3166-1 alpha-2 codes; `*` is all of them, an empty list none. */
  readonly smsCountries: readonly string[];
};

/** The limits in force: those that the app set, over the defaults of its mode. Live apps send no SMS until they name countries. */
export function limitsInForce(mode: AppMode, own: Partial<AppLimits>): AppLimits {
  const standard = Object.fromEntries(Object.entries(LIMITS).map(([name, bound]) => [name, bound.standard]));
  return { ...standard, smsCountries: mode === 'test' ? [ALL_COUNTRIES] : [], ...own } as AppLimits;
}
