import { Injectable } from '@nestjs/common';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { KeyBinding } from '../../../kernel/key-restriction.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade, UserNotFound } from '../../identity/index.js';
import { InvalidSession } from '../../../kernel/errors.js';
import { SessionNotFound } from '../domain/session.errors.js';
import { AllSessionsEnded, SessionRevoked } from '../domain/session.events.js';
import {
  type KeptSession,
  type LiveSession,
  type SessionDocument,
  sessionDocument,
  type SessionReference,
  SessionRepository,
} from '../domain/session.js';
import { type SessionSecret, SessionSecrets } from './session-secrets.js';
import { assertOneSession, assertWithin } from './verify-session.js';

@Injectable()
export class ManageSessions {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async list(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<SessionDocument>> {
    const { items, hasMore } = await this.ofUser(appId, userId, page);
    return { items: items.map(sessionDocument), hasMore };
  }

  async listForOperators(appId: AppId, page: PageRequest<SessionId>, userId?: UserId): Promise<Page<KeptSession>> {
    await this.apps.requireLive(appId);
    if (userId === undefined) return this.sessions.list(appId, page);
    const { items, hasMore } = await this.ofUser(appId, userId, page);
    return { items: items.map((session) => ({ ...session, revokedAt: null })), hasMore };
  }

  /** The identifiers must all name one session. */
  async delete(
    appId: AppId,
    ids: readonly SessionId[],
    secrets: readonly SessionSecret[],
    binding: KeyBinding | null,
  ): Promise<void> {
    const proofs = await Promise.all(secrets.map((secret) => this.secrets.read(appId, secret)));
    await assertWithin(this.sessions, appId, proofs, binding);
    const references: SessionReference[] = [...proofs, ...ids.map((sessionId) => ({ by: 'id', sessionId }) as const)];
    if (references.length > 1) await assertOneSession(this.sessions, appId, references);
    await this.transactions.run(() => this.revoke(appId, references[0]!));
  }

  end(by: Requester, appId: AppId, sessionId: SessionId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      await this.revoke(appId, { by: 'id', sessionId });
      await this.apps.audit(by, appId, 'session.revoked', sessionId);
    });
  }

  /** The user is locked, so that no session begins meanwhile. */
  endAllOf(by: Requester, appId: AppId, userId: UserId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      await this.identity.lock(appId, userId);
      await this.sessions.revokeAllOf(appId, userId);
      await this.events.signal(new AllSessionsEnded(appId, userId));
      await this.apps.audit(by, appId, 'user.sessions_revoked', userId);
    });
  }

  private async revoke(appId: AppId, reference: SessionReference): Promise<void> {
    const ended = await this.sessions.revoke(appId, reference);
    if (!ended) throw reference.by === 'id' ? new SessionNotFound() : new InvalidSession();
    await this.events.publish(new SessionRevoked(appId, ended.id, ended.userId));
  }

  private async ofUser(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<LiveSession>> {
    const found = await this.sessions.listOf(appId, userId, page);
    if (!found) throw new UserNotFound();
    return found;
  }
}
