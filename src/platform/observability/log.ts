import type { Logger } from 'pino';

/** The service's log, injectable by class: `constructor(private readonly log: Log)`. */
export abstract class Log {
  abstract readonly info: Logger['info'];
  abstract readonly warn: Logger['warn'];
  abstract readonly error: Logger['error'];
  abstract readonly debug: Logger['debug'];
}
