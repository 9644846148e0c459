import { type INestApplicationContext, RequestMethod, SetMetadata } from '@nestjs/common';
import { INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type Credential, CREDENTIAL } from '../auth/credentials.js';
import { COMMITS_ITSELF, IdempotencyInterceptor } from './idempotency.interceptor.js';

/**
 * Gives every POST route that takes a key of an app or of the management API its `Idempotency-Key`. Only those, since
 * an interceptor costs a few microseconds on each call. To be called before the routes are registered.
 */
export function takeIdempotencyKeys(app: INestApplicationContext): void {
  const interceptor = app.get(IdempotencyInterceptor);
  const scanner = new MetadataScanner();
  for (const { metatype } of new DiscoveryService(app.get(ModulesContainer)).getControllers()) {
    const prototype = metatype?.prototype as Record<string, object> | undefined;
    for (const name of scanner.getAllMethodNames(prototype ?? null)) {
      const handler = prototype![name]!;
      const credential = Reflect.getMetadata(CREDENTIAL, handler) as Credential | undefined;
      if (Reflect.getMetadata(METHOD_METADATA, handler) !== RequestMethod.POST || credential?.kind === 'none') continue;
      const others = (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as unknown[];
      // A handler outlives the application that a test starts it in.
      const kept = others.filter((other) => !(other instanceof IdempotencyInterceptor));
      Reflect.defineMetadata(INTERCEPTORS_METADATA, [interceptor, ...kept], handler);
    }
  }
}

/**
 * Marks a POST that waits for the network after it has committed, and that repeats itself without harm: its answer is
 * kept afterwards, and a call that was cut before that is carried out again.
 */
export function CommitsItself(): MethodDecorator {
  return SetMetadata(COMMITS_ITSELF, true);
}
