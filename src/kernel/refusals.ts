import { DomainError, type DomainErrorClass, type ErrorKind } from './domain-error.js';
import { TooManyRequests } from './errors.js';
import type { AppId, UserId } from './ids.js';

/** The sender learns it by the event; a caller sees the same refusal in each case. */
export const PROOF_FAULTS = ['wrong', 'expired', 'replaced', 'spent', 'none_sent'] as const;

export interface ProofFault {
  readonly reason: (typeof PROOF_FAULTS)[number];
  /** The time between the end of the code or link and this try. */
  readonly endedSecondsAgo?: number;
}

/** A wrong, spent or expired code, link, signature or token. Reported as `login.failed`. */
export abstract class LoginRefused extends DomainError {
  /** @param userId the user who was to sign in, where known. It and `fault` are for the event and the log; never in the response. */
  constructor(
    message: string,
    readonly userId?: UserId,
    readonly fault?: ProofFault,
  ) {
    super(message);
  }
}

export function loginRefusal(
  kind: ErrorKind,
  code: string,
  { message, help }: { message: string; help: string },
): DomainErrorClass & (new (userId?: UserId, fault?: ProofFault) => LoginRefused) {
  return class extends LoginRefused {
    static override readonly code = code;
    static override readonly kind = kind;
    static override readonly help = help;

    constructor(userId?: UserId, fault?: ProofFault) {
      super(message, userId, fault);
    }
  };
}

export function refusedUserOf(refusal: DomainError): UserId | undefined {
  return refusal instanceof LoginRefused || refusal instanceof TooManyRequests ? refusal.userId : undefined;
}

export interface RefusedCall {
  readonly appId: AppId;
  readonly network: string;
  readonly requestId: string;
  readonly actor?: string;
  readonly refusal: DomainError;
}

export abstract class Refusals {
  /** Returns at once. At most one event a minute follows for each user, reason, client network and class, whichever replica refuses. */
  abstract report(call: RefusedCall): void;

  /** Is called before a call is refused, and returns at once. */
  abstract limitNear(appId: AppId, limit: string, percent: number): void;
}
