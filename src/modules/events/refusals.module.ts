import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Refusals } from '../../kernel/refusals.js';
import { Retention } from '../../kernel/retention.js';
import { ReportedRefusals } from './domain/reported-refusals.js';
import { PostgresReportedRefusals } from './infrastructure/postgres-reported-refusals.js';
import { ReportedRefusalSchema } from './infrastructure/reported-refusal.schema.js';
import { ReportRefusals } from './report-refusals.js';

/** Refused logins and exceeded limits as events. Global, because the edge reports them. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ReportedRefusalSchema])],
  providers: [
    { provide: ReportedRefusals, useClass: PostgresReportedRefusals },
    { provide: Refusals, useClass: ReportRefusals },
  ],
  exports: [Refusals],
})
export class RefusalsModule implements OnModuleInit {
  constructor(private readonly retention: Retention) {}

  onModuleInit(): void {
    this.retention.register({ table: 'reported_refusals', endedWhen: 'ends_at' });
  }
}
