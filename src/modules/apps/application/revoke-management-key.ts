import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { KeyNotFound } from '../domain/apps.errors.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';
import { ManagementKeyRepository } from '../domain/management-key.repository.js';

/** Ends a key of the management API on every replica within a second. */
@Injectable()
export class RevokeManagementKey {
  constructor(
    private readonly keys: ManagementKeyRepository,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
  ) {}

  async execute(by: Requester, id: KeyId): Promise<void> {
    await this.transactions.run(async () => {
      if (!(await this.keys.revoke(id))) throw new KeyNotFound();
      await this.auditLog.add(by, NO_APP, 'management_key.revoked', id);
    });
  }
}
