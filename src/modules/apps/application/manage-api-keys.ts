import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { InvalidRequest } from '../../../kernel/errors.js';
import type { AppId, KeyId } from '../../../kernel/ids.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';
import { ObjectOwners } from '../../../kernel/object-owners.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { Transactions } from '../../../kernel/transactions.js';
import { ApiKey, type KeyKind, type KeyOptions, keyText, PURPOSES, ApiKeyRepository } from '../domain/api-key.js';
import { type App, AppRepository } from '../domain/app.js';
import { KeyCreated, KeyRevoked } from '../domain/apps.events.js';
import { AuditLog } from '../domain/audit-log.js';
import { KeyNotFound } from '../domain/apps.errors.js';

export interface IssuedKey {
  readonly key: ApiKey;
  readonly text: string;
}

export interface ReplacedKey {
  readonly id: KeyId;
  readonly overlapMinutes: number;
}

@Injectable()
export class ManageApiKeys {
  constructor(
    private readonly apps: AppRepository,
    private readonly keys: ApiKeyRepository,
    private readonly owners: ObjectOwners,
    private readonly auditLog: AuditLog,
    private readonly events: DomainEvents,
    private readonly tokens: SecretTokens,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** The replaced key ends in the same transaction, or after the overlap. */
  issue(by: Requester, appId: AppId, options: KeyOptions, replaced?: ReplacedKey): Promise<IssuedKey> {
    return this.transactions.run(async () => {
      const issued = this.prepare(await this.apps.lock(appId), options);
      if (options.restriction?.binding) await this.requireObjectsOf(appId, options.restriction.binding);
      if (replaced) await this.end(by, appId, replaced, options.kind);
      await this.keys.insert(issued.key);
      await this.auditLog.add(by, appId, 'key.created', issued.key.id);
      await this.events.publish(new KeyCreated(appId, { key_id: issued.key.id, kind: options.kind }));
      return issued;
    });
  }

  private async end(by: Requester, appId: AppId, { id, overlapMinutes }: ReplacedKey, kind: KeyKind): Promise<void> {
    const endsAt = new Date(this.clock.now().getTime() + overlapMinutes * 60_000);
    if (!(await this.keys.endAt(appId, id, kind, endsAt)))
      throw unusable('replaces', 'exists', 'must be a key of this kind that is not revoked');
    await this.auditLog.add(by, appId, 'key.replaced', id);
    // A revocation also refuses the calls that are under way.
    if (overlapMinutes === 0 && (await this.keys.revoke(appId, id)))
      await this.events.publish(new KeyRevoked(appId, { key_id: id }));
  }

  prepare({ id, mode }: App, options: KeyOptions): IssuedKey {
    const text = keyText(options.kind, mode, this.tokens.mint());
    const hash = this.tokens.hash(PURPOSES[options.kind], text);
    return { key: ApiKey.create({ appId: id, ...options }, hash, this.clock.now()), text };
  }

  /** A mistyped id must not go unnoticed. Users are held: a person who gets such an account by a proof waits for this key and ends it. */
  private async requireObjectsOf(appId: AppId, { userId, walletIds }: KeyBinding): Promise<void> {
    if (userId !== null && !(await this.owners.hold(appId, userId)))
      throw unusable('user_id', 'exists', 'does not exist');
    for (const [index, id] of (walletIds ?? []).entries()) {
      const owner = await this.owners.find(appId, id);
      if (!owner) throw unusable(`wallet_ids[${index}]`, 'exists', 'does not exist');
      if (userId !== null && owner.userId !== userId)
        throw unusable(`wallet_ids[${index}]`, 'owner', 'must belong to the user in user_id');
      await this.owners.hold(appId, owner.userId);
    }
  }

  revoke(by: Requester, appId: AppId, id: KeyId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      if (!(await this.keys.revoke(appId, id))) throw new KeyNotFound();
      await this.auditLog.add(by, appId, 'key.revoked', id);
      await this.events.publish(new KeyRevoked(appId, { key_id: id }));
    });
  }
}

function unusable(field: string, rule: string, message: string): InvalidRequest {
  return new InvalidRequest([{ field, rule, message }]);
}
