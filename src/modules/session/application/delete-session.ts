import { Injectable } from '@nestjs/common';
import type { AppId, SessionId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { InvalidSession, SessionNotFound } from '../domain/session.errors.js';
import { SessionRevoked } from '../domain/session.events.js';
import { type SessionReference, SessionRepository } from '../domain/session.repository.js';
import { type SessionSecret, SessionSecrets } from './session-secrets.js';
import { assertOneSession } from './verify-session.js';

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
