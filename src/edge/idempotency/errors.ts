import { DomainError } from '../../kernel/domain-error.js';
import { enterIntoCatalogue } from '../http/error-catalogue.js';

export class IdempotencyKeyReused extends DomainError {
  static override readonly code = 'idempotency_key_reused';
  static override readonly kind = 'unprocessable';
  static override readonly help =
    'The `Idempotency-Key` was already used on this path with another body in the last 24 hours. Use a new key for a new request.';
  constructor() {
    super('This Idempotency-Key was already used with another body. Use a new key.');
  }
}

enterIntoCatalogue([IdempotencyKeyReused]);
