import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Log } from '../../kernel/log.js';
import type { Database } from '../../postgres/database.js';
import { HttpMetrics, tableGauge } from '../../services/observability/metrics.js';
import type { BrokenLink } from './domain/chain-check.js';
import { SigningAlarm } from './domain/audit-heads.js';

export function registerAuditMetrics(metrics: HttpMetrics, database: Database): void {
  const numberOf = (sql: string) => async () => (await database.list<{ value: number | null }>(sql))[0]!.value;
  tableGauge(
    metrics,
    { name: 'audit_entries_unchained', help: 'Audit entries that wait for their place in the chain.' },
    numberOf('select count(*)::int as value from audit_log where number is null'),
  );
  // A head is signed at least once an hour. The gauge is null before the first one.
  tableGauge(
    metrics,
    { name: 'audit_checkpoint_age_seconds', help: 'Seconds since the last signed head of the audit log.' },
    numberOf('select extract(epoch from now() - max(at))::float8 as value from audit_heads'),
  );
}

@Injectable()
export class MeteredSigningAlarm extends SigningAlarm {
  private readonly refused: Counter;

  constructor(
    { registry }: HttpMetrics,
    private readonly log: Log,
  ) {
    super();
    this.refused = new Counter({
      name: 'audit_refused_signatures_total',
      help: 'Chains and heads of the audit log that are other than what was signed, at each run of the signer. Every one is an alert.',
      registers: [registry],
    });
  }

  raise(appId: string, { number, difference }: BrokenLink): void {
    this.refused.inc();
    this.log.error(
      { alert: 'audit_chain', chain: appId || 'no app', number, difference },
      'An audit chain is not signed.',
    );
  }
}
