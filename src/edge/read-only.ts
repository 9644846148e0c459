import { SetMetadata } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ServiceReadOnly } from './errors/edge-errors.js';
import { CHANGES_NOTHING, isUnchanging, type WithoutChange } from './idempotency/post-routes.js';
import { handlesChange } from './http/nest-internals.js';
import { wrapHandlers } from './http/wrapped-handlers.js';

const CHANGES_BY_GET = 'changes by GET';
const REFUSES = 'refuses changes';
const SETTING = 'read only';

export const ChangesByGet = () => SetMetadata(CHANGES_BY_GET, true);

export function refuseChanges(app: NestExpressApplication): void {
  app.set(SETTING, true);
  wrapHandlers(app, REFUSES, (handler) => {
    if (!handlesChange(handler) && !Reflect.hasMetadata(CHANGES_BY_GET, handler)) return undefined;
    const changesNothing = Reflect.getMetadata(CHANGES_NOTHING, handler) as WithoutChange | undefined;
    return (request, args, handle) => {
      // In tests other services share the controllers.
      if (request.app.get(SETTING) === true && !isUnchanging(request, changesNothing)) throw new ServiceReadOnly();
      return handle(args);
    };
  });
}
