import { type AppId, newId } from '../../../src/kernel/ids.js';
import type { Requester } from '../../../src/kernel/requester.js';
import { AppNotFound } from '../../../src/modules/apps/domain/apps.errors.js';
import { type AuditEntry, AuditLog } from '../../../src/modules/apps/domain/audit-log.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import type { InMemoryAppRepository } from './in-memory-app.repository.js';
import { type InMemoryTransactions, pageOf, type Rows } from './in-memory-transactions.js';

export class InMemoryAuditLog extends AuditLog {
  private readonly rows: Rows<AuditEntry>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly apps: InMemoryAppRepository,
  ) {
    super();
    this.rows = transactions.rows<AuditEntry>();
  }

  async add(
    by: Requester,
    appId: AppId,
    action: string,
    targetId: string,
    fields: readonly string[] = [],
  ): Promise<void> {
    this.rows.add({
      ...by,
      appId,
      id: newId('auditEntry'),
      action,
      targetId,
      fields,
      outcome: 'ok',
      errorType: null,
      calls: 1,
      ip: by.ip ?? null,
      isErased: false,
      createdAt: new Date(),
    });
  }

  async list(appId: AppId, page: PageRequest): Promise<Page<AuditEntry>> {
    if (!this.apps.everExisted(appId)) throw new AppNotFound();
    return pageOf(
      this.rows.where((entry) => entry.appId === appId),
      page,
    );
  }
}
