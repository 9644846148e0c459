import { Injectable } from '@nestjs/common';
import { type KeyId, newId } from '../../../kernel/ids.js';
import { Clock } from '../../../kernel/clock.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { PURPOSES } from '../domain/api-key.js';
import { InvalidExpiry, KeyNotFound } from '../domain/apps.errors.js';
import { AuditLog, NO_APP } from '../domain/audit-log.js';
import {
  actorOf,
  type ManagementKeyOptions,
  ManagementKeyRepository,
  type ManagementSession,
  ManagementSessionRepository,
  type Operator,
  SESSION_PURPOSE,
} from '../domain/management-key.repository.js';

@Injectable()
export class ManagementKeys {
  constructor(
    private readonly keys: ManagementKeyRepository,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
  ) {}

  async create(by: Requester, options: ManagementKeyOptions): Promise<{ id: KeyId; key: string }> {
    if (options.expiresAt && options.expiresAt <= this.clock.now()) throw new InvalidExpiry();
    const id = newId('key');
    const key = `mk_${this.tokens.mint()}`;
    await this.transactions.run(async () => {
      await this.keys.insert({ ...options, id, hash: this.tokens.hash(PURPOSES.management, key) });
      await this.auditLog.add(by, NO_APP, 'management_key.created', id);
    });
    return { id, key };
  }

  async revoke(by: Requester, id: KeyId): Promise<void> {
    await this.transactions.run(async () => {
      if (!(await this.keys.revoke(id))) throw new KeyNotFound();
      await this.auditLog.add(by, NO_APP, 'management_key.revoked', id);
    });
  }
}

/** Only the hash of a token is stored. */
@Injectable()
export class ManagementSessions {
  constructor(
    private readonly sessions: ManagementSessionRepository,
    private readonly auditLog: AuditLog,
    private readonly transactions: Transactions,
    private readonly tokens: SecretTokens,
    private readonly clock: Clock,
  ) {}

  list(): Promise<readonly ManagementSession[]> {
    return this.sessions.list();
  }

  begin(by: Requester, of: KeyId | Operator): Promise<{ token: string; expiresAt: Date; provedAt: Date | null }> {
    const token = this.tokens.mint();
    return this.transactions.run(async () => {
      const expiresAt = await this.sessions.insert(this.tokens.hash(SESSION_PURPOSE, token), of);
      await this.auditLog.add(by, NO_APP, 'management_session.created', typeof of === 'string' ? of : actorOf(of));
      return { token, expiresAt, provedAt: typeof of === 'string' ? this.clock.now() : of.provedAt };
    });
  }

  async end(by: Requester, token: string): Promise<void> {
    await this.transactions.run(async () => {
      const actor = await this.sessions.delete(this.tokens.hash(SESSION_PURPOSE, token));
      if (actor !== null) await this.auditLog.add(by, NO_APP, 'management_session.deleted', actor);
    });
  }

  endAllOf(by: Requester, operatorName: string): Promise<number> {
    return this.transactions.run(async () => {
      const ended = await this.sessions.deleteOf(operatorName);
      if (ended > 0) await this.auditLog.add(by, NO_APP, 'management_session.deleted', actorOf({ name: operatorName }));
      return ended;
    });
  }
}
