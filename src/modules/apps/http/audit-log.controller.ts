import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId } from '../../../kernel/ids.js';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/http/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { AppNotFound } from '../domain/apps.errors.js';
import { AuditLog } from '../domain/audit-log.js';
import { AuditLogResponse } from './audit-log.dto.js';
import { ListAuditLogQuery, pageIn } from './list.dto.js';

@ApiTags('management')
@Controller('management/v1/apps/:app_id/audit_log')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLog) {}

  /**
   * List what operators changed
   *
   * @remarks Also of an app that was deleted.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListAuditLogQuery,
  ): Promise<AuditLogResponse> {
    return AuditLogResponse.of(await this.auditLog.list(appId, pageIn(query)));
  }
}
