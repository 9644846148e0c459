import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId, UserId } from '../../kernel/ids.js';
import { RepeatedSessions } from '../../edge/idempotency/repeated-logins.js';
import { Jobs } from '../../kernel/jobs.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { Retention } from '../../kernel/retention.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Config } from '../../services/config/config.js';
import { AppsModule, ModuleSettings } from '../apps/index.js';
import {
  AccountPassed,
  AccountUses,
  CallerSessions,
  epochSecondsOf,
  IdentityModule,
  UserDeactivated,
  UserDeleted,
  UserProfileParts,
} from '../identity/index.js';
import { ManageSessions } from './application/manage-sessions.js';
import { SigningKeys } from './application/signing-keys.js';
import { JwtSettings, SessionSecrets } from './application/session-secrets.js';
import { SessionFacade } from './application/session.facade.js';
import { SESSION_CLAIMS, UserClaims } from './application/user-claims.js';
import { VerifySession } from './application/verify-session.js';
import { FactorTypes } from './domain/factor.js';
import { SESSION_IDLE_MINUTES, SESSION_MAX_MINUTES, type SessionBound, SessionRepository } from './domain/session.js';
import { SigningKeyRepository } from './domain/signing-key.js';
import { JwksController } from './http/jwks.controller.js';
import './http/session-bounds.dto.js';
import './http/session-claims.dto.js';
import { SessionOfManagedUser } from './http/session.dto.js';
import { ManagedSessionsController, SessionController } from './http/session.controller.js';
import { SessionsOfRepeatedLogins } from './http/sessions-of-repeated-logins.js';
import './infrastructure/personal-data.js';
import { LIVE_OF_USER, PostgresSessionRepository } from './infrastructure/postgres-session.repository.js';
import { PostgresSigningKeyRepository } from './infrastructure/postgres-signing-key.repository.js';

const HOUR = 3_600;
const KEPT_DAYS = 30;

@Module({
  imports: [AppsModule, IdentityModule],
  controllers: [SessionController, ManagedSessionsController, JwksController],
  providers: [
    { provide: SessionRepository, useClass: PostgresSessionRepository },
    { provide: SigningKeyRepository, useClass: PostgresSigningKeyRepository },
    { provide: JwtSettings, useExisting: Config },
    SessionSecrets,
    FactorTypes,
    SigningKeys,
    SessionFacade,
    VerifySession,
    ManageSessions,
    UserClaims,
    { provide: RepeatedSessions, useClass: SessionsOfRepeatedLogins },
  ],
  exports: [SessionFacade, FactorTypes],
})
export class SessionModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly jobs: Jobs,
    private readonly owners: ObjectOwners,
    private readonly retention: Retention,
    private readonly uses: AccountUses,
    private readonly sealedColumns: SealedColumns,
    private readonly sessions: SessionRepository,
    private readonly profileParts: UserProfileParts,
    private readonly signingKeys: SigningKeys,
    private readonly callerSessions: CallerSessions,
    private readonly facade: SessionFacade,
    private readonly moduleSettings: ModuleSettings,
  ) {}

  onModuleInit(): void {
    this.owners.register({ kind: 'session', table: 'sessions' });
    this.moduleSettings.register<string[], string[]>({
      field: SESSION_CLAIMS,
      change: (_, names) => [...new Set(names)],
      show: (names) => names ?? [],
    });
    for (const field of [SESSION_IDLE_MINUTES, SESSION_MAX_MINUTES])
      this.moduleSettings.register<SessionBound, number & object>({
        field,
        change: (_, minutes) => ({ minutes }),
        show: (bound) => bound?.minutes ?? null,
      });
    this.callerSessions.register(async (appId, named) =>
      this.facade.carriedBy(appId, await this.facade.resolve(appId, named)),
    );
    this.sealedColumns.register({
      table: 'signing_keys',
      column: 'sealed_private_key',
      key: ['app_id', 'id'],
      context: (row) => ['signing-key', String(row['app_id']), String(row['id'])],
    });
    const revoke = async ({ appId, userId }: { appId: AppId; userId: UserId }) =>
      void (await this.sessions.revokeAllOf(appId, userId));
    this.events.subscribe(UserDeleted, revoke);
    this.events.subscribe(UserDeactivated, revoke);
    this.events.subscribe(AccountPassed, async (passed) => {
      passed.addEnded(await this.sessions.revokeAllOf(passed.appId, passed.userId));
    });
    this.profileParts.register({
      field: 'sessions',
      isForOperators: true,
      shownAs: SessionOfManagedUser,
      table: 'sessions',
      where: LIVE_OF_USER.where,
      fields: {
        id: 't.id',
        user_id: 't.user_id',
        started_at: epochSecondsOf('t.started_at'),
        expires_at: epochSecondsOf(LIVE_OF_USER.expiresAt),
        last_active_at: epochSecondsOf('t.last_active_at'),
        factors: `(select coalesce(jsonb_agg(f.value order by (f.value->'method'->>'last_verified_at')::bigint), '[]')
                     from jsonb_each(t.factors) f)`,
        device_fingerprint: `json_build_object('user_agent', t.user_agent, 'ip', t.ip)`,
        updated_at: epochSecondsOf('t.updated_at'),
        created_at: epochSecondsOf('t.created_at'),
      },
    });
    this.jobs.schedule('session.rotate-signing-keys', HOUR, () => this.signingKeys.rotateExpiring());
    // Sessions are kept for a month so that the support of the app can look into complaints.
    this.retention.register({ table: 'sessions', endedWhen: 'expires_at', after: `${KEPT_DAYS} days` });
    const records = 'select 1 from sessions where app_id = $1 and user_id = $2';
    this.uses.register({ name: 'session', records, keptDays: KEPT_DAYS });
  }
}
