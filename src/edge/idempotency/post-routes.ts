import { applyDecorators, SetMetadata } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiExtension } from '@nestjs/swagger';
import { type AuthenticatedRequest, type Credential, CREDENTIAL } from '../auth/credential.js';
import { handlesPost } from '../http/nest-internals.js';
import { wrapHandlers } from '../http/wrapped-handlers.js';
import { Idempotency } from './idempotency.js';

/** In the document until it is complete: this POST changes nothing, or only with the named field. */
export const CHANGES_NOTHING = 'x-changes-nothing';
const COMMITS_ITSELF = 'commits itself';
const TAKES_KEYS = 'takes idempotency keys';
const SETTING = 'idempotency';

/** Lets every POST route with a credential accept an `Idempotency-Key`. */
export function takeIdempotencyKeys(app: NestExpressApplication): void {
  app.set(SETTING, app.get(Idempotency));
  wrapHandlers(app, TAKES_KEYS, (handler) => {
    const credential = Reflect.getMetadata(CREDENTIAL, handler) as Credential | undefined;
    if (!handlesPost(handler) || credential?.kind === 'none') return undefined;
    // A replayed response has no cookie.
    if (credential?.kind === 'management' && credential.isSignIn) return undefined;
    const changesNothing = Reflect.getMetadata(CHANGES_NOTHING, handler) as WithoutChange | undefined;
    const commitsItself = Reflect.hasMetadata(COMMITS_ITSELF, handler);
    return (request, args, handle) => {
      if (request.headers['idempotency-key'] === undefined || isUnchanging(request, changesNothing))
        return handle(args);
      const idempotency = request.app.get(SETTING) as Idempotency;
      return idempotency.answer(request, () => handle(args), commitsItself);
    };
  });
}

interface WithoutChange {
  /** A field of the body with which the call does change something. */
  readonly unless?: string;
}

function isUnchanging({ body }: AuthenticatedRequest, changesNothing: WithoutChange | undefined): boolean {
  if (!changesNothing) return false;
  const { unless } = changesNothing;
  // An optional field that is null counts as absent.
  return unless === undefined || (((body ?? {}) as Record<string, unknown>)[unless] ?? null) === null;
}

/**
 * Marks a POST that changes nothing. With an `Idempotency-Key` it runs again, and its response is not stored: it is never out of
 * date, and long responses of searches take no room.
 */
export function ChangesNothing(of: WithoutChange = {}): MethodDecorator {
  return applyDecorators(SetMetadata(CHANGES_NOTHING, of), ApiExtension(CHANGES_NOTHING, of));
}

/**
 * Marks a POST that waits for the network after its commit and may be repeated without harm. Its response is stored
 * afterwards; a call that was interrupted before that is executed again.
 */
export function CommitsItself(): MethodDecorator {
  return SetMetadata(COMMITS_ITSELF, true);
}
