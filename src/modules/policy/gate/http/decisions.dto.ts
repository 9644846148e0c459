import { ApiSchema } from '@nestjs/swagger';
import { IdOf, OneOf } from '../../../../edge/http/fields.js';
import { ManagementListQuery } from '../../../../edge/http/list.dto.js';
import { EnumValues, Example } from '../../../../edge/openapi/plugin-schemas.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { exampleId, EXAMPLES } from '../../../../kernel/examples.js';
import type { PolicyDecisionId, WalletId } from '../../../../kernel/ids.js';
import type { Page } from '../../../../kernel/paging.js';
import type { Decision } from '../domain/decision.js';
import { type Facts, movesIn } from '../../rules/domain/facts.js';
import { EFFECTS, type Effect, OPERATIONS } from '../../rules/domain/policy.js';
import { DENIAL_REASONS } from '../../rules/domain/verdict.js';

export class ListDecisionsQuery extends ManagementListQuery {
  /** Lists only decisions with this outcome. */
  @OneOf(EFFECTS, { optional: true })
  readonly outcome?: Effect;

  /** Lists only decisions about this wallet. */
  @IdOf('wallet', { optional: true })
  readonly wallet_id?: WalletId;

  /** The id of the last decision of the previous page. */
  @IdOf('policyDecision', { optional: true })
  readonly starting_after?: PolicyDecisionId;
}

@ApiSchema({ description: 'Value that the request moves, or lets another account move.' })
export class FactsMove {
  /** The network of the asset; `missing` if the bytes do not show it. */
  @Example('ethereum')
  network!: string;
  /** The contract or mint; empty for the coin of the network. */
  @Example('')
  token!: string;
  /** The account that receives or may take it; `missing` if the bytes do not show it. */
  @Example(EXAMPLES.otherAddress)
  destination!: string;
  /** The amount in smallest units; `unlimited`, or `missing` if the bytes do not show it. */
  @Example('1000000000000000')
  amount!: string;
}

@ApiSchema({ description: 'The facts that the policies judged, read from the bytes to be signed.' })
export class FactsResponse {
  /** The network; `missing` if the bytes do not show it, `not_applicable` if the operation has none. */
  @Example('ethereum')
  network!: string;
  /** The moves; empty if the request moves nothing. Of many, the first ones. */
  moves!: FactsMove[];
  /** The number of further moves, which are not kept. */
  more_moves!: number;
  /** Whether it is a signature by which another account takes value or acts for the signer. */
  is_delegation!: boolean;

  static of({ network, moves, moreMoves = 0, isDelegation }: Facts): FactsResponse {
    return {
      network,
      moves: movesIn(moves).map(({ asset, destination, amount }) => ({
        network: asset === 'missing' ? asset : asset.network,
        token: asset === 'missing' ? '' : (asset.token ?? ''),
        destination,
        amount: amount.toString(),
      })),
      more_moves: moreMoves,
      is_delegation: isDelegation,
    };
  }
}

@ApiSchema({ description: 'The outcome of one request, as it was decided.' })
export class DecisionResponse {
  @Example(exampleId('policyDecision'))
  id!: string;
  /** The time of the decision in epoch seconds. */
  at!: number;
  /** The outcome. */
  @EnumValues(EFFECTS)
  outcome!: string;
  /** The version whose rule decided; null if none did. */
  @Example(exampleId('policy'))
  policy_id!: string | null;
  /** The number of that version. */
  @Example(1)
  version!: number | null;
  /** The rule that decided; null if none did. */
  @Example('small-payments')
  rule_id!: string | null;
  /** The reason of a denial; empty otherwise. */
  @EnumValues(['', ...DENIAL_REASONS])
  reason!: string;
  /** The use of the key. */
  @EnumValues(OPERATIONS)
  operation!: string;
  wallet_id!: string;
  /** The id of the key that asked. */
  @Example(exampleId('key'))
  actor!: string;
  /** The facts that the policies judged. */
  facts!: FactsResponse;
  /** The requests that it stands for: beyond 100 denials of one key by one rule in a minute, the further ones are one decision. */
  @Example(1)
  calls!: number;

  static of({ id, at, outcome, policyId, version, ruleId, reason, ...decision }: Decision): DecisionResponse {
    return Object.assign(new DecisionResponse(), {
      id,
      at: epochSeconds(at),
      outcome,
      policy_id: policyId,
      version,
      rule_id: ruleId,
      reason: reason ?? '',
      operation: decision.operation,
      wallet_id: decision.walletId,
      actor: decision.actor,
      facts: FactsResponse.of(decision.facts),
      calls: decision.calls,
    });
  }
}

@ApiSchema({ description: 'A page of decisions.' })
export class DecisionListResponse {
  /** The decisions, the newest first. */
  decisions!: DecisionResponse[];
  has_more!: boolean;

  static of({ items, hasMore }: Page<Decision>): DecisionListResponse {
    return { decisions: items.map((each) => DecisionResponse.of(each)), has_more: hasMore };
  }
}
