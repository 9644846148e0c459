import { Injectable } from '@nestjs/common';
import type { AppId, GrantId, PolicyId, UserId } from '../../../../kernel/ids.js';
import { assertUnaltered, MacTables, RowMacs } from '../../../../kernel/row-macs.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, named } from '../../../../postgres/statement.js';
import { READ_ONLY_END, SIGNING_MAC } from '../../../apps/index.js';
import { Config } from '../../../../services/config/config.js';
import { KEPT, type Policy, type Scope, type ScopeKind, type SigningState } from '../domain/policy.js';
import { PolicyNotFound } from '../domain/policy.errors.js';
import { Networks } from '../domain/networks.js';
import { type NewPolicy, type PolicyFilter, PolicyRepository } from '../domain/policy.repository.js';
import { inJson, rulesOf, type StoredRule } from '../domain/stored-rules.js';

interface PolicyRow extends Omit<Policy, 'scope' | 'rules'> {
  readonly scopeKind: ScopeKind;
  readonly scopeId: string;
  readonly rules: readonly StoredRule[];
  readonly mac: Buffer | null;
}

/** Which version is active is covered by the MAC of the app's signing, too: one that is not read has no MAC to compare. */
const POLICY_MAC = MacTables.declare({
  table: 'policies',
  since: 3,
  fields: ['name', 'version', 'state', 'scopeKind', 'scopeId', 'rules', 'networkIds'],
});

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
  'mac',
]).of('p');

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

const LOCK = `${FIND} for update`;

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

const ACTIVE = `select ${POLICY} from policies p where p.app_id = $1 and p.state = 'active' and p.scope_kind <> 'grant' order by p.name`;

// A budget ends with its grant, before a job retires its policy.
const OF_GRANT = `
  select ${POLICY} from policies p
   where p.app_id = $1 and p.scope_kind = 'grant' and p.scope_id = $2
     and (p.state <> 'active' or exists (select from live_token_owners o where o.app_id = $1 and o.id = p.scope_id))`;
const HOLD_ACTIVE = `select id from policies where app_id = $1 and id = any($2::text[]) and state = 'active' for share`;
const OF_APP = `scope_kind not in ('client', 'grant')`;
const HAS_ACTIVE = `select exists (select from policies where app_id = $1 and state = 'active' and ${OF_APP}) as has`;
const HAS_HAD_ONE = `select exists (select from policies where app_id = $1 and activated_at is not null and ${OF_APP}) as had`;

// One statement, so that the policies and freezes are those of the revision.
const SIGNING_STATE = `
  select s.revision, s.is_frozen as "isFrozen", m.signing_revision as "signingRevision", m.frozen_at as "frozenAt", m.signing_mac as "signingMac",
         array(select f.id from freezes f where f.app_id = $1) as "frozenIds", ${POLICY}
    from signing_states s join signing_macs m on m.app_id = s.app_id
    left join policies p on p.app_id = s.app_id and p.state = 'active' and p.scope_kind <> 'grant'
   where s.app_id = $1
   order by p.name`;

const ACTIVATE = `
  update policies p set state = 'active', activated_at = now(), retired_at = null, mac = $3
   where p.app_id = $1 and p.id = $2 returning ${POLICY}`;

const RETIRE = `
  update policies p set state = 'retired', retired_at = now(), mac = $3
   where p.app_id = $1 and p.id = $2 returning ${POLICY}`;

// The decisions by a version are kept for a time after its last day in force. A draft has none.
const REMOVE_OLDEST = `
  delete from policies where app_id = $1 and id = (
    select p.id from policies p
     where p.app_id = $1 and p.state <> 'active' and p.scope_kind <> 'grant' and (p.activated_at is null or p.retired_at < now() - interval '${KEPT}')
       and not exists (select from approvals a where a.app_id = $1 and a.policy_id = p.id)
       and not exists (
         select from approvals a
          where a.app_id = $1 and a.state in ('waiting', 'approved') and a.operation = 'policy_change'
            and a.payload -> 'after' ->> 'policy_id' = p.id)
     order by p.id limit 1)
  returning id`;

// Citus refuses subqueries here, because the statement is over all apps.
const IS_UNBOUND = `(${['networks[*]', 'assets[*].network']
  .map(
    (path) =>
      `jsonb_path_exists(p.rules, '$[*].match.${path} ? (@ == $"known".keyvalue().key && !(@ == $"bound".keyvalue().key))', jsonb_build_object('known', $ids::jsonb, 'bound', p.network_ids))`,
  )
  .join(' or ')})`;
