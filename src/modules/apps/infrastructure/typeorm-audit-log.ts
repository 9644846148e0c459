import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import { Database } from '../../../postgres/database.js';
import { App } from '../domain/app.js';
import { AppNotFound } from '../domain/apps.errors.js';
import { type AuditEntry, AuditLog, type Requester } from '../domain/audit-log.js';
import type { Page, PageRequest } from '../domain/page.js';
import { AuditEntrySchema } from './audit-entry.schema.js';
import { pageOf } from './page-of.js';

@Injectable()
export class TypeormAuditLog extends AuditLog {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async add(
    by: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields: readonly string[] = [],
  ): Promise<void> {
    const entry: AuditEntry = {
      ...by,
      appId,
      id: newId('auditEntry'),
      action,
      targetId,
      fields,
      createdAt: this.clock.now(),
    };
    await this.database.manager.insert(AuditEntrySchema, { ...entry, fields: [...fields] });
  }

  async list(appId: AppId, page: PageRequest): Promise<Page<AuditEntry>> {
    const entries = await pageOf(this.database.manager, AuditEntrySchema, { appId }, page);
    // Every app's log begins with its creation, so only an empty page leaves a doubt.
    if (entries.items.length === 0 && !(await this.database.manager.existsBy(App, { id: appId })))
      throw new AppNotFound();
    return entries;
  }
}
