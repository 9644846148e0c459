export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timed_out'
  | 'conflict'
  | 'unexpected'
  | 'unprocessable'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many'
  | 'unavailable'
  | 'internal';

export interface FieldError {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
}

/** A message names the fault and then the remedy, and never contains a secret or an id of another app. `refusal` declares a subclass. */
export abstract class DomainError extends Error {
  static readonly code: string;
  static readonly kind: ErrorKind;
  static readonly help: string;
  static readonly text?: string;
  readonly retryAfterSeconds?: number;
  readonly fields?: readonly FieldError[];
  /** Further members of the error's body (RFC 9457), in snake_case. */
  get details(): Readonly<Record<string, unknown>> {
    return {};
  }

  get code(): string {
    return (this.constructor as unknown as DomainErrorClass).code;
  }
  get kind(): ErrorKind {
    return (this.constructor as unknown as DomainErrorClass).kind;
  }
}

/** The call itself is at fault and nothing was done for it. A node, a database or a rate may be at fault only for now. */
export function isRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'too_many';
}

export interface DomainErrorClass {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly help: string;
  readonly text?: string;
  readonly name: string;
  readonly prototype: DomainError;
}

/** `Said` are the arguments of the constructor and of `message`. */
export interface RefusalTexts<Said extends unknown[], Fields> {
  readonly message: string | ((...said: Said) => string);
  readonly help: string;
  readonly fields?: (message: string, said: NoInfer<Said>) => Fields;
  readonly retryAfterSeconds?: number;
}

/** `class KeyNotFound extends refusal('not_found', 'key_not_found', { message, help }) {}` */
export function refusal<
  Said extends unknown[] = [],
  Fields extends readonly FieldError[] | undefined = readonly FieldError[] | undefined,
>(
  kind: ErrorKind,
  code: string,
  { message, help, fields, retryAfterSeconds }: RefusalTexts<Said, Fields>,
): DomainErrorClass & (new (...said: Said) => DomainError & { readonly fields: Fields }) {
  return class extends DomainError {
    static override readonly code = code;
    static override readonly kind = kind;
    static override readonly help = help;
    static override readonly text = typeof message === 'string' ? message : undefined;
    override readonly retryAfterSeconds = retryAfterSeconds;
    override readonly fields: Fields;

    constructor(...said: Said) {
      super(typeof message === 'string' ? message : message(...said));
      this.fields = fields?.(this.message, said) as Fields;
    }
  };
}
