import type { Statement } from './statement.js';

export interface Condition {
  /** Fails with a division by zero unless the condition holds. */
  readonly statement: Statement;
  readonly unmet: () => Error;
}

const conditions = new WeakMap<object, Condition>();

/** Each transaction that sends the value first sends the condition's statement, so no caller that stores the value can forget it. */
export function storedOnlyIf<T extends object>(value: T, condition: Condition): T {
  conditions.set(value, condition);
  return value;
}

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

export function unmetOr(condition: Condition | undefined, error: unknown): unknown {
  return condition && (error as { readonly code?: unknown } | null)?.code === DIVISION_BY_ZERO
    ? condition.unmet()
    : error;
}

const DIVISION_BY_ZERO = '22012';
