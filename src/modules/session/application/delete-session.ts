import { Injectable } from '@nestjs/common';
import type { AppId, SessionId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { Transactions } from '../../../kernel/transactions.js';
import { InvalidSession, SessionNotFound } from '../domain/session.errors.js';
import { SessionRevoked } from '../domain/session.events.js';
import { SessionRepository } from '../domain/session.repository.js';
import { type SessionSecret, SessionSecrets } from './session-secrets.js';

/** Ends a live session at once, everywhere. What is not live is refused as it would be by verify. */
@Injectable()
export class DeleteSession {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly secrets: SessionSecrets,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async execute(appId: AppId, target: { readonly id: SessionId } | SessionSecret): Promise<void> {
    const byId = 'id' in target;
    const reference = byId ? ({ by: 'id', sessionId: target.id } as const) : await this.secrets.read(appId, target);
    await this.transactions.run(async () => {
      const ended = await this.sessions.revoke(appId, reference);
      if (!ended) throw byId ? new SessionNotFound() : new InvalidSession();
      await this.events.publish(new SessionRevoked(appId, ended.id, ended.userId));
    });
  }
}
