import type { FieldError } from '../../kernel/domain-error.js';

const deferred = new WeakMap<object, ReadonlyMap<string, FieldError>>();

/** A field that the request does not take is ignored, and its faults with it. */
export function deferFaults(parsed: object, faults: ReadonlyMap<string, FieldError>): void {
  if (faults.size > 0) deferred.set(parsed, faults);
}

export function faultsOfTakenFields(parsed: unknown, request: object): FieldError[] {
  const faults = typeof parsed === 'object' && parsed !== null ? deferred.get(parsed) : undefined;
  return [...(faults ?? [])].filter(([name]) => Object.hasOwn(request, name)).map(([, fault]) => fault);
}
