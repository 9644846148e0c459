import {
  type BeforeApplicationShutdown,
  Global,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RefusedRequests } from '../../edge/auth/refused-requests.js';
import { Jobs } from '../../kernel/jobs.js';
import { Log } from '../../kernel/log.js';
import { Retention } from '../../kernel/retention.js';
import { ServiceKeys } from '../../kernel/service-keys.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Database } from '../../postgres/database.js';
import { Config } from '../../services/config/config.js';
import { HttpMetrics } from '../../services/observability/metrics.js';
import { AuditLog } from '../apps/index.js';
import { AuditKeys, contextOf } from './application/audit-keys.js';
import { ExportChains } from './application/export-chains.js';
import { CheckChain } from './application/check-chain.js';
import { ServiceHeads } from './application/service-heads.js';
import { SignHeads } from './application/sign-heads.js';
import { VerifyChains } from './application/verify-chains.js';
import { MeteredSigningAlarm, registerAuditMetrics } from './audit-metrics.js';
import { ChainWriter } from './chain-writer.js';
import { AuditChain, AuditHeads, SigningAlarm } from './domain/audit-heads.js';
import { AuditKeyRepository } from './domain/audit-key.repository.js';
import { ChainReader } from './domain/chain-reader.js';
import { RefusedCalls } from './domain/refused-calls.js';
import { AuditLogController } from './http/audit-log.controller.js';
import { RefusedCallsController } from './http/refused-calls.controller.js';
import './infrastructure/personal-data.js';
import { AuditSigningKeySchema, TypeormAuditKeyRepository } from './infrastructure/typeorm-audit-key.repository.js';
import { PostgresAuditEntries } from './infrastructure/postgres-audit-entries.js';
import { PostgresAuditChain } from './infrastructure/postgres-audit-chain.js';
import { PostgresAuditHeads } from './infrastructure/postgres-audit-heads.js';
import { PostgresAuditLog, SIGN_HEAD } from './infrastructure/postgres-audit-log.js';
import { PostgresChainReader } from './infrastructure/postgres-chain-reader.js';
import { PostgresRefusedCalls } from './infrastructure/postgres-refused-calls.js';
import { RecordRefusedCalls } from './record-refused-calls.js';

const FIVE_MINUTES = 300;
const HALF_A_MINUTE = 30;

/** The log of operators' changes and refused calls, in hash chains. It is global, because apps writes to it and the edge reports to it. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditSigningKeySchema])],
  controllers: [AuditLogController, RefusedCallsController],
  providers: [
    { provide: AuditLog, useClass: PostgresAuditLog },
    { provide: RefusedRequests, useExisting: RecordRefusedCalls },
    { provide: AuditChain, useClass: PostgresAuditChain },
    { provide: AuditHeads, useClass: PostgresAuditHeads },
    { provide: SigningAlarm, useClass: MeteredSigningAlarm },
    { provide: AuditKeyRepository, useClass: TypeormAuditKeyRepository },
    { provide: ChainReader, useClass: PostgresChainReader },
    { provide: RefusedCalls, useClass: PostgresRefusedCalls },
    {
      provide: ChainWriter,
      inject: [AuditChain, Log],
      useFactory: (chain: AuditChain, log: Log) => new ChainWriter(chain, log),
    },
    PostgresAuditEntries,
    RecordRefusedCalls,
    AuditKeys,
    ExportChains,
    CheckChain,
    ServiceHeads,
    SignHeads,
    VerifyChains,
  ],
  exports: [AuditLog, RefusedRequests],
})
export class AuditModule implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly config: Config,
    private readonly jobs: Jobs,
    private readonly retention: Retention,
    private readonly sealedColumns: SealedColumns,
    private readonly metrics: HttpMetrics,
    private readonly database: Database,
    private readonly refusals: RecordRefusedCalls,
    private readonly signHeads: SignHeads,
    private readonly chainWriter: ChainWriter,
    private readonly keys: ServiceKeys,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const begun = this.keys.whenOpen().then(() => this.signHeads.begin());
    // While the key provider does not respond, no call can make an app.
    if (this.keys.isOpen) await begun;
    else begun.catch((error: unknown) => this.log.error({ err: error }, 'the first audit head was not signed'));
    this.sealedColumns.register({
      table: 'audit_signing_keys',
      column: 'sealed_private_key',
      key: ['id'],
      context: (row) => contextOf(String(row['id'])),
    });
    this.jobs.handle(SIGN_HEAD, () => this.signHeads.signNow());
    this.jobs.schedule('audit.checkpoints', FIVE_MINUTES, () => this.signHeads.execute());
    this.jobs.schedule('audit.refusals', HALF_A_MINUTE, () => this.refusals.end());
    this.retention.register({ table: 'refused_calls', endedWhen: 'hour', after: '7 days' });
    registerAuditMetrics(this.metrics, this.database);
  }

  onApplicationBootstrap(): void {
    if (this.config.hasWorkers) this.chainWriter.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.chainWriter.stop();
  }
}
