import { refusal } from '../../../kernel/domain-error.js';
import type { ApproverGroupId } from '../../../kernel/ids.js';
import { BOUNDS } from './policy.js';

export class PolicyNotFound extends refusal('not_found', 'policy_not_found', {
  message: 'There is no policy with this id.',
  help: 'This app has no version of a policy with this id. List the policies of the app.',
}) {}

export class TooManyPolicies extends refusal('conflict', 'too_many_policies', {
  message: (message: string) => message,
  help: `An app has at most ${BOUNDS.active} active policies: retire one first. It keeps at most ${BOUNDS.versions} versions: activate an earlier one again instead of storing it anew.`,
}) {}

export class ApproverGroupNotFound extends refusal('not_found', 'approver_group_not_found', {
  message: 'There is no approver group with this id.',
  help: 'This app has no approver group with this id. List the approver groups of the app.',
}) {}

export class TooManyApproverGroups extends refusal('conflict', 'too_many_approver_groups', {
  message: `The app has ${BOUNDS.groups} approver groups. Delete one first.`,
  help: `An app has at most ${BOUNDS.groups} approver groups. Delete one that is no longer used first.`,
}) {}

export class ApproverGroupInUse extends refusal('conflict', 'approver_group_in_use', {
  message:
    'An active policy asks this approver group. Retire the policy, or activate a version without the group first.',
  help: 'A rule of an active policy asks the approver group. Retire the policy or activate a version of it that does not name the group, then delete the group.',
}) {}

export class ApproverGroupTooSmall extends refusal('conflict', 'approver_group_too_small', {
  message: ({ group, count, members }: { group: ApproverGroupId; count: number; members: number }) =>
    `A rule needs ${count} approvals of the approver group ${group}, which has ${members} members. Add members, or lower the count.`,
  help: 'A rule of an active policy cannot need more approvals than its approver group has members; a group that was deleted has none. Add members to the group, or store a version that needs fewer approvals.',
}) {}
