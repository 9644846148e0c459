import type { PolicyRule } from '../../../../../openapi/client/src/index.js';
import { differences } from '../../../../console/ui/differences.js';

/** Undefined for a version that lacks the rule. */
export interface RuleDifference {
  readonly id: string;
  readonly before?: PolicyRule;
  readonly after?: PolicyRule;
  /** Null for an absent field. */
  readonly fields?: { readonly before: object; readonly after: object };
}

const EVERYTHING = { operations: null, networks: null, assets: null, destinations: null, amount: null };

/** Adds the fields that a version lacks, so that they differ. */
const whole = ({ match, windows, approvals, ...rule }: PolicyRule): object => ({
  ...rule,
  match: { ...EVERYTHING, ...match },
  windows: windows ?? null,
  approvals: approvals ?? null,
});

/** Rules are the same by their ids; those of the later version come first. */
export function changesBetween(before: readonly PolicyRule[], after: readonly PolicyRule[]): readonly RuleDifference[] {
  const added = after.flatMap((rule): RuleDifference[] => {
    const earlier = before.find(({ id }) => id === rule.id);
    const id = rule.id ?? '';
    if (!earlier) return [{ id, after: rule }];
    const now = differences(whole(rule), whole(earlier));
    const was = differences(whole(earlier), whole(rule));
    return now && was ? [{ id, before: earlier, after: rule, fields: { before: was, after: now } }] : [];
  });
  const removed = before.filter((rule) => !after.some(({ id }) => id === rule.id));
  return [...added, ...removed.map((rule) => ({ id: rule.id ?? '', before: rule }))];
}

export function isReordered(before: readonly PolicyRule[], after: readonly PolicyRule[]): boolean {
  const common = (rules: readonly PolicyRule[], inBoth: readonly PolicyRule[]) =>
    rules.filter((rule) => inBoth.some(({ id }) => id === rule.id)).map(({ id }) => id);
  return common(before, after).join() !== common(after, before).join();
}
