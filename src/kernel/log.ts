export interface LogMethod {
  (message: string): void;
  (fields: object, message?: string): void;
}

export abstract class Log {
  abstract readonly info: LogMethod;
  abstract readonly warn: LogMethod;
  abstract readonly error: LogMethod;
  abstract readonly debug: LogMethod;
}
