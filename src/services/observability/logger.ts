import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, pino, type Logger } from 'pino';
import type { LogFormat, LogLevel } from '../config/config.js';
import { ReadableLines } from './readable-lines.js';

/**
 * Writes one JSON object per line, by default to stdout. Bodies, tokens, keys and addresses are never logged, except for the codes and
 * links of mails and SMS that become files in development.
 */
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

/** The stream to which a format of the log is written; undefined for the usual one. */
export function outputFor(format: LogFormat): DestinationStream | undefined {
  return format === 'pretty' ? new ReadableLines(process.stdout) : undefined;
}

/** Writes lines in batches, at most 0.1 s late: single writes took a seventh of the time of a read. */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 12_288, periodicFlush: 100 });
}

/** Logs Nest's own messages in the same form; its informational messages only at the level `debug`. */
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
