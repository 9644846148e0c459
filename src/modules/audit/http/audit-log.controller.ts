import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type AppId, isId } from '../../../kernel/ids.js';
import { ManagementKey } from '../../../edge/auth/credentials.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { AppNotFound, AppsFacade, AuditLog, NO_APP } from '../../apps/index.js';
import { AuditEntryResponse, AuditLogResponse, ListAuditLogQuery } from './audit-log.dto.js';

@ApiTags('management: audit log')
@Controller('management/v1')
export class AuditLogController {
  constructor(
    private readonly auditLog: AuditLog,
    private readonly apps: AppsFacade,
  ) {}

  /**
   * List the audit log of an app
   *
   * @remarks Returns the changes that operators made, and refused calls (401 and 403) that name the app, also for a deleted app. Changes
   * are listed at once, refused calls within seconds. If there are more than 100 refused calls a minute with the same error type, key and
   * network, the remaining ones are one entry with their number in `calls`.
   */
  @Get('apps/:app_id/audit_log')
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() query: ListAuditLogQuery,
  ): Promise<AuditLogResponse> {
    return this.page(appId, query);
  }

  /**
   * List the audit log of the service
   *
   * @remarks Returns the entries that name no app: changes of management keys, and refused calls without a valid key.
   */
  @Get('audit_log')
  @ManagementKey('auditor')
  async listOfNoApp(@Query() query: ListAuditLogQuery): Promise<AuditLogResponse> {
    return this.page(NO_APP, query);
  }

  private async page(appId: AppId, query: ListAuditLogQuery): Promise<AuditLogResponse> {
    const { items, hasMore } = await this.auditLog.list(appId, pageIn(query), query);
    const keyIds = new Set(items.map(({ actor }) => actor).filter((actor) => isId('key', actor)));
    const keyNames = await this.apps.keyNames(appId, [...keyIds]);
    return { entries: items.map((entry) => AuditEntryResponse.of(entry, keyNames)), has_more: hasMore };
  }
}
