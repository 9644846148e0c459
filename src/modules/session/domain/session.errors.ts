import { DomainError } from '../../../kernel/domain-error.js';

/** One refusal for every reason: unknown, expired, revoked, forged, or another app's or user's. */
export class InvalidSession extends DomainError {
  static override readonly code = 'invalid_session';
  static override readonly kind = 'unauthenticated';
  static override readonly help =
    'The session token or JWT is unknown, expired, revoked, forged, or belongs to another app or user. Nothing was spent: sign the user in again, or leave it out.';
  constructor() {
    super('The session token or JWT is not valid.');
  }
}

export class SessionNotFound extends DomainError {
  static override readonly code = 'session_not_found';
  static override readonly kind = 'not_found';
  static override readonly help =
    'This app has no live session with this id: it never had, or it expired or was deleted already.';
  constructor() {
    super('There is no live session with this id.');
  }
}
