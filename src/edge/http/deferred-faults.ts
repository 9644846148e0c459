import type { FieldError } from '../../kernel/domain-error.js';

const deferred = new WeakMap<object, ReadonlyMap<string, FieldError>>();

/** Keeps faults by the names of fields until it is known which fields the request takes: a field that it does not take is ignored. */
export function deferFaults(parsed: object, faults: ReadonlyMap<string, FieldError>): void {
  if (faults.size > 0) deferred.set(parsed, faults);
}

/** The faults kept for `parsed` of the fields that the validated request has. */
export function faultsOfTakenFields(parsed: unknown, request: object): FieldError[] {
  const faults = typeof parsed === 'object' && parsed !== null ? deferred.get(parsed) : undefined;
  return [...(faults ?? [])].filter(([name]) => Object.hasOwn(request, name)).map(([, fault]) => fault);
}
