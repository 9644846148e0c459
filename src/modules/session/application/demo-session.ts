import { Injectable, type OnModuleInit } from '@nestjs/common';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';
import { SecretTokens } from '../../../kernel/secret-tokens.js';
import { DemoData } from '../../apps/index.js';
import type { UnstampedFactor } from '../domain/factor.js';
import { SESSION_LIFETIME } from '../domain/session.js';
import { SessionRepository } from '../domain/session.repository.js';

/** The session of the demo user. Its token is public, so it exists in development only. */
@Injectable()
export class DemoSession implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly sessions: SessionRepository,
    private readonly tokens: SecretTokens,
  ) {}

  onModuleInit(): void {
    this.demoData.register({
      add: (appId) =>
        this.sessions.start(appId, {
          id: exampleId('session'),
          userId: exampleId('user'),
          tokenHash: this.tokens.hash('session_token', EXAMPLES.token),
          minutes: SESSION_LIFETIME.max,
          sessionsPerUser: 100,
          factor: PROVED_EMAIL,
          deviceFingerprint: { ip: '192.0.2.1', userAgent: 'Mozilla/5.0' },
        }),
    });
  }
}

const PROVED_EMAIL = {
  type: 'otp',
  delivery_channel: 'email',
  method: {
    method_id: exampleId('email'),
    method_type: 'email',
    email_id: exampleId('email'),
    email: EXAMPLES.email,
  },
} as unknown as UnstampedFactor;
