import type { AppMode } from './app-mode.js';

interface Bound {
  readonly min: number;
  readonly max: number;
  readonly standard: number;
  readonly unit: string;
  readonly description: string;
}

/** Validation, documentation and defaults all read this list. */
export const LIMITS = {
  secretKeyCallsPerSecond: {
    min: 1,
    max: 1_000_000,
    standard: 5_000,
    unit: 'calls per second',
    description: "The maximum number of calls per second with the app's secret keys, counted by each replica.",
  },
  recipientSendsPerTenMinutes: {
    min: 1,
    max: 1_000,
    standard: 10,
    unit: 'messages in ten minutes',
    description: 'The maximum number of mails or SMS to one recipient in ten minutes.',
  },
  networkSendsPerTenMinutes: {
    min: 1,
    max: 1_000_000,
    standard: 100,
    unit: 'messages in ten minutes',
    description:
      'The maximum number of mails or SMS requested from one client network (the `ip` of `device_fingerprint`) in ten minutes.',
  },
  sendsPerHour: {
    min: 0,
    max: 10_000_000,
    standard: 10_000,
    unit: 'messages an hour',
    description: 'The maximum number of mails and SMS of the app in an hour.',
  },
  smsPerCountryPerHour: {
    min: 0,
    max: 10_000_000,
    standard: 10_000,
    unit: 'messages an hour',
    description: 'The maximum number of SMS of the app to one destination country in an hour.',
  },
  wrongTriesPerCode: {
    min: 1,
    max: 20,
    standard: 5,
    unit: 'tries',
    description: 'The number of wrong tries that void a code.',
  },
  wrongTriesPerHour: {
    min: 1,
    max: 1_000,
    standard: 20,
    unit: 'tries an hour',
    description:
      'The number of wrong tries of a user in an hour, over all codes and factors, that lock the codes of that user.',
  },
  networkWrongTriesPerHour: {
    min: 1,
    max: 1_000_000,
    standard: 100,
    unit: 'tries an hour',
    description:
      'The number of wrong tries from one client network (the `ip` of `device_fingerprint`) in an hour, over all users and codes, from which on codes are refused from that network until the oldest try is an hour ago. Raise it if very many users share one address.',
  },
  lockMinutes: {
    min: 1,
    max: 1_440,
    standard: 15,
    unit: 'minutes',
    description: 'The duration, in minutes, of the lock on a user that `wrong_tries_per_hour` causes.',
  },
  sessionsPerUser: {
    min: 1,
    max: 1_000,
    standard: 100,
    unit: 'sessions',
    description: 'The maximum number of live sessions of a user. When one more begins, the oldest ends.',
  },
  storedAnswersMb: {
    min: 1,
    max: 1_048_576,
    standard: 4_096,
    unit: 'MiB',
    description:
      'The maximum size, in MiB, of the responses that are stored for `Idempotency-Key` in 24 hours; a login takes about 400 bytes. A tenth is reserved for payments and imports. From 80 % on, the event `limit.reached` says so.',
  },
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
