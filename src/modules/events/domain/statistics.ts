import type { AppId } from '../../../kernel/ids.js';

/** The counted metrics, and the name of the label that divides each. */
export const METRICS = {
  /** The sessions that began. A login without a session, or one that joins a session, is not counted. */
  logins: 'method',
  login_failures: 'class',
  sends: 'channel',
  signatures: 'kind',
  transfers: 'state',
} as const;
export type Metric = keyof typeof METRICS;

export const STEPS = ['hour', 'day'] as const;
export type Step = (typeof STEPS)[number];

/** The longest time a call may ask for, in days. */
export const LONGEST_DAYS = { hour: 31, day: 366 } as const satisfies Record<Step, number>;

export interface Statistic {
  /** The start of the hour or day, in UTC. */
  readonly at: Date;
  readonly metric: Metric;
  readonly label: string;
  readonly value: number;
}

export interface StatisticsQuery {
  readonly metric?: Metric;
  readonly since: Date;
  readonly until: Date;
  readonly step: Step;
}

/** The counts of events, and of refused logins, by hour. */
export abstract class Statistics {
  /**
   * Counts the events since the last call, each exactly once: the position up to which an app is counted changes with its counts.
   * Returns whether more events wait.
   */
  abstract count(): Promise<boolean>;

  /**
   * Adds refused logins by their class, in the current transaction. They are not counted by their events: of these at most one a minute is
   * published for each user, client network and class.
   */
  abstract addRefusedLogins(appId: AppId, byClass: ReadonlyMap<string, number>): Promise<void>;

  /** Reads the counts, oldest first. Events that are not yet counted are left out. */
  abstract read(appId: AppId, query: StatisticsQuery): Promise<Statistic[]>;
}
