import { Injectable } from '@nestjs/common';
import type { AppId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { SeparateConnections } from '../../../postgres/separate-connections.js';
import { named } from '../../../postgres/statement.js';
import { type Decision, type DecisionFilter, DecisionRepository, type NewDecision } from '../domain/decision.js';
import { inJson } from '../domain/stored-rules.js';

const ADD = named<
  Omit<NewDecision, 'facts'> & { readonly appId: AppId; readonly facts: string; readonly isTracked: boolean }
>(`
  insert into policy_decisions (app_id, id, at, outcome, policy_id, version, rule_id, reason, operation, wallet_id, operation_id, actor, facts)
  select $appId, $id, now(), $outcome, $policyId, $version::integer, $ruleId, $reason, $operation, $walletId, $operationId, $actor, $facts::jsonb
   where not ($isTracked and exists (
     select from policy_decisions d
      where d.app_id = $appId and d.operation_id = $operationId and d.outcome = 'deny' and d.policy_id is not distinct from $policyId
        and d.rule_id is not distinct from $ruleId and d.reason = $reason))`);

const LIST = `
  select id, at, outcome, policy_id as "policyId", version, rule_id as "ruleId", reason, operation, wallet_id as "walletId",
         operation_id as "operationId", actor, facts
    from policy_decisions
   where app_id = $1 and ($2::text is null or id < $2) and ($3::text is null or outcome = $3) and ($4::text is null or wallet_id = $4)
   order by id desc limit $5`;

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
  return { ...decision, appId, facts: inJson(facts), isTracked };
}
