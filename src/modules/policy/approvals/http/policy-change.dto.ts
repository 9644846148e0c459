import { IdOf, WholeNumber } from '../../../../edge/http/fields.js';
import { Example } from '../../../../edge/openapi/plugin-schemas.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { ApproverGroupId } from '../../../../kernel/ids.js';
import { RequestedOfApp, ShownOfApp } from '../../../apps/index.js';
import { APPROVAL_REFUSALS } from '../domain/approval.errors.js';
import { POLICY_CHANGE, type PolicyChangeTerms } from '../domain/policy-change.js';
import { BOUNDS } from '../../rules/domain/policy.js';

/**
 * The users who must approve changes that may let wallets sign more: the activation of such a version of a policy, a retirement, other
 * members of an approver group that is in use, a thaw, and a change of this setting. Its first setting needs no approval; to change or clear
 * (`null`) it later does.
 */
@RequestedOfApp(POLICY_CHANGE, ...APPROVAL_REFUSALS)
export class PolicyChangeRequest {
  /** The approver group whose members vote. */
  @IdOf('approverGroup')
  readonly group!: ApproverGroupId;

  /** The number of members who must approve. At least this number of members have a passkey. */
  @WholeNumber({ min: 1, max: BOUNDS.members, unit: 'members' })
  readonly count!: number;

  static change(this: void, _: PolicyChangeTerms | null, { group, count }: PolicyChangeRequest): PolicyChangeTerms {
    return { group, count };
  }
}

/** The users who must approve changes of policies; `null` if one operator may make them alone. */
@ShownOfApp(POLICY_CHANGE)
export class PolicyChangeResponse {
  /** The approver group whose members vote. */
  @Example(exampleId('approverGroup'))
  readonly group!: string;
  /** The number of members who must approve. */
  readonly count!: number;

  static of(this: void, terms: PolicyChangeTerms | null): PolicyChangeResponse | null {
    return terms;
  }
}
