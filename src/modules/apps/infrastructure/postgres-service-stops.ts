import { Injectable } from '@nestjs/common';
import { Database } from '../../../postgres/database.js';
import { HttpMetrics, tableGauge } from '../../../services/observability/metrics.js';
import { ServiceStops } from '../domain/service-stops.js';

@Injectable()
export class PostgresServiceStops extends ServiceStops {
  constructor(
    private readonly database: Database,
    metrics: HttpMetrics,
  ) {
    super();
    tableGauge(
      metrics,
      { name: 'signing_stopped', help: 'Whether the operator has stopped the keys of all apps (freeze --all).' },
      async () => (await database.list('select from service_stops')).length,
    );
  }

  async record(): Promise<boolean> {
    const sql = 'update service_stops set recorded_at = now() where recorded_at is null returning id';
    return (await this.database.write(sql, [])).length > 0;
  }
}
