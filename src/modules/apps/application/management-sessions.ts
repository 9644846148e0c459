import { Injectable } from '@nestjs/common';
import type { KeyId } from '../../../kernel/ids.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { ManagementSessionRepository, SESSION_PURPOSE } from '../domain/management-session.repository.js';

/** Begins and ends the sessions of browsers. Only the hash of a token is stored. */
@Injectable()
export class ManagementSessions {
  constructor(
    private readonly sessions: ManagementSessionRepository,
    private readonly tokens: SecretTokens,
  ) {}

  /** Begins a session of the key, and returns its token and when it ends: never after the key. */
  async begin(keyId: KeyId): Promise<{ token: string; expiresAt: Date }> {
    const token = this.tokens.mint();
    return { token, expiresAt: await this.sessions.insert(keyId, this.tokens.hash(SESSION_PURPOSE, token)) };
  }

  async end(token: string): Promise<void> {
    await this.sessions.delete(this.tokens.hash(SESSION_PURPOSE, token));
  }
}
