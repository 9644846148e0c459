import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { DomainEvents } from '../../../kernel/outbox.js';
import { SessionRevoked } from '../domain/session.events.js';
import { SessionRepository } from '../domain/session.repository.js';

/** Ends all sessions of a user who may not hold them any more, in the transaction that decided so. */
@Injectable()
export class RevokeSessionsOfUser {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly events: DomainEvents,
  ) {}

  async execute(appId: AppId, userId: UserId): Promise<void> {
    for (const id of await this.sessions.revokeAllOf(appId, userId)) {
      await this.events.publish(new SessionRevoked(appId, id, userId));
    }
  }
}
