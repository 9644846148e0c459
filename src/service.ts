import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { AppModule } from './app.module.js';
import type { OpenDatabase } from './open-database.js';
import { FirstStart } from './modules/apps/index.js';
import { EndpointChecks } from './modules/chain/index.js';
import { ServiceKeys } from './kernel/service-keys.js';
import type { Config } from './services/config/config.js';
import { configuredNetworks, nameWarnings } from './services/config/networks.js';
import { dataSourceOptions } from './postgres/data-source.js';
import { DatabaseProbe } from './postgres/database-probe.js';
import { Database } from './postgres/database.js';
import { databaseFaults, isDatabaseUnavailable, isLoginRefused } from './postgres/database-unavailable.js';
import { durabilityFaults } from './postgres/durability.js';
import { runMigrations } from './postgres/migrate.js';
import { heartbeatOf } from './postgres/replicas.js';
import { sqlObjects } from './postgres/sql-objects.js';
import { healthServer } from './edge/health/health-listener.js';
import { Readiness } from './edge/health/health.controller.js';
import { configureEdge } from './edge/edge.js';
import { findRoutesByBeginning } from './edge/http/express-internals.js';
import { JsonExpressAdapter } from './edge/http/http-server.js';
import { HttpMetrics } from './services/observability/metrics.js';
import { openFilesFault } from './services/open-files.js';
import { BUILD, VERSION } from './services/version.js';
import { traceUseCases } from './services/observability/use-case-spans.js';
import { NestLogger } from './services/observability/logger.js';

export interface Service {
  readonly url: string;
  /** For health and metrics alone; absent without a port for them. */
  readonly healthUrl: string | undefined;
  readonly nest: NestExpressApplication;
  /** Takes requests for `drainSeconds` while it is not ready. Then it finishes running requests and closes the database connections. */
  stop(drainSeconds?: number): Promise<void>;
}

/** Also closes the database when the service cannot start. */
export async function startService(config: Config, database: OpenDatabase, logger: Logger): Promise<Service> {
  let nest: NestExpressApplication | undefined;
  let health: Server | undefined;
  let endTracing: (() => Promise<void>) | undefined;
  try {
    const databaseUrl = database.url;
    await migrate(config, databaseUrl, (line) => logger.info(line));
    const adapter = new JsonExpressAdapter({ baseUrl: config.baseUrl, trustsProxy: config.trustProxy !== false });
    const { openTelemetry } = config;
    if (openTelemetry) {
      const { startTracing } = await import('./services/observability/open-telemetry.js');
      endTracing = startTracing(openTelemetry, VERSION, logger);
    }
    nest = await NestFactory.create<NestExpressApplication>(AppModule.with({ config, databaseUrl, logger }), adapter, {
      logger: new NestLogger(logger),
      bodyParser: false,
      abortOnError: false,
    });
    if (openTelemetry) traceUseCases(nest);
    configureEdge(nest, config, logger);
    // A production service never loads src/dev.
    if (config.nodeEnv === 'development') {
      (await import('./dev/demo-page.js')).serveDemoPage(nest);
      (await import('./dev/demo-app.js')).serveDemoApp(nest);
    }
    await nest.init();
    findRoutesByBeginning(nest);
    const firstStart = nest.get(FirstStart);
    await firstStart.refuseDemoApp();
    const keys = nest.get(ServiceKeys);
    if (keys.isOpen) await firstStart.adoptKey();
    const connections = nest.get(Database);
    const read = <R extends object>(sql: string): Promise<R[]> => connections.read<R>(sql);
    for (const fault of [...(await durabilityFaults(read)), ...(await databaseFaults(read))])
      logger.warn(`PostgreSQL: ${fault}`);
    const fewFiles = openFilesFault();
    if (fewFiles !== null) logger.warn(fewFiles);
    for (const warning of nameWarnings(configuredNetworks(config.networks))) logger.warn(warning);
    const heartbeat = heartbeatOf({ version: VERSION, revision: BUILD.revision, role: config.role });
    await Promise.all([nest.get(HttpMetrics).begin(), nest.get(DatabaseProbe).begin(heartbeat)]);
    await nest.listen(config.port, config.host).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      const advice = `Stop it, or use another port: PORT=${config.port + 1} npm start`;
      throw new Error(`Another program listens on port ${config.port}. ${advice}`, { cause: error });
    });
    if (config.healthPort !== undefined) {
      health = healthServer(adapter.getInstance<RequestListener>()).listen(config.healthPort, config.host);
      await once(health, 'listening');
    }
    const begin = (): Promise<void> =>
      firstStart.run(async (appId) => (await import('./dev/demo-objects.js')).addDemoObjects(nest!, appId));
    if (keys.isOpen) await begin();
    else {
      // The key provider does not respond yet, and keys cannot be hashed without the secret of the service.
      const late = keys.whenOpen().then(() => firstStart.adoptKey().then(begin));
      late.catch((error: unknown) => logger.error({ err: error }, 'the management key was not stored'));
    }
    nest.get(Readiness).begin();
    nest.get(EndpointChecks, { strict: false }).begin();
    return running(nest, adapter, health, config.host, async () => {
      await endTracing?.();
      await database.close();
    });
  } catch (error) {
    // The first error says why; closing may fail for the same reason.
    health?.close();
    await nest?.close().catch(() => undefined);
    await endTracing?.();
    await database.close();
    throw error;
  }
}

function running(
  nest: NestExpressApplication,
  { connections }: JsonExpressAdapter,
  health: Server | undefined,
  host: string,
  closeDatabase: () => Promise<void>,
): Service {
  const server = nest.getHttpServer() as Server;
  const urlOf = (listening: Server): string => {
    const { port } = listening.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  };
  const stop = async (drainSeconds = 0): Promise<void> => {
    nest.get(Readiness).drain();
    // A load balancer needs some checks to see that the replica is not ready, and sends requests until then.
    await pause(drainSeconds * 1_000);
    const closed = new Promise((resolve) => server.close(resolve));
    connections?.end();
    const force = setTimeout(() => server.closeAllConnections(), FINISH_MS);
    await closed;
    clearTimeout(force);
    health?.close();
    health?.closeAllConnections();
    await nest.close();
    await closeDatabase();
  };
  return { url: urlOf(server), healthUrl: health && urlOf(health), nest, stop };
}

/** For running requests after the socket was closed. */
const FINISH_MS = 20_000;

/** Past a pooler if there is one. `isAlone` says that no replica runs. Resolves to the number of applied migrations. */
export async function migrate(
  config: Config,
  databaseUrl: string,
  log: (line: string) => void,
  isAlone = false,
): Promise<number> {
  const dataSource = new DataSource({
    ...dataSourceOptions(config, config.databaseDirectUrl ?? databaseUrl),
    poolSize: 2,
  });
  await connect(dataSource, log);
  try {
    const isPooled = config.databaseDirectUrl !== undefined;
    return await runMigrations(dataSource, sqlObjects(), log, { isPooled, isAlone });
  } finally {
    await dataSource.destroy();
  }
}

/** The database may be starting too. */
const CONNECT_TIMEOUT_MS = 30_000;

async function connect(dataSource: DataSource, log: (line: string) => void): Promise<void> {
  for (const since = performance.now(); ; await pause(500)) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      const isStarting = isDatabaseUnavailable(error) && !isLoginRefused(error as Error);
      if (!isStarting || performance.now() - since > CONNECT_TIMEOUT_MS) throw error;
      log('PostgreSQL does not answer yet. Trying again.');
    }
  }
}
