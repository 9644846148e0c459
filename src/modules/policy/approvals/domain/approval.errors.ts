import { DomainError, refusal } from '../../../../kernel/domain-error.js';
import type { ApprovalId } from '../../../../kernel/ids.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { ApprovalRequired } from '../../rules/domain/policy.errors.js';

export class ApprovalNotFound extends refusal('not_found', 'approval_not_found', {
  message: 'There is no approval with this id.',
  help: 'This app has no approval with this id. List the approvals of the app.',
}) {}

export class NotAnApprover extends refusal('forbidden', 'not_an_approver', {
  message: 'This user may not vote on this approval.',
  help: 'Only an active member of the approver group who has a passkey may vote, and not the user whom the request names. A restricted key carries no votes on its own requests.',
}) {}

export class PasskeyMayNotVote extends refusal('forbidden', 'passkey_may_not_vote', {
  message: 'The passkey was made after its holder became an approver, so it does not vote yet.',
  help: 'A passkey that an approver had on becoming a member votes at once. A later one votes after `approver_passkey_hours` of the app, or once another member of the group approves it: POST /management/v1/apps/{app_id}/approver_groups/{agrp_id}/passkeys/{webauthn_id}/begin and …/approve.',
}) {}

/** The key can log users in, and so enrol a passkey of an approver itself. */
export class VoteNotCarried extends refusal('forbidden', 'vote_not_carried', {
  message: 'A key with the scope login:write carries no votes. Use a key that has approvals:vote without it.',
  help: 'A restricted key with the scope `login:write` can log an approver in and enrol a passkey, so it carries no votes, also if it has `approvals:vote`. Use a restricted key without that scope, a secret key or a management key.',
}) {}

export class AlreadyVoted extends refusal('conflict', 'already_voted', {
  message: 'This user has voted on this approval.',
  help: 'Each approver has one vote on an approval, which cannot be changed.',
}) {}

export class ApprovalMismatch extends refusal('conflict', 'approval_mismatch', {
  message: 'The approval is for another request. Repeat the call without approval_id to request another one.',
  help: 'An approval of the use of a wallet is for one payload, asked for with one key. An approval of a change of policies is for that change of exactly the policies, groups and settings that it names. Repeat the call without approval_id to request another one.',
}) {}

export class ApprovalEnded extends DomainError {
  static override readonly code = 'approval_ended';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The approval takes no votes, or cannot be used: state says why. Each approval is used once. Repeat the call that needs it without approval_id to request another one.';

  constructor(
    private readonly id: ApprovalId,
    private readonly state: string,
  ) {
    super(`The approval is ${state}.`);
  }

  override get details(): Readonly<Record<string, unknown>> {
    return { approval_id: this.id, state: this.state };
  }
}

export class TooManyApprovals extends refusal('conflict', 'too_many_approvals', {
  message:
    'This key has requested too many approvals that are still open. Approve or reject some of them, or wait until they expire.',
  help: `A key of an app, or an operator, has at most ${BOUNDS.openApprovals} open approvals. Nothing was stored. Approve or reject some of them, or wait until they expire, then repeat the call.`,
}) {}

export const APPROVAL_REFUSALS = [
  ApprovalRequired,
  ApprovalNotFound,
  ApprovalMismatch,
  ApprovalEnded,
  TooManyApprovals,
] as const;
