import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import type { AppId, KeyId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKey, type KeyKind, keyText, PURPOSES, ApiKeyRepository } from '../domain/api-key.js';
import { type App, AppRepository } from '../domain/app.js';
import { KeyCreated, KeyRevoked } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { KeyNotFound } from '../domain/apps.errors.js';

export interface KeyOptions {
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/** A key with its text, which is shown only once. */
export interface IssuedKey {
  readonly key: ApiKey;
  readonly text: string;
}

/** The keys of apps. */
@Injectable()
export class ManageApiKeys {
  constructor(
    private readonly apps: AppRepository,
    private readonly keys: ApiKeyRepository,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Gives an app one more key. */
  issue(by: Requester, appId: AppId, options: KeyOptions): Promise<IssuedKey> {
    return this.transactions.run(async () => {
      const issued = this.prepare(await this.apps.hold(appId), options);
      await this.keys.insert(issued.key);
      await this.auditLog.add(by, appId, 'key.created', issued.key.id);
      await this.events.publish(new KeyCreated(appId, { key_id: issued.key.id, kind: options.kind }));
      return issued;
    });
  }

  /** The key, not stored yet. */
  prepare({ id, mode }: App, options: KeyOptions): IssuedKey {
    const text = keyText(options.kind, mode, this.tokens.mint());
    const hash = this.tokens.hash(PURPOSES[options.kind], text);
    return { key: ApiKey.create({ appId: id, ...options }, hash, this.clock.now()), text };
  }

  /** Ends a key on every replica within a second. */
  revoke(by: Requester, appId: AppId, id: KeyId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.keys.revoke(appId, id))) throw new KeyNotFound();
      await this.auditLog.add(by, appId, 'key.revoked', id);
      await this.events.publish(new KeyRevoked(appId, { key_id: id }));
    });
  }
}
