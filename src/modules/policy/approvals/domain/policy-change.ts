import { epochSeconds } from '../../../../kernel/clock.js';
import type { AppId, ApproverGroupId, UserId } from '../../../../kernel/ids.js';
import type { Freeze } from '../../rules/domain/freeze.js';
import type { ApproverGroupDetails } from './approver-group.js';
import type { Payload } from '../../rules/domain/payload.js';
import type { Policy } from '../../rules/domain/policy.js';
import { inJson } from '../../rules/domain/stored-rules.js';

export const POLICY_CHANGE = 'policy_change';

/** An approved change that was not used expires after this time, too. */
export const CHANGE_EXPIRES_IN_SECONDS = 86_400;

export interface PolicyChangeTerms {
  readonly group: ApproverGroupId;
  readonly count: number;
}

export function termsIn(settings: Readonly<Record<string, object>>): PolicyChangeTerms | null {
  return (settings[POLICY_CHANGE] as PolicyChangeTerms | undefined) ?? null;
}

/** Approvers see everything that the change replaces, and everything that is in force after it. */
export interface Change {
  readonly change:
    | 'activate_policy'
    | 'retire_policy'
    | 'approver_group'
    | 'policy_change'
    | 'approver_passkey_hours'
    | 'thaw'
    | 'recovery';
  readonly summary: string;
  readonly before: unknown;
  readonly after: unknown;
}

type NamedGroup = ApproverGroupDetails & { readonly id: ApproverGroupId };

/** The members of the group decide who may approve. */
export type TermsInFull = Pick<PolicyChangeTerms, 'count'> & { readonly group: NamedGroup };

/** The hash of the payload binds the approval to the state from which the change was asked. */
export function payloadOfChange(appId: AppId, change: Change): Payload {
  return JSON.parse(inJson({ operation: 'policy_change', app_id: appId, ...change })) as Payload;
}

/** The payload has the `groups` that the rules ask, or members could approve whom the approvers have not seen. */
export function activationOf(policy: Policy, previous: Policy | null, groups: readonly NamedGroup[]): Change {
  const inPlaceOf = previous ? `in place of version ${previous.version}` : 'where no version is active';
  const inOrder = groups.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(groupWords);
  const summary = `Activate version ${policy.version} of the policy ${policy.name} ${inPlaceOf}.`;
  return {
    change: 'activate_policy',
    summary,
    before: previous && wordsOf(previous),
    after: { ...wordsOf(policy), groups: inOrder },
  };
}

export function retirementOf(policy: Policy): Change {
  const summary = `Retire version ${policy.version} of the policy ${policy.name}. No version of it is active then.`;
  return { change: 'retire_policy', summary, before: wordsOf(policy), after: null };
}

export function groupChangeOf(before: NamedGroup, after: NamedGroup): Change {
  const summary = `Change the members of the approver group ${before.name} from ${before.members.length} to ${after.members.length}.`;
  return { change: 'approver_group', summary, before: groupWords(before), after: groupWords(after) };
}

export function termsChangeOf(before: TermsInFull, after: TermsInFull | null): Change {
  const summary = after
    ? `Let changes of policies need ${after.count} approvals of ${after.group.name} instead of ${before.count} of ${before.group.name}.`
    : `Let changes of policies need no approval, instead of ${before.count} of ${before.group.name}.`;
  return { change: 'policy_change', summary, before: termsWords(before), after: after && termsWords(after) };
}

export function passkeyHoursChangeOf(app: string, before: number, after: number): Change {
  const summary = `Let later passkeys of approvers of the app ${app} vote after ${after} hours instead of ${before}.`;
  return {
    change: 'approver_passkey_hours',
    summary,
    before: { approver_passkey_hours: before },
    after: { approver_passkey_hours: after },
  };
}

/** It names the time of the freeze, so that it does not end a later one. */
export function thawOf(app: { readonly name: string; readonly frozenAt: Date }): Change {
  const frozen = (at: Date | null) => ({ app: app.name, frozen_at: epochSeconds(at) });
  const summary = `Thaw the app ${app.name}: its wallets sign again what its policies allow.`;
  return { change: 'thaw', summary, before: frozen(app.frozenAt), after: frozen(null) };
}

export function thawOfObject({ userId, walletId }: Freeze, frozenAt: Date): Change {
  const named = walletId === null ? { user_id: userId } : { wallet_id: walletId, user_id: userId };
  const summary =
    walletId === null
      ? `Thaw the user ${userId}: the wallets of the user sign again what the policies allow.`
      : `Thaw the wallet ${walletId}: it signs again what the policies allow.`;
  const before = { ...named, frozen_at: epochSeconds(frozenAt) };
  return { change: 'thaw', summary, before, after: { ...named, frozen_at: 0 } };
}

/** Approvers must see the new address: they must know whom they let in. */
export function recoveryOf(
  userId: UserId,
  { kind, text }: { readonly kind: 'email' | 'phone_number'; readonly text: string },
): Change {
  const after = { user_id: userId, [kind]: text };
  return {
    change: 'recovery',
    summary: `Let ${text} sign in to the account ${userId} after a wait.`,
    before: null,
    after,
  };
}

export function areSameTerms(a: PolicyChangeTerms | null, b: PolicyChangeTerms | null): boolean {
  return a?.group === b?.group && a?.count === b?.count;
}

function wordsOf({ id, name, version, scope, rules }: Policy): Payload {
  return { policy_id: id, name, version, scope, rules };
}

function groupWords({ id, name, members }: NamedGroup): Payload {
  return { group: id, name, members: members.toSorted() };
}

function termsWords({ group, count }: TermsInFull): Payload {
  return { ...groupWords(group), count };
}
