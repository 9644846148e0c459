import type { Statement } from './statement.js';

/** A condition under which a value may be stored. */
export interface Condition {
  /** Fails with a division by zero unless the condition holds. */
  readonly statement: Statement;
  /** The error of the transaction instead of that failure. */
  readonly unmet: () => Error;
}

const conditions = new WeakMap<object, Condition>();

/**
 * Binds a condition to a value. Each transaction that sends the value as a parameter first sends the condition's statement, in the same
 * round trip. This way no caller that stores the value can forget the condition.
 */
export function storedOnlyIf<T extends object>(value: T, condition: Condition): T {
  conditions.set(value, condition);
  return value;
}

/** The conditions of a statement's values and of the elements of its arrays. */
export function conditionsOf(values: readonly unknown[] = []): readonly Condition[] {
  const found: Condition[] = [];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) found.push(...conditionsOf(value as readonly unknown[]));
    else {
      const condition = conditions.get(value);
      if (condition) found.push(condition);
    }
  }
  return found;
}

/** The error to report for a failed statement of a condition. */
export function unmetOr(condition: Condition | undefined, error: unknown): unknown {
  return condition && (error as { readonly code?: unknown } | null)?.code === DIVISION_BY_ZERO
    ? condition.unmet()
    : error;
}

const DIVISION_BY_ZERO = '22012';
