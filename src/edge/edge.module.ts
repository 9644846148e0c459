import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Retention } from '../kernel/retention.js';
import { SealedColumns } from '../kernel/vault.js';
import { CallTokens } from './auth/call-tokens.js';
import { CredentialGuard } from './auth/credential.guard.js';
import { ManagementCookie } from './auth/management-cookie.js';
import { ManagementKeyStrategy, PublicTokenStrategy } from './auth/passport-key.strategy.js';
import { HealthController, Readiness } from './health/health.controller.js';
import { ErrorPagesController, StartPageController } from './pages/pages.controller.js';
import { Idempotency, sealContext } from './idempotency/idempotency.js';
import { StoredBytes } from './idempotency/stored-bytes.js';
import { CallRates } from './limits/call-rates.js';

@Global()
@Module({
  controllers: [HealthController, StartPageController, ErrorPagesController],
  providers: [
    { provide: APP_GUARD, useClass: CredentialGuard },
    PublicTokenStrategy,
    ManagementKeyStrategy,
    ManagementCookie,
    Idempotency,
    StoredBytes,
    Readiness,
    CallRates,
    CallTokens,
  ],
  exports: [Readiness, CallRates, CallTokens, ManagementCookie],
})
export class EdgeModule implements OnModuleInit {
  constructor(
    private readonly sealedColumns: SealedColumns,
    private readonly retention: Retention,
  ) {}

  onModuleInit(): void {
    this.retention.register({ table: 'idempotency_keys', endedWhen: 'created_at', after: '24 hours' });
    this.retention.register({ table: 'idempotency_usage', endedWhen: 'hour', after: '25 hours' });
    this.sealedColumns.register({
      table: 'idempotency_keys',
      column: 'answer',
      key: ['app_id', 'path', 'key_hash'],
      context: (row) =>
        sealContext({
          appId: String(row['app_id']),
          path: String(row['path']),
          keyHash: row['key_hash'] as Buffer,
        }),
    });
  }
}
