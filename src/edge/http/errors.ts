import { DomainError } from '../../kernel/domain-error.js';
import { InvalidRequest, TooManyRequests } from '../../kernel/errors.js';
import { enterIntoCatalogue } from './error-catalogue.js';

export class MalformedJson extends DomainError {
  static override readonly code = 'invalid_json';
  static override readonly kind = 'invalid';
  static override readonly help = 'The body is not one JSON object (RFC 8259) in UTF-8.';
  constructor(message = 'The request body is not valid JSON.') {
    super(message);
  }
}

export class PayloadTooLarge extends DomainError {
  static override readonly code = 'payload_too_large';
  static override readonly kind = 'too_large';
  static override readonly help = 'The body is larger than 256 KiB, or a form larger than 16 KiB.';
  constructor(maxBytes = 256 * 1024) {
    super(`The request body is too large. Send at most ${maxBytes / 1024} KiB.`);
  }
}

export class UnsupportedMediaType extends DomainError {
  static override readonly code = 'unsupported_media_type';
  static override readonly kind = 'unsupported_media_type';
  static override readonly help =
    'Send the body as `Content-Type: application/json` in UTF-8, without a content encoding.';
}

enterIntoCatalogue([InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType, TooManyRequests]);
