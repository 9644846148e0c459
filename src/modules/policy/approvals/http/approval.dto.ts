import { ApiSchema } from '@nestjs/swagger';
import { IdOf, OneOf } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { ApprovalId, UserId } from '../../../../kernel/ids.js';
import type { Page } from '../../../../kernel/paging.js';
import { PublicKeyCredential } from '../../../passkey/index.js';
import {
  type Approval,
  APPROVAL_STATES,
  END_REASONS,
  type ApprovalState,
  type Vote,
  type VoteDecision,
  VOTES,
} from '../domain/approval.js';
import type { Payload } from '../../rules/domain/payload.js';

export class ListApprovalsQuery extends ManagementListQuery {
  /** Lists only approvals in this state. */
  @OneOf(APPROVAL_STATES, { optional: true })
  readonly state?: ApprovalState;

  /** The id of the last approval of the previous page. */
  @IdOf('approval', { optional: true })
  readonly starting_after?: ApprovalId;
}

export class BeginVoteRequest {
  /** The approver. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The vote that the passkey will sign. */
  @OneOf(VOTES, { example: 'approve' })
  readonly decision!: VoteDecision;
}

export class VoteRequest {
  /** The approver. */
  @IdOf('user')
  readonly user_id!: UserId;

  /** The credential that the browser returned for the options, unchanged: an object or JSON text. */
  @PublicKeyCredential()
  readonly public_key_credential!: object | string;
}

/** The vote of one approver. */
export class ApprovalVote {
  user_id!: string;
  /** The decision of the approver. */
  @EnumValues(VOTES)
  decision!: string;
  /** The time of the vote in epoch seconds. */
  at!: number;

  static of(this: void, { userId, decision, at }: Vote): ApprovalVote {
    return { user_id: userId, decision, at: epochSeconds(at) };
  }
}

@ApiSchema({ description: 'A request that a rule of a policy, or the setting `policy_change`, puts to approvers.' })
export class ApprovalResponse {
  @Example(exampleId('approval'))
  id!: string;
  app_id!: string;
  /**
   * The state. `waiting`: it needs votes. `approved`: it may be used. `rejected`: an approver has rejected it. `expired`: it was not approved,
   * or not used, in time. `executed`: it was used. `void`: it has lost its subject, see `reason`.
   */
  @EnumValues(APPROVAL_STATES)
  state!: string;
  /**
   * Why it ended without a vote: `expired`, `policy_changed`, `key_revoked`, `user_inactive`, `user_claimed` or `transfer_ended`; otherwise empty.
   */
  @EnumValues(['', ...END_REASONS.filter((each) => each !== 'rejected_by_approver')])
  @Example('')
  reason!: string;
  /**
   * The use of the wallet's key that is asked for, with everything that will be signed. Its fields depend on `operation`. With the operation
   * `policy_change` it is a change of policies: `summary` states it in words, `before` and `after` in full.
   */
  @Example({ operation: 'sign_message', message: 'Hello' })
  payload!: Payload;
  /** The SHA-256 of the payload's canonical JSON (RFC 8785), in hexadecimal. The votes are bound to it. */
  @Example('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08')
  payload_hash!: string;
  /** The version of the policy whose rule asks; `null` for a change of policies. */
  @Example(exampleId('policy'))
  policy_id!: string | null;
  /** The number of that version; `null` for a change of policies. */
  @Example(1)
  version!: number | null;
  /** The rule that asks; `null` for a change of policies. */
  @Example('large-payments')
  rule_id!: string | null;
  /** The group whose members vote. */
  @Example(exampleId('approverGroup'))
  group!: string;
  /** The id of the app's key with which the call came; for a change of policies, of the management key, or `oidc:` and the operator. */
  @Example(exampleId('key'))
  requested_by!: string;
  /** The user whom the call named, who must not vote; empty if it named none, `null` for a change of policies. */
  @Example('')
  user_id!: string | null;
  /** The wallet; `null` for a change of policies. */
  @Example(exampleId('wallet'))
  wallet_id!: string | null;
  /** The transfer that waits for it; empty for a call that is repeated. */
  @Example('')
  transfer_id!: string;
  /** The votes, the oldest first. */
  votes!: ApprovalVote[];
  /** The number of members who must approve. */
  @Example(2)
  needed!: number;
  created_at!: number;
  /** The time until which it must be approved, in epoch seconds; except for a transfer, also the time until which it must be used. */
  expires_at!: number;
  /** When it was used or ended otherwise, in epoch seconds; 0 before, and until its transfer ends with it. */
  ended_at!: number;

  static of(this: void, approval: Approval): ApprovalResponse {
    return {
      id: approval.id,
      app_id: approval.appId,
      state: approval.state,
      reason: approval.reason ?? '',
      payload: approval.payload,
      payload_hash: approval.payloadHash,
      policy_id: approval.policyId,
      version: approval.version,
      rule_id: approval.ruleId,
      group: approval.groupId,
      requested_by: approval.keyId,
      user_id: approval.namesUser || approval.userId === null ? approval.userId : '',
      wallet_id: approval.walletId,
      transfer_id: approval.operation === 'transfer' ? approval.operationId : '',
      votes: approval.votes.map(ApprovalVote.of),
      needed: approval.needed,
      created_at: epochSeconds(approval.createdAt),
      expires_at: epochSeconds(approval.expiresAt),
      ended_at: epochSeconds(approval.endedAt),
    };
  }
}

@ApiSchema({ description: 'A page of the approvals.' })
export class ApprovalListResponse {
  /** The approvals, the newest first. */
  approvals!: ApprovalResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<Approval>): ApprovalListResponse {
    return { approvals: items.map(ApprovalResponse.of), has_more: hasMore };
  }
}
