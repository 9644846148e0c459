import './source-maps.js';
import { createRequire } from 'node:module';
import { openDatabase } from './open-database.js';
import { Config, ConfigurationRefused } from './services/config/config.js';
import { createLogger, outputFor } from './services/observability/logger.js';

/** After the drain. Running requests get 20 s of it; orchestrators commonly kill after 30 s in all. */
const STOP_MS = 23_000;

const started = performance.now();
let config: Config;
try {
  config = Config.read();
} catch (error) {
  if (!(error instanceof ConfigurationRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(78); // EX_CONFIG of sysexits(3)
}
const logger = createLogger(config.logLevel, outputFor(config.logFormat));
try {
  const { takeOrders } = await import('./services/observability/diagnosis.js');
  await takeOrders(config.dataDir, logger);
  const [database, chain] = await Promise.all([openDatabase(config, (line) => logger.info(line)), localChain()]);
  // `import` would pass each of 2,300 files four times through the thread pool: 8 % of the processor time of a start, and 6 MB that stay.
  const { startService } = createRequire(import.meta.url)('./service.js') as typeof import('./service.js');
  const service = await startService(chain ? config.withEthereum(chain.url, chain.chainId) : config, database, logger);
  logger.info({ url: service.url, ms: Math.round(performance.now() - started) }, 'ready');
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      // SIGINT comes from a terminal, and no load balancer leads there.
      const drainSeconds = signal === 'SIGTERM' ? config.drainSeconds : 0;
      logger.info({ signal, seconds: drainSeconds }, 'draining');
      // A database that does not respond does not close its connections either.
      setTimeout(
        () => {
          logger.fatal('could not stop in time');
          logger.flush(() => process.exit(1));
        },
        drainSeconds * 1_000 + STOP_MS,
      ).unref();
      service
        .stop(drainSeconds)
        .then(() => chain?.stop())
        .then(
          () => logger.flush(() => process.exit(0)),
          (error: unknown) => {
            logger.fatal({ err: error }, 'could not stop cleanly');
            logger.flush(() => process.exit(1));
          },
        );
    });
  }
} catch (error) {
  process.stderr.write(`The service could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  logger.fatal({ err: error }, 'could not start');
  logger.flush(() => process.exit(1));
}

async function localChain() {
  if (!config.hasLocalChain) return null;
  // A production service never loads src/dev.
  const { startLocalChain } = await import('./dev/local-chain.js');
  return startLocalChain(config.dataDir).catch((error: unknown) => {
    logger.warn({ err: error }, 'there are no transfers on Ethereum');
    return null;
  });
}
