import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId } from '../../../kernel/ids.js';
import { AppsFacade } from '../../apps/index.js';
import { LONGEST_DAYS, type Statistic, Statistics, type StatisticsQuery } from '../domain/statistics.js';

const DAY_MS = 86_400_000;
const STEP_MS = { hour: 3_600_000, day: DAY_MS } as const;

@Injectable()
export class ReadStatistics {
  constructor(
    private readonly statistics: Statistics,
    private readonly apps: AppsFacade,
    private readonly clock: Clock,
  ) {}

  async execute(
    appId: AppId,
    { metric, step, since: from, until: to }: Pick<StatisticsQuery, 'metric' | 'step'> & Partial<StatisticsQuery>,
  ): Promise<Statistic[]> {
    await this.apps.requireLive(appId);
    const until = to ?? this.clock.now();
    const asked = (from ?? new Date(Math.max(0, until.getTime() - DAY_MS))).getTime();
    const since = new Date(asked - (asked % STEP_MS[step]));
    if (until.getTime() - since.getTime() > LONGEST_DAYS[step] * DAY_MS + STEP_MS[step]) {
      const message = `must be at most ${LONGEST_DAYS[step]} days before until`;
      throw new InvalidRequest([{ field: 'since', rule: 'range', message }]);
    }
    return this.statistics.read(appId, { ...(metric && { metric }), since, until, step });
  }
}
