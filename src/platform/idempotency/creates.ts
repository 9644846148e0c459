import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { Refuses } from '../http/error-catalogue.js';
import { IdempotencyKeyReused } from './errors.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/** Marks a POST that creates something: it takes an `Idempotency-Key`. */
export function Creates(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(IdempotencyInterceptor),
    Refuses(IdempotencyKeyReused),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Any text of up to 255 visible characters. The first successful answer is kept for 24 hours and given again, with `Idempotent-Replayed: true`.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    }),
  );
}
