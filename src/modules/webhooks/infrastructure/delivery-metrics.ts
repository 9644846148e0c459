import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database } from '../../../postgres/database.js';
import { HttpMetrics, tableGauge } from '../../../services/observability/metrics.js';
import type { DeliveryResult } from '../domain/delivery-queue.js';
import { DISABLED_REASONS } from '../domain/webhook-endpoint.js';

/** Deliveries of disabled endpoints wait on purpose. */
const OLDEST = `
  select coalesce(max(seconds) filter (where not is_failing), 0)::float8 as healthy,
         coalesce(max(seconds) filter (where is_failing), 0)::float8 as failing
    from (
      select h.app_id is not null as is_failing, extract(epoch from now() - (
               select due_at from webhook_queue q
                where q.app_id = e.app_id and q.endpoint_id = e.id and q.tries >= 0 and q.due_at <= now()
                order by q.due_at limit 1)) as seconds
        from webhook_endpoints e
        left join webhook_health h on h.app_id = e.app_id and h.endpoint_id = e.id
       where e.disabled_at is null) oldest`;

const DISABLED = `select disabled_reason as reason, count(*)::int as endpoints from webhook_endpoints
  where disabled_at is not null group by disabled_reason`;

const OUTCOMES = ['delivered', 'refused', 'timeout', 'unreachable', 'not_allowed', 'abandoned', 'postponed'];

@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'outcome'>;

  constructor(
    private readonly database: Database,
    metrics: HttpMetrics,
  ) {
    this.attempts = new Counter({
      name: 'webhook_attempts_total',
      help: `Attempts to deliver an event, by outcome: ${OUTCOMES.join(', ')}.`,
      labelNames: ['outcome'] as const,
      registers: [metrics.registry],
    });
    for (const outcome of OUTCOMES) this.attempts.inc({ outcome }, 0);
    tableGauge(
      metrics,
      {
        name: 'webhook_oldest_due_seconds',
        help: 'Seconds since the oldest pending delivery became due.',
        label: 'endpoints',
      },
      async () => {
        const [row] = await this.database.list<{ healthy: number; failing: number }>(OLDEST);
        return { healthy: row!.healthy, failing: row!.failing };
      },
    );
    tableGauge(
      metrics,
      {
        name: 'webhook_endpoints_disabled',
        help: 'Disabled endpoints, by reason.',
        label: 'reason',
        values: DISABLED_REASONS,
      },
      async () => {
        const rows = await this.database.list<{ reason: string; endpoints: number }>(DISABLED);
        return Object.fromEntries(rows.map(({ reason, endpoints }) => [reason, endpoints]));
      },
    );
  }

  count({ outcome, attempt }: DeliveryResult): void {
    this.attempts.inc({ outcome: outcomeOf(outcome, attempt?.error ?? null) });
  }
}

function outcomeOf(outcome: DeliveryResult['outcome'], error: string | null): string {
  if (outcome === 'retry' || outcome === 'failed') return error ?? 'refused';
  return outcome === 'postpone' ? 'postponed' : outcome;
}
