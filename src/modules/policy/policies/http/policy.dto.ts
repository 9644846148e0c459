import { ApiSchema } from '@nestjs/swagger';
import { ListOf, Nested } from '../../../../edge/http/compound-fields.js';
import { IdOf, MAX_LENGTH, OneOf, Text } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { InvalidRequest } from '../../../../kernel/errors.js';
import { exampleId } from '../../../../kernel/examples.js';
import type { AppId, PolicyId } from '../../../../kernel/ids.js';
import type { Page } from '../../../../kernel/paging.js';
import {
  BOUNDS,
  type Policy,
  POLICY_STATES,
  type PolicyState,
  type Scope,
  SCOPE_IDS,
  SCOPE_KINDS,
  type ScopeKind,
} from '../../rules/domain/policy.js';
import { PolicyRule } from '../../rules/http/rule.dto.js';

/** The requests that a policy judges. */
export class PolicyScope {
  /**
   * All requests of the app, those of a wallet, of the wallets of a user, by a key of the app, or with access tokens of an OAuth client or of a
   * grant. The consent to a budget makes that of a grant; a request cannot.
   */
  @OneOf(SCOPE_KINDS, { example: 'wallet' })
  readonly kind!: ScopeKind;

  /** The id of the app, wallet, user, key, client or grant. A request may omit that of the app. */
  @IdOf(Object.values(SCOPE_IDS), { optional: true, example: exampleId('wallet') })
  readonly id?: string;
}

export class CreatePolicyRequest {
  /** The name, which ties the versions of a policy: the name of an existing policy makes its next version. */
  @Text({ min: 1, max: MAX_LENGTH.name, example: 'Payouts' })
  readonly name!: string;

  /** The requests that the policy judges. */
  @Nested(() => PolicyScope)
  readonly scope!: PolicyScope;

  /** The rules, in the order in which they are tried. A version has at most 64 KiB of them. The JSON of the body, without blanks, has at most 80 KiB. */
  @ListOf(Nested(() => PolicyRule), { min: 1, max: BOUNDS.rules })
  readonly rules!: PolicyRule[];

  /** Throws `InvalidRequest`. */
  static scopeIn({ scope: { kind, id } }: CreatePolicyRequest, appId: AppId): Scope {
    if (id !== undefined) return { kind, id };
    if (kind === 'app') return { kind, id: appId };
    throw new InvalidRequest([{ field: 'scope.id', rule: 'required', message: 'is required' }]);
  }
}

export class ListPoliciesQuery extends ManagementListQuery {
  /** Lists only versions in this state. */
  @OneOf(POLICY_STATES, { optional: true })
  readonly state?: PolicyState;

  /** Lists only versions with this name. */
  @Text({ min: 1, max: MAX_LENGTH.name, optional: true })
  readonly name?: string;

  /** Lists only versions whose scope is of this kind. */
  @OneOf(SCOPE_KINDS, { optional: true })
  readonly scope?: ScopeKind;

  /** Lists only versions whose scope has this id. */
  @IdOf(Object.values(SCOPE_IDS), { optional: true })
  readonly scope_id?: string;

  /** The id of the last version of the previous page. */
  @IdOf('policy', { optional: true })
  readonly starting_after?: PolicyId;
}

@ApiSchema({ description: 'One version of a policy.' })
export class PolicyResponse {
  @Example(exampleId('policy'))
  id!: string;
  app_id!: string;
  /** The name, which ties the versions of a policy. */
  @Example('Payouts')
  name!: string;
  /** The number of the version among those of the name. */
  version!: number;
  /** The state: `draft` before the first activation, `active` while it is in force, `retired` afterwards. */
  @EnumValues(POLICY_STATES)
  state!: string;
  /** The requests that the policy judges. */
  scope!: PolicyScope;
  /** The rules, in the order in which they are tried. */
  rules!: PolicyRule[];
  created_at!: number;
  /** The time of the last activation, in epoch seconds; 0 before the first. */
  activated_at!: number;
  /** The time when the version was retired, in epoch seconds; 0 unless it is retired. */
  retired_at!: number;

  static of(policy: Policy): PolicyResponse {
    return {
      id: policy.id,
      app_id: policy.appId,
      name: policy.name,
      version: policy.version,
      state: policy.state,
      scope: policy.scope,
      rules: policy.rules.map((rule) => PolicyRule.of(rule)),
      created_at: epochSeconds(policy.createdAt),
      activated_at: epochSeconds(policy.activatedAt),
      retired_at: epochSeconds(policy.retiredAt),
    };
  }
}

@ApiSchema({ description: 'One version of a policy, and the effect of its activation.' })
export class PolicyDetailsResponse extends PolicyResponse {
  /**
   * Whether its activation may allow a request that the active version of its name does not allow. It is `true` where the service cannot
   * prove the contrary.
   */
  allows_more!: boolean;

  static ofDetails(policy: Policy, allowsMore: boolean): PolicyDetailsResponse {
    return { ...PolicyResponse.of(policy), allows_more: allowsMore };
  }
}

@ApiSchema({ description: 'A page of the versions of policies.' })
export class PolicyListResponse {
  /** The versions, the newest first. */
  policies!: PolicyResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<Policy>): PolicyListResponse {
    return { policies: items.map((policy) => PolicyResponse.of(policy)), has_more: hasMore };
  }
}