const APPS_TO_BIND = named<{ ids: string }>(`
  select distinct p.app_id as "appId" from known_apps a join policies p on p.app_id = a.app_id where ${IS_UNBOUND}`);
const UNBOUND = named<{ appId: AppId; ids: string }>(`
  select ${POLICY}, ${idsIn('p.rules', '$ids')} || p.network_ids as bound from policies p where p.app_id = $appId and ${IS_UNBOUND}`);
// A bound name stays, so the first configuration that has it decides, and the first of two replicas.
const BIND = `
  update policies set network_ids = $3, mac = $4
   where app_id = $1 and id = $2 and network_ids = $5 and mac is not distinct from $6`;

const HAS_SCOPE = `
  select case $2::text
    when 'wallet' then exists (select from live_wallets where app_id = $1 and wallet_id = $3)
    when 'user' then exists (select from live_users where app_id = $1 and user_id = $3)
    when 'key' then exists (select from live_keys where app_id = $1 and key_id = $3)
    when 'client' then $3 like 'client\\_%' and exists (select from live_token_owners where app_id = $1 and id = $3)
    when 'grant' then false
    else $3 = $1
  end as has`;

interface AppState extends Pick<SigningState, 'revision' | 'isFrozen'> {
  readonly signingRevision: string;
  readonly frozenAt: Date | null;
  readonly frozenIds: readonly string[];
  readonly signingMac: Buffer | null;
}
type StateRow = AppState & (PolicyRow | { readonly id: null });

const OWNS_WALLET = 'select wallet_id from live_wallets where app_id = $1 and wallet_id = $2 and user_id = $3';

@Injectable()
export class PostgresPolicyRepository extends PolicyRepository {
  constructor(
    private readonly database: Database,
    private readonly networks: Networks,
    private readonly macs: RowMacs,
    private readonly config: Config,
  ) {
    super();
  }

  async add({ appId, id, name, scope, rules }: NewPolicy): Promise<Policy> {
    const policy = { appId, id, name, scopeKind: scope.kind, scopeId: scope.id, rules: inJson(rules), ids: this.ids };
    const rows = await this.database.write<PolicyRow>(...ADD(policy));
    void this.macs.sign(POLICY_MAC, rows[0]!);
    return one(rows);
  }

  async bindNetworks(): Promise<void> {
    const { ids } = this;
    for (const { appId } of await this.database.list<{ appId: AppId }>(...APPS_TO_BIND({ ids })))
      for (const row of await this.database.list<PolicyRow & { bound: Policy['networkIds'] }>(
        ...UNBOUND({ appId, ids }),
      )) {
        const { bound: networkIds, id, mac } = row;
        if (!this.macs.isUnaltered(POLICY_MAC, row)) continue;
        const bound = this.macs.of(POLICY_MAC, { ...row, networkIds });
        await this.database.write(BIND, [appId, id, networkIds, bound, row.networkIds, mac]);
      }
  }

  private get end(): string {
    return this.config.readOnly ? READ_ONLY_END : '';
  }

  private get ids(): string {
    return JSON.stringify(this.networks.ids);
  }

  async count(appId: AppId): Promise<number> {
    const sql = `select count(*)::int as count from policies where app_id = $1 and scope_kind <> 'grant'`;
    return (await this.database.read<{ count: number }>(sql, [appId]))[0]!.count;
  }

  async ofGrant(appId: AppId, id: GrantId): Promise<readonly Policy[]> {
    return this.checked(await this.database.read<PolicyRow>(OF_GRANT, [appId, id])).map(policyOf);
  }

  async holdActive(appId: AppId, ids: readonly PolicyId[]): Promise<boolean> {
    return (await this.database.write(HOLD_ACTIVE, [appId, ids])).length === ids.length;
  }

  async removeOldest(appId: AppId): Promise<boolean> {
    return (await this.database.write(REMOVE_OLDEST, [appId])).length > 0;
  }

  async get(appId: AppId, id: PolicyId): Promise<Policy> {
    const row = this.verified(await this.database.read<PolicyRow>(FIND, [appId, id]));
    assertUnaltered(row);
    return policyOf(row);
  }

  async getToRetire(appId: AppId, id: PolicyId): Promise<Policy> {
    return policyOf(this.verified(await this.database.read<PolicyRow>(FIND, [appId, id])));
  }

