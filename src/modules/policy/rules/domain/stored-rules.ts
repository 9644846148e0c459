import type { Match, Rule, Window } from './policy.js';

type Texts<T> = { readonly [K in keyof T]: T[K] extends bigint | null ? string | null : T[K] };

export interface StoredRule extends Omit<Rule, 'match' | 'windows'> {
  readonly match: Omit<Match, 'amount'> & { readonly amount: Texts<NonNullable<Match['amount']>> | null };
  readonly windows: readonly Texts<Window>[];
}

/** Numbers that JSON has no type for are text. */
export function inJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
}

export function rulesOf(stored: readonly StoredRule[]): Rule[] {
  return stored.map(({ match, windows, ...rule }) => ({
    ...rule,
    match: {
      ...match,
      amount: match.amount && { min: unitsOf(match.amount.min), max: unitsOf(match.amount.max) },
    },
    windows: windows.map((window) => ({ ...window, maxAmount: unitsOf(window.maxAmount) })),
  }));
}

function unitsOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}
