import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { traced } from '../../kernel/tracing.js';

type Method = (...args: unknown[]) => unknown;

/** Use cases are classes with `execute`, and all methods of those that manage objects. */
export function traceUseCases(app: INestApplicationContext): void {
  for (const { providers } of app.get(ModulesContainer).values())
    for (const { instance } of providers.values()) traceMethods(instance as Record<string, Method> | null);
}

/** The class is left unchanged: it outlives the service in tests. */
function traceMethods(useCase: Record<string, Method> | null): void {
  if (typeof useCase !== 'object' || useCase === null) return;
  const methods = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(useCase) as object);
  const { name } = useCase.constructor;
  const isManaging = /^Manage[A-Z]/.test(name);
  for (const [method, { value }] of Object.entries(methods)) {
    const isUseCase = method === 'execute' || (isManaging && method !== 'constructor');
    // One object may be provided under several names.
    if (typeof value !== 'function' || !isUseCase || Object.hasOwn(useCase, method)) continue;
    const text = { name: method === 'execute' ? name : `${name}.${method}` };
    useCase[method] = (...args) =>
      traced(
        () => text,
        () => (value as Method).apply(useCase, args),
      );
  }
}
