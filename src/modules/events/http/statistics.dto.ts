import { ApiSchema } from '@nestjs/swagger';
import { EpochSeconds, OneOf } from '../../../edge/http/fields.js';
import { EnumValues } from '../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../kernel/clock.js';
import { type Metric, METRICS, type Statistic, type Step, STEPS } from '../domain/statistics.js';

const METRIC_NAMES = Object.keys(METRICS) as Metric[];

export class StatisticsRequest {
  /** The metric that is counted. All metrics if it is absent. */
  @OneOf(METRIC_NAMES, { optional: true })
  readonly metric?: Metric;

  /** A time in the first hour or day, in epoch seconds. The default is a day before `until`. */
  @EpochSeconds({ optional: true })
  readonly since?: Date;

  /** The end of the range, in epoch seconds: hours and days that begin at this time or later are left out. The default is now. */
  @EpochSeconds({ optional: true })
  readonly until?: Date;

  /** The unit of the counts, in UTC. A call may cover at most 31 days by hour, or 366 days by day. */
  @OneOf(STEPS)
  readonly step: Step = 'hour';
}

/** The count of a metric in one hour or day. Hours and days with a count of zero are left out. */
export class StatisticResponse {
  /** The start of the hour or day, in epoch seconds. */
  readonly at!: number;
  /** The name of the metric that is counted. */
  @EnumValues(METRIC_NAMES)
  readonly metric!: Metric;
  /**
   * The label of the count: `method` of the login that began a session, `class` of login failures, `channel` of sends, `kind` of
   * signatures, `state` that transfers reached.
   */
  readonly labels!: Readonly<Record<string, string>>;
  /** The count, which is at least 1. */
  readonly value!: number;

  static of({ at, metric, label, value }: Statistic): StatisticResponse {
    return { at: epochSeconds(at), metric, labels: { [METRICS[metric]]: label }, value };
  }
}

@ApiSchema({ description: 'The counts of each hour or day in the range.' })
export class StatisticsResponse {
  /** The counts, oldest first, at most 10 seconds old. */
  readonly statistics!: StatisticResponse[];
}
