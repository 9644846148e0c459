import { Injectable } from '@nestjs/common';
import type { AppId, ApprovalId, UserId } from '../../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { ALTERED, MacTables, RowMacs, unalteredPage } from '../../../../kernel/row-macs.js';
import { SealAltered } from '../../../../kernel/vault.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf, named } from '../../../../postgres/statement.js';
import {
  type Approval,
  type ApprovalKey,
  ApprovalRepository,
  type ApprovalState,
  type CurrentApproval,
  type EndReason,
  type NewApproval,
  type VoteDecision,
} from '../domain/approval.js';
import { TooManyApprovals } from '../domain/approval.errors.js';
import { BOUNDS } from '../../rules/domain/policy.js';
import { GROUP_MAC } from './postgres-approver-group.repository.js';

const REQUESTED = [
  'appId',
  'id',
  'operation',
  'operationId',
  'walletId',
  'userId',
  'namesUser',
  'keyId',
  'policyId',
  'version',
  'ruleId',
  'groupId',
  'needed',
  'payload',
  'payloadHash',
] as const satisfies (keyof NewApproval)[];
/** Its state needs no MAC: an approval counts for nothing without as many votes, and each vote has a MAC. */
const APPROVAL_MAC = MacTables.declare({
  table: 'approvals',
  since: 1,
  // A repeated request may name the owner where the first one did not.
  fields: REQUESTED.filter((field) => field !== 'namesUser'),
  ended: `ended_at is not null and state <> 'executed'`,
});
const VOTE_MAC = MacTables.declare({
  table: 'approval_votes',
  since: 1,
  key: ['appId', 'approvalId', 'userId'],
  fields: ['decision'],
});
const NEW = columnsOf<WithMac<NewApproval>>([...REQUESTED, 'mac']);
const COLUMNS = columnsOf<WithMac<Approval>>([
  ...REQUESTED,
  'state',
  'reason',
  'createdAt',
  'expiresAt',
  'endedAt',
  'mac',
]).of('a');

// An approval ends with each grant of its token, also with those of the tokens for which that was exchanged.
const IS_OF_LIVE_TOKEN = `(
  select count(*) > 0 and count(*) = count(o.id)
    from unnest(string_to_array(a.key_id, '/')) as part
    left join live_token_owners o on o.app_id = a.app_id and ($1::text is null or o.app_id = $1) and o.id = part
   where part not like 'policy\\_%')`;

// The clock is read, because a wait for a lock may have outlasted the approval. An approved transfer waits only for its queue, so it does
// not expire.
const END = `
  case when a.ended_at is not null then null
       when a.state not in ('waiting', 'approved') then coalesce(a.reason, 'rejected_by_approver')
       when a.operation = 'policy_change' then case when a.expires_at <= clock_timestamp() then 'expired' end
       when p.state is distinct from 'active' then 'policy_changed'
       when k.key_id is null and not ${IS_OF_LIVE_TOKEN} then 'key_revoked'
       when u.state is distinct from 'active' then 'user_inactive'
       when a.expires_at <= clock_timestamp() and (a.state = 'waiting' or a.operation <> 'transfer') then 'expired'
  end`;
const SUBJECTS = `
  approvals a
    left join policies p on p.app_id = a.app_id and p.id = a.policy_id
    left join live_keys k on k.app_id = a.app_id and k.key_id = a.key_id
    left join live_users u on u.app_id = a.app_id and u.user_id = a.user_id`;

const current = (conditions: string): string => `
  select ${COLUMNS}, ${END} as "end", coalesce(g.members, '{}') as members, g.created_at as "groupCreatedAt", g.mac as "groupMac",
         coalesce((select json_agg(json_build_object('userId', v.user_id, 'decision', v.decision, 'at', v.at, 'mac', encode(v.mac, 'hex')) order by v.at, v.user_id)
            from approval_votes v where v.app_id = $1 and v.approval_id = a.id), '[]') as votes,
         array(select v.user_id from approval_votes v join live_users w on w.app_id = v.app_id and w.user_id = v.user_id
                where v.app_id = $1 and v.approval_id = a.id and v.decision = 'approve' and w.state = 'active'
                  and v.user_id = any(g.members)) as supporters
    from ${SUBJECTS}
    left join approver_groups g on g.app_id = a.app_id and g.id = a.group_id
   where a.app_id = $1 and ${conditions}`;

