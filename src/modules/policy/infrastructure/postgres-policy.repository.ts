import { Injectable } from '@nestjs/common';
import type { AppId, PolicyId, UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import type { Policy, Scope, ScopeKind, SigningState } from '../domain/policy.js';
import { KEPT } from '../domain/decision.js';
import { FreezeRepository } from '../domain/freeze.js';
import { PolicyNotFound } from '../domain/policy.errors.js';
import { Networks } from '../domain/networks.js';
import { type NewPolicy, type PolicyFilter, PolicyRepository } from '../domain/policy.repository.js';
import { inJson, rulesOf, type StoredRule } from '../domain/stored-rules.js';

interface PolicyRow extends Omit<Policy, 'scope' | 'rules'> {
  readonly scopeKind: ScopeKind;
  readonly scopeId: string;
  readonly rules: readonly StoredRule[];
}

/** Columns of policies `p`. */
const POLICY = columnsOf<PolicyRow>([
  'appId',
  'id',
  'name',
  'version',
  'state',
  'scopeKind',
  'scopeId',
  'rules',
  'networkIds',
  'createdAt',
  'activatedAt',
  'retiredAt',
]).of('p');

/** The CAIP-2 names of the networks that these rules name. */
const idsIn = (rules: string, ids: string): string => `(
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(${ids}::jsonb)
   where to_jsonb(key) in (select jsonb_path_query(${rules}, '$[*].match.networks[*]'))
      or to_jsonb(key) in (select jsonb_path_query(${rules}, '$[*].match.assets[*].network')))`;

const ADD = named<Pick<PolicyRow, 'appId' | 'id' | 'name' | 'scopeKind' | 'scopeId'> & { rules: string; ids: string }>(`
  insert into policies as p (app_id, id, name, version, state, scope_kind, scope_id, rules, network_ids, created_at)
  select $appId, $id, $name, coalesce(max(o.version), 0) + 1, 'draft', $scopeKind, $scopeId, $rules::jsonb, ${idsIn('$rules::jsonb', '$ids')}, now()
    from policies o where o.app_id = $appId and o.name = $name
  returning ${POLICY}`);

const FIND = `select ${POLICY} from policies p where p.app_id = $1 and p.id = $2`;

const LIST = named<{
  appId: AppId;
  startingAfter: string | null;
  state: string | null;
  name: string | null;
  scopeKind: string | null;
  scopeId: string | null;
  limit: number;
}>(`
  select ${POLICY} from policies p
   where p.app_id = $appId and ($startingAfter::text is null or p.id < $startingAfter)
     and ($state::text is null or p.state = $state) and ($name::text is null or p.name = $name)
     and ($scopeKind::text is null or p.scope_kind = $scopeKind) and ($scopeId::text is null or p.scope_id = $scopeId)
   order by p.id desc limit $limit`);

const ACTIVE = `select ${POLICY} from policies p where p.app_id = $1 and p.state = 'active' order by p.name`;

const HAS_HAD_ONE = 'select exists (select from policies where app_id = $1 and activated_at is not null) as had';

// One statement, so that the policies are those of the revision.
const SIGNING_STATE = `
  select s.revision, s.is_frozen as "isFrozen", ${POLICY}
    from signing_states s left join policies p on p.app_id = s.app_id and p.state = 'active'
   where s.app_id = $1
   order by p.name`;

const ACTIVATE = `
  update policies p set state = 'active', activated_at = now(), retired_at = null
   where p.app_id = $1 and p.id = $2 returning ${POLICY}`;

const RETIRE = `
  update policies p set state = 'retired', retired_at = now()
   where p.app_id = $1 and p.id = $2 returning ${POLICY}`;

// The decisions by a version are kept for a time after its last day in force. A draft has none.
const REMOVE_OLDEST = `
  delete from policies where app_id = $1 and id = (
    select p.id from policies p
     where p.app_id = $1 and p.state <> 'active' and (p.activated_at is null or p.retired_at < now() - interval '${KEPT}')
       and not exists (select from approvals a where a.app_id = $1 and a.policy_id = p.id)
       and not exists (
         select from approvals a
          where a.app_id = $1 and a.state in ('waiting', 'approved') and a.operation = 'policy_change'
            and a.payload -> 'after' ->> 'policy_id' = p.id)
     order by p.id limit 1)
  returning id`;

const IS_UNBOUND = `not p.network_ids ?& array(select jsonb_object_keys(${idsIn('p.rules', '$ids')}))`;
const APPS_TO_BIND = named<{ ids: string }>(`
  select distinct p.app_id as "appId" from known_apps a join policies p on p.app_id = a.app_id where ${IS_UNBOUND}`);
// A bound name stays, so the first configuration that has it decides. Of two replicas one waits for the other's rows.
const BIND = named<{ appId: AppId; ids: string }>(`
  update policies p set network_ids = ${idsIn('p.rules', '$ids')} || p.network_ids
   where p.app_id = $appId and ${IS_UNBOUND}`);

const HAS_SCOPE = `
  select case $2::text
    when 'wallet' then exists (select from live_wallets where app_id = $1 and wallet_id = $3)
    when 'user' then exists (select from live_users where app_id = $1 and user_id = $3)
    when 'key' then exists (select from live_keys where app_id = $1 and key_id = $3)
    else $3 = $1
  end as has`;

type StateRow = Pick<SigningState, 'revision' | 'isFrozen'> & (PolicyRow | { readonly id: null });

const OWNS_WALLET = 'select wallet_id from live_wallets where app_id = $1 and wallet_id = $2 and user_id = $3';

@Injectable()
export class PostgresPolicyRepository extends PolicyRepository {
  constructor(
    private readonly database: Database,
    private readonly freezes: FreezeRepository,
    private readonly networks: Networks,
  ) {
    super();
  }

  async add({ appId, id, name, scope, rules }: NewPolicy): Promise<Policy> {
    const policy = { appId, id, name, scopeKind: scope.kind, scopeId: scope.id, rules: inJson(rules), ids: this.ids };
    return one(await this.database.write<PolicyRow>(...ADD(policy)));
  }

  async bindNetworks(): Promise<void> {
    const { ids } = this;
    for (const { appId } of await this.database.list<{ appId: AppId }>(...APPS_TO_BIND({ ids })))
      await this.database.write(...BIND({ appId, ids }));
  }

  private get ids(): string {
    return JSON.stringify(this.networks.ids);
  }

  async count(appId: AppId): Promise<number> {
    const sql = 'select count(*)::int as count from policies where app_id = $1';
    return (await this.database.read<{ count: number }>(sql, [appId]))[0]!.count;
  }

  async removeOldest(appId: AppId): Promise<boolean> {
    return (await this.database.write(REMOVE_OLDEST, [appId])).length > 0;
  }

  async get(appId: AppId, id: PolicyId): Promise<Policy> {
    return one(await this.database.read<PolicyRow>(FIND, [appId, id]));
  }

  async list(appId: AppId, { limit, startingAfter }: PageRequest, filter: PolicyFilter): Promise<Page<Policy>> {
    const { state = null, name = null, scopeKind = null, scopeId = null } = filter;
    const asked = { appId, startingAfter: startingAfter ?? null, state, name, scopeKind, scopeId, limit: limit + 1 };
    const rows = await this.database.list<PolicyRow>(...LIST(asked));
    return pageFrom(rows.map(policyOf), limit);
  }

  async activeOf(appId: AppId): Promise<readonly Policy[]> {
    return (await this.database.read<PolicyRow>(ACTIVE, [appId])).map(policyOf);
  }

  async hasHadOne(appId: AppId): Promise<boolean> {
    return (await this.database.read<{ had: boolean }>(HAS_HAD_ONE, [appId]))[0]!.had;
  }

  async signingState(appId: AppId): Promise<SigningState> {
    const rows = await this.database.list<StateRow>(SIGNING_STATE, [appId]);
    const { revision = '', isFrozen = false } = rows[0] ?? {};
    // Read after the revision: a freeze that is missing here has begun a later one, which the signing transaction would find.
    const frozenIds = new Set(await this.freezes.idsOf(appId));
    return { revision, isFrozen, frozenIds, policies: rows.filter((row) => row.id !== null).map(policyOf) };
  }

  async activate(appId: AppId, id: PolicyId): Promise<Policy> {
    return one(await this.database.write<PolicyRow>(ACTIVATE, [appId, id]));
  }

  async retire(appId: AppId, id: PolicyId): Promise<Policy> {
    return one(await this.database.write<PolicyRow>(RETIRE, [appId, id]));
  }

  async ownsWallet(appId: AppId, userId: UserId, walletId: string): Promise<boolean> {
    return (await this.database.read(OWNS_WALLET, [appId, walletId, userId])).length > 0;
  }

  async hasScope(appId: AppId, { kind, id }: Scope): Promise<boolean> {
    return (await this.database.read<{ has: boolean }>(HAS_SCOPE, [appId, kind, id]))[0]!.has;
  }
}

function one([row]: readonly PolicyRow[]): Policy {
  if (!row) throw new PolicyNotFound();
  return policyOf(row);
}

function policyOf({ scopeKind, scopeId, rules, ...row }: PolicyRow): Policy {
  return { ...row, scope: { kind: scopeKind, id: scopeId }, rules: rulesOf(rules) };
}
