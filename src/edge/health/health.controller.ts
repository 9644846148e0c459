import { Controller, Get, Header, Injectable } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags, ApiSchema } from '@nestjs/swagger';
import { Gauge } from 'prom-client';
import { DatabaseUnavailable } from '../../kernel/errors.js';
import { Refuses } from '../errors/error-catalogue.js';
import { NoCredential } from '../auth/credentials.js';
import { DatabaseProbe } from '../../postgres/database-probe.js';
import { HttpMetrics, scrapedGauge } from '../../services/observability/metrics.js';
import { KeyProviders } from '../../services/crypto/providers/key-providers.js';
import { BUILD, VERSION } from '../../services/version.js';
import { VersionResponse } from './version.dto.js';

/** Whether this replica should get traffic: from the end of its start until a stop is requested. */
@Injectable()
export class Readiness {
  private started = false;
  private draining = false;

  /** To be called when the start is over. Until then a signal to stop ends the process without draining. */
  begin(): void {
    this.started = true;
  }

  drain(): void {
    this.draining = true;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  get isReady(): boolean {
    return this.started && !this.draining;
  }
}

@ApiSchema({ description: 'The replica is healthy.' })
export class HealthResponse {
  @ApiProperty({ enum: ['ok'], description: 'The status, always `ok`: every other state is an error response.' })
  readonly status: 'ok' = 'ok';
}

@ApiSchema({ description: 'The replica wants traffic.' })
export class ReadyResponse extends HealthResponse {
  @ApiProperty({
    enum: ['ok', 'unavailable'],
    example: 'ok',
    required: false,
    description:
      'Whether the key provider works, as far as this replica knows; absent without one. While it does not, calls that need no key and calls for apps whose keys are in memory go on.',
  })
  readonly key_provider?: 'ok' | 'unavailable';
}

@ApiTags('operations')
@Controller()
export class HealthController {
  constructor(
    private readonly database: DatabaseProbe,
    private readonly readiness: Readiness,
    private readonly metrics: HttpMetrics,
    private readonly providers: KeyProviders,
  ) {
    new Gauge({
      name: 'build_info',
      help: 'Always 1. The labels are the release and the revision.',
      labelNames: ['version', 'revision'],
      registers: [metrics.registry],
    }).set({ version: VERSION, revision: BUILD.revision }, 1);
    scrapedGauge(
      metrics.registry,
      { name: 'service_ready', help: 'The last answer of the readiness probe: 1 if this replica wants traffic.' },
      () => Number(readiness.isReady && database.isUp),
    );
    scrapedGauge(
      metrics.registry,
      { name: 'database_up', help: 'Whether the database answered this replica and accepts writes, at most 10 s ago.' },
      () => Number(database.isUp),
    );
  }

  /**
   * Check liveness
   *
   * @remarks The process runs and its event loop responds. The database is not checked: a restart would not
   * repair it.
   */
  @Get('livez')
  @NoCredential('unlimited')
  live(): HealthResponse {
    return new HealthResponse();
  }

  /**
   * Check readiness
   *
   * @remarks The database is reachable and accepts writes, and the service is not shutting down.
   */
  @Get('readyz')
  @NoCredential('unlimited')
  @Refuses(DatabaseUnavailable)
  async ready(): Promise<ReadyResponse> {
    if (!this.readiness.isReady) throw new DatabaseUnavailable('This replica is starting or shutting down.');
    if (!(await this.database.isAvailable())) throw new DatabaseUnavailable();
    const { current } = this.providers;
    // Not a reason to take the replica out: every other one has the same provider.
    const key_provider = current && (current.state.fault ? 'unavailable' : 'ok');
    return { ...new HealthResponse(), ...(key_provider && { key_provider }) };
  }

  /**
   * Get the version
   *
   * @remarks Returns the version of the running service.
   */
  @Get('version')
  @NoCredential('unlimited')
  version(): VersionResponse {
    return { version: VERSION, node: process.version, ...BUILD };
  }

  /**
   * Get the metrics
   *
   * @remarks Returns the metrics of this replica in the Prometheus text format.
   */
  @Get('metrics')
  @ApiOkResponse({
    description: 'The metrics of this replica, in the Prometheus text format.',
    content: { 'text/plain': { schema: { type: 'string' }, example: 'process_cpu_seconds_total 12.5' } },
  })
  @NoCredential('unlimited')
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  scrape(): Promise<string> {
    return this.metrics.text();
  }
}
