import { refusal } from '../../kernel/domain-error.js';
import { enterIntoCatalogue } from '../errors/error-catalogue.js';

export class IdempotencyKeyReused extends refusal('unprocessable', 'idempotency_key_reused', {
  message: 'This Idempotency-Key was already used with another body. Use a new key.',
  help: 'The `Idempotency-Key` was already used on this path with another body in the last 24 hours. Use a new key for a new request.',
}) {}

enterIntoCatalogue([IdempotencyKeyReused]);
