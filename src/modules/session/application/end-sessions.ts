import { Injectable } from '@nestjs/common';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { IdentityFacade } from '../../identity/index.js';
import { SessionNotFound, InvalidSession } from '../domain/session.errors.js';
import { SessionRevoked } from '../domain/session.events.js';
import { SessionRepository, type SessionReference } from '../domain/session.repository.js';
import { type SessionSecret, SessionSecrets } from './session-secrets.js';
import { assertOneSession } from './verify-session.js';

/** Ends sessions on the word of an operator, at once on every replica. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly apps: AppsFacade,
    private readonly identity: IdentityFacade,
    private readonly sessions: SessionRepository,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /** Throws `AppNotFound`, `SessionNotFound` also for a session that has ended. */
  one(by: Requester, appId: AppId, sessionId: SessionId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      const ended = await this.sessions.revoke(appId, { by: 'id', sessionId });
      if (!ended) throw new SessionNotFound();
      await this.events.publish(new SessionRevoked(appId, ended.id, ended.userId));
      await this.apps.audit(by, appId, 'session.revoked', sessionId);
    });
  }

  /** With the user locked, so that no session begins meanwhile. Throws `AppNotFound`, `UserNotFound`. */
  allOf(by: Requester, appId: AppId, userId: UserId): Promise<void> {
    return this.transactions.run(async () => {
      await this.apps.hold(appId);
      await this.identity.lock(appId, userId);
      await this.sessions.revokeAllOf(appId, userId);
      await this.apps.audit(by, appId, 'user.sessions_revoked', userId);
    });
  }
}

/** Ends a live session at once on every replica. Refuses a session that is not live with the errors of verify. */
@Injectable()
export class DeleteSession {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Needs at least one identifier. Throws `SessionNotFound`, `InvalidSession`, or `SessionMismatch` when the identifiers
   * name different sessions.
   */
  async execute(appId: AppId, ids: readonly SessionId[], secrets: readonly SessionSecret[]): Promise<void> {
    const proofs = await Promise.all(secrets.map((secret) => this.secrets.read(appId, secret)));
    const references: SessionReference[] = [...proofs, ...ids.map((sessionId) => ({ by: 'id', sessionId }) as const)];
    if (references.length > 1) await assertOneSession(this.sessions, appId, references);
    const [reference] = references;
    await this.transactions.run(async () => {
      const ended = await this.sessions.revoke(appId, reference!);
      if (!ended) throw reference!.by === 'id' ? new SessionNotFound() : new InvalidSession();
      await this.events.publish(new SessionRevoked(appId, ended.id, ended.userId));
    });
  }
}
