import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { AppId, GrantId, UserId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Requester } from '../../../kernel/requester.js';
import { AppsFacade } from '../../apps/index.js';
import { UserProfiles } from '../../identity/index.js';
import { GrantRevoked } from '../domain/authorization.events.js';
import { GrantNotFound, GrantRepository, type ShownGrant } from '../domain/grant.js';

@Injectable()
export class ManageGrants {
  constructor(
    private readonly apps: AppsFacade,
    private readonly grants: GrantRepository,
    private readonly users: UserProfiles,
    private readonly events: DomainEvents,
  ) {}

  async listOf(appId: AppId, userId: UserId, page: PageRequest): Promise<Page<ShownGrant>> {
    await this.users.get(appId, userId);
    return this.grants.list(appId, page, userId);
  }

  revoke(by: Requester, appId: AppId, id: GrantId): Promise<void> {
    return this.apps.audited({ by, appId, action: 'grant.revoked', target: id }, async () => {
      const grant = await this.grants.end(appId, id);
      if (!grant) throw new GrantNotFound();
      await this.events.publish(GrantRevoked.of(appId, grant));
    });
  }

  /** Runs in the current transaction. */
  async endAllOf(appId: AppId, userId: UserId): Promise<number> {
    const ended = await this.grants.endAll(appId, { userId });
    for (const grant of ended) await this.events.publish(GrantRevoked.of(appId, grant));
    return ended.length;
  }
}
