import { DomainError } from '../../kernel/domain-error.js';

export class UnauthorizedCredentials extends DomainError {
  static override readonly code = 'unauthorized_credentials';
  static override readonly kind = 'unauthenticated';
  static override readonly help =
    'The key is missing, malformed, unknown, expired or revoked. Send `Authorization: Bearer <key>` once, with a key of this app.';
  constructor() {
    super('The key is missing or not valid.');
  }
}

export class WrongKeyKind extends DomainError {
  static override readonly code = 'wrong_key_kind';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'The key is valid but of another kind than this endpoint requires: secret (sk_), public (pk_) or management (mk_).';
  constructor(wanted: string) {
    super(`This endpoint requires ${wanted}.`);
  }
}
