/** The category of a refusal. One table in the HTTP edge maps each to a status. */
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

/** One field of a request that was refused, and why. */
export interface FieldError {
  readonly field: string;
  /** The stable name of the rule that the field breaks, such as `required` or `max`. */
  readonly rule: string;
  readonly message: string;
}

/**
 * A refusal that the caller can understand. Each subclass is one error type of the public interface: `code` is its stable name, `help` is
 * the text of its documentation page, the message names the fault and then the remedy. A message never contains a secret or an id of
 * another app. `refusal` declares one; a class that keeps a cause or a value is written out.
 */
export abstract class DomainError extends Error {
  static readonly code: string;
  static readonly kind: ErrorKind;
  static readonly help: string;
  /** The message, if it is always the same. */
  static readonly text?: string;
  /** Seconds after which a retry may succeed; becomes `Retry-After`. */
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

/** Whether the call itself is at fault: nothing was done for it. A node, a database or a rate may be at fault only for now. */
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

/** The texts of an error type. `Said` are the arguments of its constructor, which are those of `message`. */
export interface RefusalTexts<Said extends unknown[], Fields> {
  readonly message: string | ((...said: Said) => string);
  readonly help: string;
  /** The fields at fault, from the message and the arguments. */
  readonly fields?: (message: string, said: NoInfer<Said>) => Fields;
  readonly retryAfterSeconds?: number;
}

/** Declares an error type: `class KeyNotFound extends refusal('not_found', 'key_not_found', { message, help }) {}`. */
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
