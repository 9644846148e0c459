import { ApiSchema } from '@nestjs/swagger';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { IdOf, MAX_LENGTH, Text } from '../../../../edge/http/fields.js';
import { ListQuery } from '../../../../edge/http/list.dto.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { ApproverGroupId, UserId } from '../../../../kernel/ids.js';
import type { Page } from '../../../../kernel/paging.js';
import type { ApprovedPasskey, ApproverGroup, ApproverGroupDetails } from '../domain/approver-group.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { ApprovableChange } from './exported-change.dto.js';

/** A user of the app who has a passkey. */
export class ApproverGroupMember {
  @IdOf('user')
  readonly user_id!: UserId;
}

const NAME = { min: 1, max: MAX_LENGTH.name, example: 'Treasury' } as const;
const MEMBERS = { min: 1, max: BOUNDS.members } as const;

export class CreateApproverGroupRequest {
  /** The name, which is for people. */
  @Text(NAME)
  readonly name!: string;

  /** The users who may approve. */
  @ListOf(Nested(() => ApproverGroupMember), MEMBERS)
  readonly members!: ApproverGroupMember[];

  static detailsOf({ name, members }: CreateApproverGroupRequest): ApproverGroupDetails {
    return { name, members: members.map((member) => member.user_id) };
  }
}

/** The changes of an approver group. Absent fields stay unchanged. */
export class UpdateApproverGroupRequest extends ApprovableChange {
  /** The name, which is for people. */
  @Text({ ...NAME, optional: true })
  readonly name?: string;

  /** The users who may approve. The request replaces the list. */
  @ListOf(Nested(() => ApproverGroupMember), { ...MEMBERS, optional: true })
  readonly members?: ApproverGroupMember[];

  static changesOf({ name, members }: UpdateApproverGroupRequest): Partial<ApproverGroupDetails> {
    return {
      ...(name !== undefined && { name }),
      ...(members && { members: members.map((member) => member.user_id) }),
    };
  }
}

export class ListApproverGroupsQuery extends ListQuery {
  /** The id of the last group of the previous page. */
  @IdOf('approverGroup', { optional: true })
  readonly starting_after?: ApproverGroupId;
}

@ApiSchema({ description: 'An approver group.' })
export class ApproverGroupResponse {
  @Example(exampleId('approverGroup'))
  id!: string;
  /** The name, which is for people. */
  @Example('Treasury')
  name!: string;
  /** The users who may approve. A deleted user is no longer a member. */
  members!: ApproverGroupMember[];
  created_at!: number;
  updated_at!: number;

  static of({ id, name, members, createdAt, updatedAt }: ApproverGroup): ApproverGroupResponse {
    return {
      id,
      name,
      members: members.map((userId) => ({ user_id: userId })),
      created_at: epochSeconds(createdAt),
      updated_at: epochSeconds(updatedAt),
    };
  }
}

@ApiSchema({ description: 'A page of the approver groups.' })
export class ApproverGroupListResponse {
  /** The groups, the newest first. */
  approver_groups!: ApproverGroupResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<ApproverGroup>): ApproverGroupListResponse {
    return { approver_groups: items.map((group) => ApproverGroupResponse.of(group)), has_more: hasMore };
  }
}

@ApiSchema({ description: 'The approver group was deleted.' })
export class ApproverGroupDeletedResponse {
  @Example(exampleId('approverGroup'))
  id!: string;
  @Example('The approver group was deleted.')
  message!: string;
}

export class BeginPasskeyApprovalRequest {
  /** The member who approves, not the holder of the passkey. */
  @IdOf('user')
  readonly user_id!: UserId;
}

@ApiSchema({ description: 'A passkey that votes in an approver group, because another member has approved it.' })
export class ApprovedPasskeyResponse {
  @Example(exampleId('approverGroup'))
  readonly approver_group_id!: string;
  @Example(exampleId('passkey'))
  readonly webauthn_credential_id!: string;
  /** The holder of the passkey. */
  readonly user_id!: string;
  /** The member who has approved it. */
  @Example(exampleId('user'))
  readonly approved_by!: string;
  /** The time of the first approval, in epoch seconds. */
  @Example(1_767_225_600)
  readonly approved_at!: number;

  static of({ groupId, passkeyId, holder, approvedBy, at }: ApprovedPasskey & { at: Date }): ApprovedPasskeyResponse {
    return {
      approver_group_id: groupId,
      webauthn_credential_id: passkeyId,
      user_id: holder,
      approved_by: approvedBy,
      approved_at: epochSeconds(at),
    };
  }
}
