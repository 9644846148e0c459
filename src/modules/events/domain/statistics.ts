import type { AppId } from '../../../kernel/ids.js';

export const METRICS = {
  /** A login without a session, or one that joins a session, is not counted. */
  logins: 'method',
  login_failures: 'class',
  sends: 'channel',
  signatures: 'kind',
  transfers: 'state',
} as const;
export type Metric = keyof typeof METRICS;

export const STEPS = ['hour', 'day'] as const;
export type Step = (typeof STEPS)[number];

export const LONGEST_DAYS = { hour: 31, day: 366 } as const satisfies Record<Step, number>;

export interface Statistic {
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

export abstract class Statistics {
  /** Counts each event exactly once: the counted position changes with the counts. Returns whether more events wait. */
  abstract count(): Promise<boolean>;

  /** Does not count by events: at most one a minute is published for each user, client network and class. */
  abstract addRefusedLogins(appId: AppId, byClass: ReadonlyMap<string, number>): Promise<void>;

  abstract read(appId: AppId, query: StatisticsQuery): Promise<Statistic[]>;
}
