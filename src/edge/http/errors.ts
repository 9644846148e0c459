import { refusal } from '../../kernel/domain-error.js';
import { InvalidRequest, TooManyRequests } from '../../kernel/errors.js';
import { enterIntoCatalogue } from '../errors/error-catalogue.js';

export class MalformedJson extends refusal('invalid', 'invalid_json', {
  message: (message?: string) => message ?? 'The request body is not valid JSON.',
  help: 'The body is not one JSON object (RFC 8259) in UTF-8.',
}) {}

export class PayloadTooLarge extends refusal('too_large', 'payload_too_large', {
  message: (maxBytes?: number) => `The request body is too large. Send at most ${(maxBytes ?? 262_144) / 1024} KiB.`,
  help: 'The body is larger than 256 KiB, or a form larger than 16 KiB.',
}) {}

export class UnsupportedMediaType extends refusal('unsupported_media_type', 'unsupported_media_type', {
  message: (message: string) => message,
  help: 'Send the body as `Content-Type: application/json` in UTF-8, without a content encoding.',
}) {}

enterIntoCatalogue([InvalidRequest, MalformedJson, PayloadTooLarge, UnsupportedMediaType, TooManyRequests]);