const FIND = current('a.id = $2');
const LIST = current(
  `($2::text is null or a.id < $2) and ($3::text is null or a.state = $3) order by a.id desc limit $4`,
);
const LOCK = `select from approvals where app_id = $1 and id = $2 for update`;

const OF_OPERATION = `a.operation_id = $2 and (a.ended_at is null or (a.state = 'executed' and a.operation = 'transfer'))`;
const LOCK_OF = `select from approvals a where a.app_id = $1 and ${OF_OPERATION} order by a.id for update`;
const FIND_OF = current(`${OF_OPERATION} order by a.id`);

// An approval of which too few voters count any more needs votes again. One that a caller asks for once more stays as it is.
const REQUEST = named<
  WithMac<Omit<NewApproval, 'payload'>> & { readonly payload: string; readonly lostVotes: boolean }
>(`
  insert into approvals as a (${NEW.names}, state, created_at, expires_at)
  values (${NEW.values}, 'waiting', now(), now() + make_interval(secs => $expiresIn))
  on conflict (app_id, operation_id, key_id, policy_id, rule_id) where state in ('waiting', 'approved') do update
    set state = case when $lostVotes then 'waiting' else a.state end, names_user = a.names_user or excluded.names_user,
        expires_at = case when $lostVotes and a.state = 'approved' then excluded.expires_at else a.expires_at end
  returning id`);

// Transactions that request approvals simultaneously do not see each other, so the bound may be exceeded by their number.
const HAS_TOO_MANY = `
  select count(*) > ${BOUNDS.openApprovals} as yes
    from (select from approvals
           where app_id = $1 and key_id = $2 and state in ('waiting', 'approved')
           limit ${BOUNDS.openApprovals + 1}) as open`;

const ADD_VOTE = `
  insert into approval_votes (app_id, approval_id, user_id, decision, at, mac) values ($1, $2, $3, $4, now(), $5)`;

const STORE = `
  update approvals set state = $3, reason = $4, ended_at = case when $3 in ('waiting', 'approved') then null else c.now end
    from (select now() as now) c where app_id = $1 and id = $2`;

const MARK_ENDED = `
  update approvals set ended_at = case when $3 then c.now end
    from (select now() as now) c where app_id = $1 and id = $2 and (ended_at is null) = $3`;

const MARK_ENDED_OF = `
  update approvals set ended_at = c.now
    from (select now() as now) c where app_id = $1 and operation_id = $2 and ended_at is null and state not in ('waiting', 'approved')`;

const WITHDRAW = `
  update approvals set state = 'void', reason = 'transfer_ended', ended_at = c.now
    from (select now() as now) c where app_id = $1 and operation_id = $2 and state in ('waiting', 'approved')
  returning id, payload_hash as "payloadHash"`;

// A transfer would have closed the account, which then does not pass to another person.
const WITHDRAW_OF = `
  update approvals set state = 'void', reason = 'user_claimed', ended_at = c.now
    from (select now() as now) c
   where app_id = $1 and user_id = $2 and ended_at is null and state in ('waiting', 'approved') and operation <> 'transfer'
  returning id, payload_hash as "payloadHash"`;

const WITHDRAW_CHANGES = `
  update approvals set state = 'void', reason = 'policy_changed', ended_at = c.now
    from (select now() as now) c where app_id = $1 and operation = 'policy_change' and state in ('waiting', 'approved')
  returning id, payload_hash as "payloadHash"`;

const DUE = `
  select a.app_id as "appId", a.id from ${SUBJECTS}
   where a.ended_at is null and ($1::text is null or a.app_id = $1) and (a.app_id, a.id) > ($2, $3) and ${END} is not null
   order by a.app_id, a.id limit $4`;

type WithMac<T> = T & { readonly mac: Buffer | null };
type Row = WithMac<Omit<CurrentApproval, 'votes'>> & {
  readonly votes: readonly VoteRow[];
  readonly groupCreatedAt: Date | null;
  readonly groupMac: Buffer | null;
};
interface VoteRow {
  readonly userId: UserId;
  readonly decision: VoteDecision;
  readonly at: string;
  readonly mac: string | null;
}

