import { type Match, type Policy, type Rule, rulesByIds, type Window } from './policy.js';

/**
 * Whether a version may allow a request that the previous one does not, with the same spends. What it cannot prove to be tighter is looser.
 * The order of rules only decides whose windows count: a request needs room in any rule that fits, and in each that requires approval.
 */
export function loosens(older: Policy | null, newer: Policy | null): boolean {
  // It may be the only policy of its scope, and a scope without a policy bounds nothing.
  if (newer === null) return older !== null;
  // The scope may have other policies, to whose rules this one adds its own.
  if (older === null) return newer.rules.some(({ effect }) => effect !== 'deny');
  const isSame =
    older.name === newer.name && older.scope.kind === newer.scope.kind && older.scope.id === newer.scope.id;
  // A name may have meant another network when the older one was stored.
  const [rulesBefore, rules] = [rulesByIds(older), rulesByIds(newer)];
  const letsPassLess = rules.every(
    (rule) => rule.effect === 'deny' || rulesBefore.some((previous) => isNoLooser(rule, previous)),
  );
  const stopsMore = rulesBefore.every(
    (previous) => previous.effect === 'allow' || rules.some((rule) => isAsStrict(rule, previous)),
  );
  return !(isSame && letsPassLess && stopsMore);
}

function isNoLooser(rule: Rule, previous: Rule): boolean {
  // A rule that requires approval fits requests that an allow rule with the same conditions does not fit: those with missing facts.
  if (rule.effect !== previous.effect || !isWithin(rule.match, previous.match)) return false;
  // Windows are counted by the id of the rule.
  if (previous.windows.length > 0 && rule.id !== previous.id) return false;
  return previous.windows.every((bound) => rule.windows.some((window) => isAsNarrow(window, bound)));
}

/** Whether the rule denies each request that the previous rule denies or asks for, or asks for it in the same way. */
function isAsStrict(rule: Rule, previous: Rule): boolean {
  if (!isWithin(previous.match, rule.match)) return false;
  if (rule.effect === 'deny') return true;
  if (rule.effect !== previous.effect || rule.id !== previous.id) return false;
  const [terms, before] = [rule.approvals!, previous.approvals!];
  return (
    terms.group === before.group &&
    terms.count >= before.count &&
    terms.expiresIn <= before.expiresIn &&
    // Another window may need a fact that is missing. Then the rule would not fit, and would not ask.
    rule.windows.length === previous.windows.length &&
    rule.windows.every((window, index) => isAsNarrow(window, previous.windows[index]!))
  );
}

/** More is spent in a longer time, so a longer window with the same bound is narrower. */
function isAsNarrow(window: Window, bound: Window): boolean {
  return (
    window.per === bound.per &&
    window.seconds >= bound.seconds &&
    isAtMost(window.maxAmount, bound.maxAmount) &&
    isAtMost(window.maxCount, bound.maxCount)
  );
}

/** Null stands for no bound. */
function isWithin(inner: Match, outer: Match): boolean {
  return (
    // A rule that names an operation fits some requests that a rule for all operations does not fit.
    (inner.operations === null) === (outer.operations === null) &&
    isSubset(inner.operations, outer.operations) &&
    isSubset(inner.networks, outer.networks) &&
    isSubset(inner.destinations, outer.destinations) &&
    isSubset(namesOf(inner.assets), namesOf(outer.assets)) &&
    (outer.amount === null ||
      (inner.amount !== null &&
        isAtMost(inner.amount.max, outer.amount.max) &&
        (outer.amount.min === null || (inner.amount.min !== null && inner.amount.min >= outer.amount.min))))
  );
}

function isAtMost<T extends bigint | number>(value: T | null, bound: T | null): boolean {
  return bound === null || (value !== null && value <= bound);
}

function isSubset(inner: readonly string[] | null, outer: readonly string[] | null): boolean {
  return outer === null || (inner !== null && inner.every((each) => outer.includes(each)));
}

function namesOf(assets: Match['assets']): readonly string[] | null {
  return assets && assets.map(({ network, token }) => `${network}/${token}`);
}
