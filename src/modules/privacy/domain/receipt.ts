import { PersonalData, type PersonalRows } from '../../../kernel/personal-data.js';
import type { Erasure } from './erasure.js';

export interface ReceiptLine {
  readonly name: string;
  readonly outcome: 'removed' | 'anonymised' | 'kept';
  /** Null where rows cannot be found by the person. */
  readonly rows: number | null;
  /** Why rows, or a part of each, stay; empty if all is removed. */
  readonly reason: string;
}

/** The kinds that had rows, and those that cannot be found by the person. */
export function receiptOf({ counts }: Pick<Erasure, 'counts'>): readonly ReceiptLine[] {
  return PersonalData.rows
    .filter(({ name, isUnlinked }) => isUnlinked || counts[name])
    .map((of) => ({
      name: of.name,
      outcome: outcomeOf(of),
      rows: of.isUnlinked ? null : counts[of.name]!,
      reason: [...new Set(Object.values(of.keeps ?? {}))].join(' '),
    }));
}

function outcomeOf({ removes, clears }: PersonalRows): ReceiptLine['outcome'] {
  if (removes) return 'removed';
  return clears ? 'anonymised' : 'kept';
}
