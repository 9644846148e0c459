import { Injectable } from '@nestjs/common';
import type { AppId, ApproverGroupId, UserId } from '../../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../../kernel/paging.js';
import { MacTables, RowMacs } from '../../../../kernel/row-macs.js';
import { Database } from '../../../../postgres/database.js';
import { columnsOf } from '../../../../postgres/statement.js';
import {
  type ApprovedPasskey,
  type ApproverGroup,
  type ApproverGroupDetails,
  ApproverGroupRepository,
  type Voter,
} from '../domain/approver-group.js';
import { ApproverGroupNotFound } from '../../rules/domain/policy.errors.js';

export const GROUP_MAC = MacTables.declare({ table: 'approver_groups', since: 3, fields: ['members', 'createdAt'] });

const MEMBER_MAC = MacTables.declare({
  table: 'approver_members',
  since: 3,
  key: ['appId', 'groupId', 'userId'],
  fields: ['since'],
});
const APPROVED_MAC = MacTables.declare({
  table: 'approver_passkeys',
  since: 3,
  key: ['appId', 'groupId', 'passkeyId'],
  fields: ['userId', 'approvedBy'],
});

type GroupRow = ApproverGroup & { readonly mac: Buffer | null };

interface MemberRow {
  readonly since: Date;
  readonly mac: Buffer | null;
}

interface ApprovedRow {
  readonly hasAged: boolean;
  readonly userId: UserId | null;
  readonly approvedBy: UserId | null;
  readonly mac: Buffer | null;
}

const COLUMNS = columnsOf<GroupRow>(['appId', 'id', 'name', 'members', 'createdAt', 'updatedAt', 'mac']).of('g');

const ADD = `
  insert into approver_groups as g (app_id, id, name, members, created_at, updated_at)
  values ($1, $2, $3, $4, now(), now()) returning ${COLUMNS}`;

const FIND = `select ${COLUMNS} from approver_groups g where g.app_id = $1 and g.id = any($2)`;

const LIST = `
  select ${COLUMNS} from approver_groups g where g.app_id = $1 and ($2::text is null or g.id < $2)
   order by g.id desc limit $3`;

const UPDATE = `
  update approver_groups g set name = coalesce($3, name), members = coalesce($4, members), mac = coalesce($5, mac), updated_at = now()
   where g.app_id = $1 and g.id = $2 returning ${COLUMNS}`;

// Simultaneous removals of two users lock the groups that have both in one order.
const LOCK_GROUPS_OF = `
  select ${COLUMNS} from approver_groups g where g.app_id = $1 and g.members @> array[$2::text] order by g.id for update`;

// Earlier members keep the time since which they are members.
const ADD_MEMBERS = `
  insert into approver_members (app_id, group_id, user_id, since, mac)
  select $1, $2, m.id, $4, m.mac from unnest($3::text[], $5::bytea[]) as m (id, mac)
  on conflict (app_id, group_id, user_id) do nothing`;

const REMOVE_MEMBERS = `delete from approver_members where app_id = $1 and group_id = $2 and user_id <> all($3::text[])`;
const REMOVE_PASSKEYS = `delete from approver_passkeys where app_id = $1 and group_id = $2 and user_id <> all($3::text[])`;

const MEMBER_SINCE = `select since, mac from approver_members where app_id = $1 and group_id = $2 and user_id = $3`;

const MAY_VOTE = `
  select $4::timestamptz <= now() - make_interval(hours => $5::integer) as "hasAged", p.user_id as "userId", p.approved_by as "approvedBy", p.mac
    from approver_groups g
    left join approver_passkeys p on p.app_id = g.app_id and p.group_id = g.id and p.passkey_id = $3
   where g.app_id = $1 and g.id = $2`;

const APPROVE_PASSKEY = `
  insert into approver_passkeys (app_id, group_id, passkey_id, user_id, approved_by, approved_at, mac)
  values ($1, $2, $3, $4, $5, now(), $6)
  on conflict (app_id, group_id, passkey_id) do nothing`;

const HOLD_MEMBERS = `
  select m.id, hold_user($1, m.id) as state from unnest($2::text[]) as m (id)`;

