import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { Database } from '../../../../postgres/database.js';
import { SeparateConnections } from '../../../../postgres/separate-connections.js';
import { named } from '../../../../postgres/statement.js';
import { type Decision, type DecisionFilter, DecisionRepository, type NewDecision } from '../domain/decision.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { storedFacts } from '../../rules/domain/stored-facts.js';

const SAME_DENIALS = `
  policy_decisions d
      where d.app_id = $appId and d.operation_id = $operationId and d.outcome = 'deny' and d.policy_id is not distinct from $policyId
        and d.rule_id is not distinct from $ruleId and d.reason = $reason`;

const ADD = named<
  Omit<NewDecision, 'facts'> & { readonly appId: AppId; readonly facts: string; readonly isTracked: boolean }
>(`
  insert into policy_decisions (app_id, id, at, outcome, policy_id, version, rule_id, reason, operation, wallet_id, operation_id, actor, facts)
  select $appId, $id, now(), $outcome, $policyId, $version::integer, $ruleId, $reason, $operation, $walletId, $operationId, $actor, $facts::jsonb
   where not ($isTracked and exists (select from ${SAME_DENIALS}))`);

const FIND_DENIAL = named<
  Pick<NewDecision, 'operationId' | 'policyId' | 'ruleId' | 'reason'> & { readonly appId: AppId }
>(`select 1 as denied from ${SAME_DENIALS} limit 1`);

/** The first denial beyond the bound is the decision that stands for all further ones of the minute. */
const COUNT_DENIAL = `
  insert into policy_denials as d (app_id, actor, rule, minute, calls) values ($1, $2, $3, date_trunc('minute', now()), 1)
  on conflict (app_id, actor, rule, minute)
    do update set calls = d.calls + 1, decision_id = case when d.calls = ${BOUNDS.denialsPerMinute} then $4 else d.decision_id end
  returning calls`;

const LIST = `
  select d.id, d.at, d.outcome, d.policy_id as "policyId", d.version, d.rule_id as "ruleId", d.reason, d.operation,
         d.wallet_id as "walletId", d.operation_id as "operationId", d.actor, d.facts,
         coalesce(n.calls - ${BOUNDS.denialsPerMinute}, 1) as calls
    from policy_decisions d
    left join policy_denials n on n.app_id = d.app_id and n.decision_id = d.id
   where d.app_id = $1 and ($2::text is null or d.id < $2) and ($3::text is null or d.outcome = $3)
     and ($4::text is null or d.wallet_id = $4)
   order by d.id desc limit $5`;

@Injectable()
export class PostgresDecisionRepository extends DecisionRepository {
  constructor(
    private readonly database: Database,
    private readonly separate: SeparateConnections,
  ) {
    super();
  }

  add(appId: AppId, decision: NewDecision): void {
    void this.database.write(...ADD(rowOf(appId, decision, false)));
  }

  async addDenial(appId: AppId, decision: NewDecision, isTracked: boolean): Promise<void> {
    const { id, policyId, ruleId, reason, operationId, actor } = decision;
    const same = FIND_DENIAL({ appId, operationId, policyId, ruleId, reason });
    if (isTracked && (await this.separate.query(...same)).length > 0) return;
    const rule = `${policyId ?? ''}/${ruleId ?? ''}`;
    const [counted] = await this.separate.query<{ calls: number }>(COUNT_DENIAL, [appId, actor, rule, id]);
    if (counted!.calls > BOUNDS.denialsPerMinute + 1) return;
    await this.separate.query(...ADD(rowOf(appId, decision, isTracked)));
  }

  async list(
    appId: AppId,
    { limit, startingAfter }: PageRequest,
    { outcome, walletId }: DecisionFilter,
  ): Promise<Page<Decision>> {
    const values = [appId, startingAfter ?? null, outcome ?? null, walletId ?? null, limit + 1];
    return pageFrom(await this.database.list<Decision>(LIST, values), limit);
  }
}

function rowOf(appId: AppId, { facts, ...decision }: NewDecision, isTracked: boolean) {
  return { ...decision, appId, facts: storedFacts(facts), isTracked };
}
