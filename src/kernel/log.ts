/** Writes one line: a message, or fields and a message. */
export interface LogMethod {
  (message: string): void;
  (fields: object, message?: string): void;
}

/** The service's log, injectable by class: `constructor(private readonly log: Log)`. */
export abstract class Log {
  abstract readonly info: LogMethod;
  abstract readonly warn: LogMethod;
  abstract readonly error: LogMethod;
  abstract readonly debug: LogMethod;
}
