import { EpochSeconds, OneOf } from '../../../edge/http/fields.js';
import { EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { type Metric, METRICS, type Statistic, type Step, STEPS } from '../domain/statistics.js';

const METRIC_NAMES = Object.keys(METRICS) as Metric[];

export class StatisticsRequest {
  /** All when absent. */
  @OneOf(METRIC_NAMES, { optional: true })
  readonly metric?: Metric;

  /** The first hour or day is the one that contains this time. A day before `until` when absent. */
  @EpochSeconds({ optional: true })
  readonly since?: Date;

  /** Hours and days that begin at this time or later are left out. Now when absent. */
  @EpochSeconds({ optional: true })
  readonly until?: Date;

  /** Hours of 31 days at most, or days of 366 days, in UTC. */
  @OneOf(STEPS)
  readonly step: Step = 'hour';
}

/** How often something happened in one hour or day. Hours and days without any are left out. */
export class StatisticResponse {
  /** Begin of the hour or day, in epoch seconds. */
  readonly at!: number;
  @EnumValues(METRIC_NAMES)
  readonly metric!: Metric;
  /** `method` of the login that began a session, `class` of login failures, `channel` of sends, `kind` of signatures, `state` that transfers reached. */
  readonly labels!: Readonly<Record<string, string>>;
  readonly value!: number;

  static of({ at, metric, label, value }: Statistic): StatisticResponse {
    return { at: epochSeconds(at), metric, labels: { [METRICS[metric]]: label }, value };
  }
}

export class StatisticsResponse {
  /** Oldest first, at most 10 seconds old. */
  readonly statistics!: StatisticResponse[];
}