@Injectable()
export class PostgresApprovalRepository extends ApprovalRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async find(appId: AppId, id: ApprovalId): Promise<CurrentApproval | null> {
    const [row] = await this.database.read<Row>(FIND, [appId, id]);
    return row ? this.named(row) : null;
  }

  async list(appId: AppId, page: PageRequest, state?: ApprovalState): Promise<Page<CurrentApproval>> {
    const { items, hasMore } = await unalteredPage(
      page,
      async ({ limit, startingAfter = null }) =>
        pageFrom(await this.database.list<Row>(LIST, [appId, startingAfter, state ?? null, limit + 1]), limit),
      (row) => !this.isAltered(row),
    );
    return { items: items.map((row) => this.approvalOf(row)), hasMore };
  }

  async lock(appId: AppId, id: ApprovalId): Promise<CurrentApproval> {
    void this.database.write(LOCK, [appId, id]);
    return this.named((await this.database.read<Row>(FIND, [appId, id]))[0]!);
  }

  async lockOf(appId: AppId, operationId: string): Promise<readonly CurrentApproval[]> {
    void this.database.write(LOCK_OF, [appId, operationId]);
    return (await this.database.read<Row>(FIND_OF, [appId, operationId])).map((row) => this.named(row));
  }

  async request(approval: NewApproval, lostVotes: boolean): Promise<ApprovalId> {
    const mac = this.macs.of(APPROVAL_MAC, approval);
    const values = { ...approval, payload: JSON.stringify(approval.payload), lostVotes, mac };
    const [{ id }] = (await this.database.write<{ id: ApprovalId }>(...REQUEST(values))) as [{ id: ApprovalId }];
    if (id === approval.id) await this.assertHasRoom(approval);
    return id;
  }

  addVote(appId: AppId, id: ApprovalId, userId: UserId, decision: VoteDecision): void {
    const mac = this.macs.of(VOTE_MAC, { appId, approvalId: id, userId, decision });
    void this.database.write(ADD_VOTE, [appId, id, userId, decision, mac]);
  }

  store(appId: AppId, id: ApprovalId, state: ApprovalState, reason?: EndReason): void {
    void this.database.write(STORE, [appId, id, state, reason ?? null]);
  }

  markEnded(appId: AppId, id: ApprovalId, isEnded: boolean): void {
    void this.database.write(MARK_ENDED, [appId, id, isEnded]);
  }

  withdraw(appId: AppId, operationId: string): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]> {
    void this.database.write(MARK_ENDED_OF, [appId, operationId]);
    return this.database.write(WITHDRAW, [appId, operationId]);
  }

  withdrawOf(appId: AppId, userId: UserId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]> {
    return this.database.write(WITHDRAW_OF, [appId, userId]);
  }

  withdrawChanges(appId: AppId): Promise<readonly Pick<Approval, 'id' | 'payloadHash'>[]> {
    return this.database.write(WITHDRAW_CHANGES, [appId]);
  }

  due(appId: AppId | null, after: ApprovalKey, limit: number): Promise<readonly ApprovalKey[]> {
    return this.database.list(DUE, [appId, after.appId, after.id, limit]);
  }

  private async assertHasRoom({ appId, keyId }: NewApproval): Promise<void> {
    const [{ yes }] = (await this.database.read(HAS_TOO_MANY, [appId, keyId])) as [{ yes: boolean }];
    if (yes) throw new TooManyApprovals();
  }

  private named(row: Row): CurrentApproval {
    if (this.isAltered(row))
      throw new SealAltered(`The approval ${row.id} or its group is not as the service wrote it.`);
    return this.approvalOf(row);
  }

  private isAltered(row: Row): boolean {
    const { appId, state, groupId: id, members, groupCreatedAt: createdAt, groupMac: mac } = row;
    if (state !== 'waiting' && state !== 'approved' && state !== 'executed') return false;
    if (this.macs.verified(APPROVAL_MAC, row) === ALTERED) return true;
    return createdAt !== null && !this.macs.isUnaltered(GROUP_MAC, { appId, id, members, createdAt, mac });
  }

  /** A vote that no member has given is left out. */
  private approvalOf({ votes: rows, supporters, groupCreatedAt: _, groupMac, mac, ...row }: Row): CurrentApproval {
    const votes = rows
      .filter(({ mac: hex, ...vote }) => {
        const stored = hex === null ? null : Buffer.from(hex, 'hex');
        const cast = { ...vote, appId: row.appId, approvalId: row.id, mac: stored };
        return this.macs.verified(VOTE_MAC, cast) !== ALTERED;
      })
      .map(({ mac: __, at, ...vote }) => ({ ...vote, at: new Date(at) }));
    const approving = new Set(votes.map(({ userId, decision }) => (decision === 'approve' ? userId : null)));
    return { ...row, votes, supporters: supporters.filter((userId) => approving.has(userId)) };
  }
}