@Injectable()
export class PostgresApproverGroupRepository extends ApproverGroupRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async add({ appId, id, name, members }: Omit<ApproverGroup, 'createdAt' | 'updatedAt'>): Promise<ApproverGroup> {
    const group = one(await this.database.write<GroupRow>(ADD, [appId, id, name, members]));
    void this.macs.sign(GROUP_MAC, group);
    await this.addMembers(group, group.createdAt);
    return group;
  }

  async count(appId: AppId): Promise<number> {
    const sql = 'select count(*)::int as count from approver_groups where app_id = $1';
    return (await this.database.read<{ count: number }>(sql, [appId]))[0]!.count;
  }

  async get(appId: AppId, id: ApproverGroupId): Promise<ApproverGroup> {
    const group = one(await this.among(appId, [id]));
    this.macs.check(GROUP_MAC, group);
    return group;
  }

  among(appId: AppId, ids: readonly ApproverGroupId[]): Promise<readonly ApproverGroup[]> {
    return this.database.read<ApproverGroup>(FIND, [appId, ids]);
  }

  async list(appId: AppId, { limit, startingAfter }: PageRequest): Promise<Page<ApproverGroup>> {
    return pageFrom(await this.database.list<ApproverGroup>(LIST, [appId, startingAfter ?? null, limit + 1]), limit);
  }

  async update(
    appId: AppId,
    id: ApproverGroupId,
    { name, members }: Partial<ApproverGroupDetails>,
  ): Promise<ApproverGroup> {
    const mac = members ? this.macs.of(GROUP_MAC, { ...(await this.get(appId, id)), members }) : null;
    const group = one(
      await this.database.write<ApproverGroup>(UPDATE, [appId, id, name ?? null, members ?? null, mac]),
    );
    if (members) {
      for (const sql of [REMOVE_MEMBERS, REMOVE_PASSKEYS]) await this.database.write(sql, [appId, id, members]);
      await this.addMembers(group, group.updatedAt);
    }
    return group;
  }

  async delete(appId: AppId, id: ApproverGroupId): Promise<void> {
    const sql = 'delete from approver_groups where app_id = $1 and id = $2 returning id';
    if ((await this.database.write(sql, [appId, id])).length === 0) throw new ApproverGroupNotFound();
    for (const removal of [REMOVE_MEMBERS, REMOVE_PASSKEYS]) await this.database.write(removal, [appId, id, []]);
  }

  async removeMember(appId: AppId, userId: UserId): Promise<void> {
    for (const group of await this.database.write<GroupRow>(LOCK_GROUPS_OF, [appId, userId])) {
      const members = group.members.filter((id) => id !== userId);
      const mac = this.macs.of(GROUP_MAC, { ...group, mac: this.macs.verified(GROUP_MAC, group), members });
      await this.database.write(UPDATE, [appId, group.id, null, members, mac]);
    }
    for (const table of ['approver_members', 'approver_passkeys'])
      await this.database.write(`delete from ${table} where app_id = $1 and user_id = $2`, [appId, userId]);
  }

  async memberSince(appId: AppId, id: ApproverGroupId, userId: UserId): Promise<Date> {
    const [row] = await this.database.read<MemberRow>(MEMBER_SINCE, [appId, id, userId]);
    // A replica of the release before stores no times.
    if (!row) return (await this.get(appId, id)).createdAt;
    this.macs.check(MEMBER_MAC, { appId, groupId: id, userId, ...row });
    return row.since;
  }

  async mayVote(appId: AppId, groupId: ApproverGroupId, { userId, passkey, passkeyHours }: Voter): Promise<boolean> {
    const { id: passkeyId, createdAt } = passkey;
    const rows = await this.database.read<ApprovedRow>(MAY_VOTE, [appId, groupId, passkeyId, createdAt, passkeyHours]);
    const { hasAged, ...approved } = rows[0]!;
    if (hasAged || createdAt <= (await this.memberSince(appId, groupId, userId))) return true;
    if (approved.userId !== null) this.macs.check(APPROVED_MAC, { ...approved, appId, groupId, passkeyId });
    return approved.userId !== null;
  }

  async approvePasskey({ appId, groupId, passkeyId, holder, approvedBy }: ApprovedPasskey): Promise<Date> {
    const mac = this.macs.of(APPROVED_MAC, { appId, groupId, passkeyId, userId: holder, approvedBy });
    await this.database.write(APPROVE_PASSKEY, [appId, groupId, passkeyId, holder, approvedBy, mac]);
    const sql =
      'select approved_at as at from approver_passkeys where app_id = $1 and group_id = $2 and passkey_id = $3';
    return (await this.database.read<{ at: Date }>(sql, [appId, groupId, passkeyId]))[0]!.at;
  }

  private async addMembers({ appId, id: groupId, members }: ApproverGroup, since: Date): Promise<void> {
    const macs = members.map((userId) => this.macs.of(MEMBER_MAC, { appId, groupId, userId, since }));
    await this.database.write(ADD_MEMBERS, [appId, groupId, members, since, macs]);
  }

  async holdMembers(appId: AppId, userIds: readonly UserId[]): Promise<readonly UserId[]> {
    const held = await this.database.write<{ id: UserId; state: string }>(HOLD_MEMBERS, [appId, userIds]);
    return held.filter(({ state }) => state === 'unknown').map(({ id }) => id);
  }
}

function one([group]: readonly ApproverGroup[]): ApproverGroup {
  if (!group) throw new ApproverGroupNotFound();
  return group;
}
