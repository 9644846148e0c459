import { Injectable } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import { Log } from '../../kernel/log.js';
import { HttpMetrics } from '../../services/observability/metrics.js';
import { scrapedGauge } from '../../services/observability/scraped-gauge.js';
import type { BrokenLink } from './domain/chain-check.js';
import { SigningAlarm } from './domain/signing-alarm.js';
import type { AuditState } from './infrastructure/postgres-audit-state.js';

export function registerAuditMetrics(registry: Registry, state: () => Promise<AuditState>): void {
  scrapedGauge(
    registry,
    { name: 'audit_entries_unchained', help: 'Audit entries that wait for their place in the chain.' },
    async () => (await state()).unchained,
  );
  scrapedGauge(
    registry,
    { name: 'audit_checkpoint_age_seconds', help: 'Seconds since the last signed head of the audit log.' },
    async () => (await state()).checkpointAgeSeconds,
  );
}

/** Counts and logs each chain, or head of the service, that the signer refuses. Every one is an alert. */
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
