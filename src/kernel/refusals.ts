import { DomainError, type DomainErrorClass, type ErrorKind } from './domain-error.js';
import { TooManyRequests } from './errors.js';
import type { AppId, UserId } from './ids.js';

/** Why a code or link was refused. Its sender learns it by the event; a caller sees the same refusal in each case. */
export const PROOF_FAULTS = ['wrong', 'expired', 'replaced', 'spent', 'none_sent'] as const;

export interface ProofFault {
  readonly reason: (typeof PROOF_FAULTS)[number];
  /** The seconds between the end of the code or link and this try. */
  readonly endedSecondsAgo?: number;
}

/** A proof of identity was refused: a wrong, spent or expired code, link, signature or token. Reported as `login.failed`. */
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

/** Declares an error type of a refused proof, as `refusal` does. */
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

/** The user whom a refusal is about, where known. */
export function refusedUserOf(refusal: DomainError): UserId | undefined {
  return refusal instanceof LoginRefused || refusal instanceof TooManyRequests ? refusal.userId : undefined;
}

/** A call that was refused. */
export interface RefusedCall {
  readonly appId: AppId;
  /** The client network, see `clientNetwork`. */
  readonly network: string;
  readonly requestId: string;
  /** The id of the restricted key that made the call; absent in other calls. */
  readonly actor?: string;
  readonly refusal: DomainError;
}

/** Publishes refused logins and exceeded limits as events. */
export abstract class Refusals {
  /**
   * Returns at once. An event follows at most once a minute for each user, reason, client network and class of refusal, whichever
   * replica refuses. Refusals of other kinds are ignored.
   */
  abstract report(call: RefusedCall): void;

  /** Reports that a limit of the app is nearly reached, before a call is refused. Returns at once. */
  abstract limitNear(appId: AppId, limit: string, percent: number): void;
}
