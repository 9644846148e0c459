import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AuthenticatedRequest } from './authenticated-request.js';
import { appendRequest } from './nest-internals.js';

type Handler = (this: object, ...args: unknown[]) => unknown;

export type Around = (
  request: AuthenticatedRequest,
  args: readonly unknown[],
  handle: (args: readonly unknown[]) => unknown,
  controller: object,
) => unknown;

/** An interceptor costs a tenth of a call. Call it before routes are registered. `mark` prevents a second wrap in tests. */
export function wrapHandlers(
  app: NestExpressApplication,
  mark: string,
  choose: (handler: object) => Around | undefined,
): void {
  const scanner = new MetadataScanner();
  for (const { metatype } of new DiscoveryService(app.get(ModulesContainer)).getControllers()) {
    const prototype = metatype?.prototype as Record<string, Handler> | undefined;
    for (const name of scanner.getAllMethodNames(prototype ?? null)) {
      const handler = prototype![name]!;
      const around = Reflect.hasMetadata(mark, handler) ? undefined : choose(handler);
      if (!around) continue;
      const index = appendRequest(prototype!, name);
      const wrapper: Handler = function (...args) {
        const handle = (given: readonly unknown[]): unknown => handler.apply(this, [...given]);
        return around(args[index] as AuthenticatedRequest, args, handle, this);
      };
      for (const key of Reflect.getMetadataKeys(handler))
        Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapper);
      Reflect.defineMetadata(mark, true, wrapper);
      prototype![name] = wrapper;
    }
  }
}
