import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';
import { ManagementSessionRepository, SESSION_PURPOSE } from '../domain/management-session.repository.js';

/** Begins and ends the sessions of browsers. Only the hash of a token is stored. */
@Injectable()
export class ManagementSessions {
  constructor(
    private readonly sessions: ManagementSessionRepository,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
  ) {}

  /** Begins a session of the key, and returns its token and when it ends: never after the key. */
  begin(by: Requester, keyId: KeyId): Promise<{ token: string; expiresAt: Date }> {
    const token = this.tokens.mint();
    return this.transactions.run(async () => {
      const expiresAt = await this.sessions.insert(keyId, this.tokens.hash(SESSION_PURPOSE, token));
      await this.auditLog.add(by, NO_APP, 'management_session.created', keyId);
      return { token, expiresAt };
    });
  }

  async end(by: Requester, token: string): Promise<void> {
    await this.transactions.run(async () => {
      const keyId = await this.sessions.delete(this.tokens.hash(SESSION_PURPOSE, token));
      if (keyId) await this.auditLog.add(by, NO_APP, 'management_session.deleted', keyId);
    });
  }
}
