import type { AppId } from '../../../kernel/ids.js';
import { InvalidSession, SessionMismatch } from '../domain/session.errors.js';
import type { SessionReference, SessionRepository } from '../domain/session.repository.js';

/** Throws `InvalidSession` for a token or JWT of no live session, `SessionMismatch` if they name several sessions. */
export async function assertOneSession(
  sessions: SessionRepository,
  appId: AppId,
  references: readonly SessionReference[],
): Promise<void> {
  const ids = await Promise.all(
    references.map(async (reference) => {
      if (reference.by === 'id') return reference.sessionId;
      const session = await sessions.find(appId, reference);
      if (!session) throw new InvalidSession();
      return session.id;
    }),
  );
  if (new Set(ids).size > 1) throw new SessionMismatch();
}
