import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger } from 'pino';
import type { LogLevel } from '../config/config.js';

/** One JSON object a line, on stdout unless told otherwise. Never bodies, tokens, keys or addresses. */
export function createLogger(level: LogLevel, destination: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}

/** Lines go out together, a tenth of a second late at most: written one by one they took a seventh of the time of a read. */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 12_288, periodicFlush: 100 });
}

/** Nest's own messages in the same form, framework chatter only when debugging. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }
  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}
