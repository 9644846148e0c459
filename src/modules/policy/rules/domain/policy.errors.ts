import { DomainError, refusal } from '../../../../kernel/domain-error.js';
import type { ApprovalId, ApproverGroupId } from '../../../../kernel/ids.js';
import { BOUNDS, KEPT } from './policy.js';
import type { Verdict } from './verdict.js';

export class TypedDataNotAllowed extends refusal('forbidden', 'typed_data_not_allowed', {
  message: (primaryType: string) =>
    `The policy of the app does not let its wallets sign this typed data (${primaryType}).`,
  help: 'Typed data that moves value (permits, authorizations, orders, meta-transactions, changes of what controls an account, and what looks like them) is signed only where the app lists its type, contract and chain. signing_policy is set through the management API.',
}) {}

export class MessageNotAllowed extends refusal('forbidden', 'message_not_allowed', {
  message: (what: string) => `The policy of the app does not let its wallets sign ${what}.`,
  help: 'With the policy text, wallets sign printable messages that are neither 32 bytes long nor a hash in hexadecimal, because a smart account takes the signature of those for one of a transaction. With the policy none they sign no message. signing_policy is set through the management API.',
}) {}

export class WalletExportNotAllowed extends refusal('forbidden', 'wallet_export_not_allowed', {
  message: 'The policy of the app does not let private keys be exported.',
  help: "The app's policy keeps the private keys of its wallets here. signing_policy is set through the management API.",
}) {}

export class DestinationNotAllowed extends refusal('forbidden', 'destination_not_allowed', {
  message: 'The policy of the app does not allow this destination.',
  help: "The app's policy names the addresses that may be paid, and this is none of them. It is set through the management API.",
}) {}

export class TransferLimitExceeded extends refusal('forbidden', 'transfer_limit_exceeded', {
  message: (max: string, symbol: string) => `The policy of the app allows at most ${max} ${symbol} in one transfer.`,
  help: "The app's policy bounds what one transfer may pay of this currency. It is set through the management API.",
}) {}

export class FeeLimitExceeded extends refusal('forbidden', 'fee_limit_exceeded', {
  message: (max: string, symbol: string) =>
    `The policy of the app allows at most ${max} ${symbol} in fees of one transaction.`,
  help: "The app's policy bounds what one transaction may take in fees (max_fees of transfer_policy). Where it does not, a transaction signed for a caller may take no more fees than max_amounts allows to pay of the coin, and, where a rule of a policy bounds an amount, no more than the operator's max_transaction_fee of the network. The policy is set through the management API.",
}) {}

export class TransactionNotAllowed extends refusal('forbidden', 'transaction_not_allowed', {
  message: 'The policy of the app bounds payments, and this transaction is not a plain payment of one of its assets.',
  help: "Where the app's policy bounds what its wallets pay, a transaction is signed only when it is one plain payment on the service's own chain: of the coin without data, or a call of transfer of a token on the app's list without value. The policy is set through the management API.",
}) {}

export class PolicyDenied extends DomainError {
  static override readonly code = 'policy_denied';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'A policy of the app, of the wallet, of its user or of the key denies this. reason says why: no_rule (no rule allows it), denied_by_rule, window_amount and window_count (the budget of rule_id is used up for now), missing_fact (the bytes do not show what a rule must know), unlimited (the amount has no bound), unknown_network (the rule rule_id names a network that the operator does not configure; replace the policy). Policies are set through the management API.';

  constructor(readonly verdict: Extract<Verdict, { outcome: 'deny' }>) {
    super(`A policy does not allow this: ${verdict.reason}.`);
  }

  override get details(): Readonly<Record<string, unknown>> {
    const { by, reason } = this.verdict;
    return { policy_id: by?.policy.id ?? null, rule_id: by?.rule.id ?? null, reason };
  }
}

export class TooManyMoves extends refusal('invalid', 'too_many_moves', {
  message: `The typed data moves more than ${BOUNDS.moves} assets. Split it.`,
  help: `Where policies judge a signature, it moves at most ${BOUNDS.moves} assets, or lets another account move as many. Split it into several. No rule was asked.`,
}) {}

export class ApprovalRequired extends DomainError {
  static override readonly code = 'approval_required';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A policy, or for changes of policies the setting policy_change of the app, lets this pass only with the approval of users of an approver group. approval_id names the approval that was requested. Repeat the call unchanged, with approval_id in its body, once the approval is approved. Each approval is used once.';

  /** Null where the use of the key cannot wait: then nothing is requested. */
  constructor(readonly approvalId: ApprovalId | null) {
    super(
      approvalId === null
        ? 'Approvals are required for this, and it cannot wait for them.'
        : 'Approvals are required for this. Repeat the call with approval_id once they are given.',
    );
  }

  override get details(): Readonly<Record<string, unknown>> {
    return { approval_id: this.approvalId };
  }
}

export class AppFrozen extends refusal('forbidden', 'app_frozen', {
  message: 'The app is frozen: its wallets sign nothing.',
  help: 'An operator has frozen the app. Nothing is signed with the keys of its wallets until it is thawed, through the management API. Nothing that was signed before is sent again until then, but its chain may still carry it out.',
}) {}

export class WalletFrozen extends refusal('forbidden', 'wallet_frozen', {
  message: 'The wallet, or its user, is frozen: it signs nothing.',
  help: 'An operator has frozen the wallet or its user. Nothing is signed with its key until it is thawed, through the management API. Nothing that was signed before is sent again until then, but its chain may still carry it out.',
}) {}

export class BatchTooLarge extends refusal('conflict', 'batch_too_large', {
  message: `The items of the batch count in more than ${BOUNDS.windowsOfBatch} windows of policies. Create smaller batches.`,
  help: `Each item counts in the windows of all rules that fit it: together at most ${BOUNDS.windowsOfBatch}. Create smaller batches.`,
}) {}

export const POLICY_REFUSALS = [
  DestinationNotAllowed,
  TransferLimitExceeded,
  FeeLimitExceeded,
  TransactionNotAllowed,
  PolicyDenied,
  ApprovalRequired,
] as const;

export class PolicyNotFound extends refusal('not_found', 'policy_not_found', {
  message: 'There is no policy with this id.',
  help: 'This app has no version of a policy with this id. List the policies of the app.',
}) {}

export class TooManyPolicies extends refusal('conflict', 'too_many_policies', {
  message: (message: string) => message,
  help: `An app has at most ${BOUNDS.active} active policies: retire one first. It keeps at most ${BOUNDS.versions} versions: a new one replaces the oldest draft, or the oldest version that was last in force ${KEPT} ago. Activate an earlier version again instead of storing it anew.`,
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
    'An active policy or policy_change needs the approval of this group. Change the policy or the setting first.',
  help: 'A rule of an active policy, or the setting policy_change of the app, needs the approval of the group. Retire the policy, activate a version of it that does not name the group, or name another group in the setting, then delete the group.',
}) {}

export class ApproverGroupTooSmall extends refusal('conflict', 'approver_group_too_small', {
  message: ({ group, count, members }: { group: ApproverGroupId; count: number; members: number }) =>
    `A rule or policy_change needs ${count} approvals of the approver group ${group}, which has ${members} members. Add members, or lower the count.`,
  help: 'A rule of an active policy, or the setting policy_change, cannot need more approvals than its approver group has members; a group that was deleted has none. Add members to the group, or store a version that needs fewer approvals.',
}) {}
