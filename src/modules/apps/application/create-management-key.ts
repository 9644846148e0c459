import { Injectable } from '@nestjs/common';
import { type KeyId, newId } from '../../../kernel/ids.js';
import { Clock } from '../../../kernel/clock.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { PURPOSES } from '../domain/api-key.js';
import { InvalidExpiry } from '../domain/apps.errors.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';
import { type ManagementKeyOptions, ManagementKeyRepository } from '../domain/management-key.repository.js';

/** Creates a key of the management API and returns its text, which is shown only once. */
@Injectable()
export class CreateManagementKey {
  constructor(
    private readonly keys: ManagementKeyRepository,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
  ) {}

  /** Throws `InvalidExpiry` for an end in the past. */
  async execute(by: Requester, options: ManagementKeyOptions): Promise<{ id: KeyId; key: string }> {
    if (options.expiresAt && options.expiresAt <= this.clock.now()) throw new InvalidExpiry();
    const id = newId('key');
    const key = `mk_${this.tokens.mint()}`;
    await this.transactions.run(async () => {
      await this.keys.insert({ ...options, id, hash: this.tokens.hash(PURPOSES.management, key) });
      await this.auditLog.add(by, NO_APP, 'management_key.created', id);
    });
    return { id, key };
  }
}
