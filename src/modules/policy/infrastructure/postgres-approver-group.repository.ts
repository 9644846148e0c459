import { Injectable } from '@nestjs/common';
import type { AppId, ApproverGroupId, UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf } from '../../../postgres/statement.js';
import { type ApproverGroup, type ApproverGroupDetails, ApproverGroupRepository } from '../domain/approver-group.js';
import { ApproverGroupNotFound } from '../domain/policy.errors.js';

const COLUMNS = columnsOf<ApproverGroup>(['appId', 'id', 'name', 'members', 'createdAt', 'updatedAt']).of('g');

const ADD = `
  insert into approver_groups as g (app_id, id, name, members, created_at, updated_at)
  values ($1, $2, $3, $4, now(), now()) returning ${COLUMNS}`;

const FIND = `select ${COLUMNS} from approver_groups g where g.app_id = $1 and g.id = any($2)`;

const LIST = `
  select ${COLUMNS} from approver_groups g where g.app_id = $1 and ($2::text is null or g.id < $2)
   order by g.id desc limit $3`;

const UPDATE = `
  update approver_groups g set name = coalesce($3, name), members = coalesce($4, members), updated_at = now()
   where g.app_id = $1 and g.id = $2 returning ${COLUMNS}`;

// Simultaneous removals of two users lock the groups that have both in one order.
const REMOVE_MEMBER = `
  with locked as materialized (
    select id from approver_groups where app_id = $1 and members @> array[$2::text] order by id for update
  )
  update approver_groups g set members = array_remove(members, $2::text), updated_at = now()
    from locked where g.app_id = $1 and g.id = locked.id`;

const HOLD_MEMBERS = `
  select m.id, hold_user($1, m.id) as state from unnest($2::text[]) as m (id)`;

@Injectable()
export class PostgresApproverGroupRepository extends ApproverGroupRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ appId, id, name, members }: Omit<ApproverGroup, 'createdAt' | 'updatedAt'>): Promise<ApproverGroup> {
    return one(await this.database.write<ApproverGroup>(ADD, [appId, id, name, members]));
  }

  async count(appId: AppId): Promise<number> {
    const sql = 'select count(*)::int as count from approver_groups where app_id = $1';
    return (await this.database.read<{ count: number }>(sql, [appId]))[0]!.count;
  }

  async get(appId: AppId, id: ApproverGroupId): Promise<ApproverGroup> {
    return one(await this.among(appId, [id]));
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
    return one(await this.database.write<ApproverGroup>(UPDATE, [appId, id, name ?? null, members ?? null]));
  }

  async delete(appId: AppId, id: ApproverGroupId): Promise<void> {
    const sql = 'delete from approver_groups where app_id = $1 and id = $2 returning id';
    if ((await this.database.write(sql, [appId, id])).length === 0) throw new ApproverGroupNotFound();
  }

  async removeMember(appId: AppId, userId: UserId): Promise<void> {
    await this.database.write(REMOVE_MEMBER, [appId, userId]);
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
