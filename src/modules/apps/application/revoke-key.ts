import { Injectable } from '@nestjs/common';
import type { AppId, KeyId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { AppRepository } from '../domain/app.repository.js';
import { KeyRevoked } from '../domain/apps.events.js';
import { KeyNotFound } from '../domain/apps.errors.js';
import { AuditLog } from '../domain/audit-log.js';

/** Ends a key on every replica within a second. */
@Injectable()
export class RevokeKey {
  constructor(
    private readonly apps: AppRepository,
    private readonly keys: ApiKeyRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  execute(by: Requester, appId: AppId, id: KeyId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.keys.revoke(appId, id))) throw new KeyNotFound();
      await this.auditLog.add(by, appId, 'key.revoked', id);
      await this.events.publish(new KeyRevoked(appId, { key_id: id }));
    });
  }
}
