import type { FieldError } from '../../kernel/domain-error.js';

const deferred = new WeakMap<object, readonly FieldError[]>();

/** Keeps faults of fields until it is known which fields the request takes: a field that it does not take is ignored. */
export function deferFaults(parsed: object, faults: readonly FieldError[]): void {
  if (faults.length > 0) deferred.set(parsed, faults);
}

/** The faults kept for `parsed` that are in fields, or below fields, of the validated request. */
export function faultsOfTakenFields(parsed: unknown, request: object): FieldError[] {
  const faults = typeof parsed === 'object' && parsed !== null ? (deferred.get(parsed) ?? []) : [];
  return faults.filter(({ field }) => Object.hasOwn(request, /^[^.[]*/.exec(field)![0]));
}
