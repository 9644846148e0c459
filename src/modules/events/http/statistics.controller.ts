import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import type { AppId } from '../../../kernel/ids.js';
import { AppNotFound } from '../../apps/index.js';
import { ReadStatistics } from '../application/read-statistics.js';
import { StatisticResponse, StatisticsRequest, StatisticsResponse } from './statistics.dto.js';

@ApiTags('management')
@Controller('management/v1/apps/:app_id/statistics')
export class StatisticsController {
  constructor(private readonly readStatistics: ReadStatistics) {}

  /**
   * Get statistics of an app
   *
   * @remarks Counts the sessions that began (`logins`), refused proofs, mails and SMS that were accepted, signatures, and the states that
   * transfers reached.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: StatisticsRequest,
  ): Promise<StatisticsResponse> {
    return { statistics: (await this.readStatistics.execute(appId, query)).map(StatisticResponse.of) };
  }
}
