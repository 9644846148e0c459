import { Injectable } from '@nestjs/common';
import { SessionRepository } from '../domain/session.repository.js';

/** Ended sessions are kept for this long, for whoever asks what happened. */
const KEPT_DAYS = 30;
const BATCH = 1_000;

/** Forgets sessions that ended long ago, in batches short enough to disturb nobody. */
@Injectable()
export class RemoveEndedSessions {
  constructor(private readonly sessions: SessionRepository) {}

  async execute(): Promise<void> {
    while ((await this.sessions.removeEnded(KEPT_DAYS, BATCH)) > 0);
  }
}