  async list(appId: AppId, page: PageRequest, filter: PolicyFilter): Promise<Page<Policy>> {
    const { state = null, name = null, scopeKind = null, scopeId = null } = filter;
    const { items, hasMore } = await this.macs.page(POLICY_MAC, page, async ({ limit, startingAfter = null }) => {
      const parameters = { appId, startingAfter, state, name, scopeKind, scopeId, limit: limit + 1 };
      return pageFrom(await this.database.list<PolicyRow>(...LIST(parameters)), limit);
    });
    return { items: items.map(policyOf), hasMore };
  }

  async activeOf(appId: AppId): Promise<readonly Policy[]> {
    return this.checked(await this.database.read<PolicyRow>(ACTIVE, [appId])).map(policyOf);
  }

  async hasActive(appId: AppId): Promise<boolean> {
    return (await this.database.read<{ has: boolean }>(HAS_ACTIVE, [appId]))[0]!.has;
  }

  async hasHadOne(appId: AppId): Promise<boolean> {
    return (await this.database.read<{ had: boolean }>(HAS_HAD_ONE, [appId]))[0]!.had;
  }

  async signingState(appId: AppId): Promise<SigningState> {
    const rows = await this.database.list<StateRow>(SIGNING_STATE, [appId]);
    const [app] = rows;
    if (!app) return { revision: '', isFrozen: false, frozenIds: new Set(), policies: [] };
    const { revision, isFrozen, frozenIds, ...signing } = app;
    const active = this.checked(rows.filter((row) => row.id !== null));
    const inForce = [...active.map((row) => row.id), ...frozenIds].toSorted();
    this.macs.check(SIGNING_MAC, { ...signing, id: appId, inForce });
    const policies = active.map(policyOf);
    return {
      revision: revision + this.end,
      isFrozen: isFrozen || this.config.readOnly,
      frozenIds: new Set(frozenIds),
      policies,
    };
  }

  async signingRevision(appId: AppId): Promise<string> {
    const sql = 'select revision from signing_states where app_id = $1';
    return ((await this.database.read<{ revision: string }>(sql, [appId]))[0]?.revision ?? '') + this.end;
  }

  activate(appId: AppId, id: PolicyId): Promise<Policy> {
    return this.move(ACTIVATE, appId, id, 'active');
  }

  retire(appId: AppId, id: PolicyId, scope?: Scope): Promise<Policy> {
    return this.move(RETIRE, appId, id, 'retired', scope);
  }

  async ownsWallet(appId: AppId, userId: UserId, walletId: string): Promise<boolean> {
    return (await this.database.read(OWNS_WALLET, [appId, walletId, userId])).length > 0;
  }

  async hasScope(appId: AppId, { kind, id }: Scope): Promise<boolean> {
    return (await this.database.read<{ has: boolean }>(HAS_SCOPE, [appId, kind, id]))[0]!.has;
  }

  private async move(sql: string, appId: AppId, id: PolicyId, state: Policy['state'], scope?: Scope): Promise<Policy> {
    // Locked, or the MAC would not cover the networks that `bindNetworks` stores meanwhile.
    const row = this.verified(await this.database.write<PolicyRow>(LOCK, [appId, id]));
    if (scope && (row.scopeKind !== scope.kind || row.scopeId !== scope.id)) throw new PolicyNotFound();
    if (state !== 'retired') assertUnaltered(row);
    const mac = this.macs.of(POLICY_MAC, { ...row, state });
    return one(await this.database.write<PolicyRow>(sql, [appId, id, mac]));
  }

  private verified([row]: readonly PolicyRow[]): PolicyRow {
    if (!row) throw new PolicyNotFound();
    return { ...row, mac: this.macs.verified(POLICY_MAC, row) };
  }

  private checked<R extends PolicyRow>(rows: readonly R[]): readonly R[] {
    for (const row of rows) this.macs.check(POLICY_MAC, row);
    return rows;
  }
}

function one([row]: readonly PolicyRow[]): Policy {
  if (!row) throw new PolicyNotFound();
  return policyOf(row);
}

/** The rules of an altered row may be anything, and are left out. */
function policyOf({ scopeKind, scopeId, rules, mac, ...row }: PolicyRow): Policy {
  return { ...row, scope: { kind: scopeKind, id: scopeId }, rules: mac?.length === 0 ? [] : rulesOf(rules) };
}
