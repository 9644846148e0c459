import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import { appsIn } from '../../../postgres/apps-in-table.js';
import { EARLIER_APPLICATION_NAMES } from '../../../postgres/data-source.js';
import { RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { AccountUses } from '../domain/account-uses.js';
import { ClosedAccountRepository } from '../domain/closed-account.repository.js';
import { CONTACT_TABLES } from './contact-tables.js';
import { CLAIM_MAC } from './postgres-user.repository.js';

const TABLES = Object.values(CONTACT_TABLES);

const HAS_OLDER_REPLICA = `
  select from pg_stat_activity where datname = current_database() and application_name = any ($1) limit 1`;

const isVerifiedIn = (table: string): string =>
  `exists (select from ${table} v where v.app_id = $1 and v.user_id = u.id and v.verified_at is not null)`;

const NEXT = `
  select u.id from users u
   where u.app_id = $1 and u.id > $2 and u.claim in ('closed', 'reopening') and u.deleted_at is null
     and u.id in (${TABLES.map((table) => `select user_id from ${table} where app_id = $1 and verified_at is null`).join(' union all ')})
     and not ${isVerifiedIn('emails')} and not ${isVerifiedIn('phone_numbers')}
   order by u.id limit $3`;

const IS_RECENT = `
  select from users where app_id = $1 and id = $2 and created_at > now() - make_interval(days => $3)`;

/** Longer than any call that has read the account as closed. */
const REOPENING_FOR = `interval '5 minutes'`;
const REOPEN = `
  update users set claim = 'open' where app_id = $1 and id = $2 and claim = 'reopening' and updated_at < now() - ${REOPENING_FOR}
  returning id`;
const BEGIN_TO_REOPEN = `
  update users set claim = 'reopening', updated_at = now() where app_id = $1 and id = $2 and claim = 'closed'
  returning app_id as "appId", id, claim_mac as "claimMac"`;

/** A day less than records are kept: the clocks of replicas stamp users. */
const MARGIN_DAYS = 1;

@Injectable()
export class PostgresClosedAccountRepository extends ClosedAccountRepository {
  constructor(
    private readonly database: Database,
    private readonly uses: AccountUses,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async hasOlderReplica(): Promise<boolean> {
    return (await this.database.list(HAS_OLDER_REPLICA, [EARLIER_APPLICATION_NAMES])).length > 0;
  }

  async *apps(): AsyncGenerator<AppId> {
    const yielded = new Set<string>();
    for (const table of TABLES)
      for (let after = ''; ;) {
        const page = await appsIn(this.database, `${table} where verified_at is null`, after);
        for (const appId of page.appIds) {
          if (!yielded.has(appId)) yield appId as AppId;
          yielded.add(appId);
        }
        if ((after = page.after) === '') break;
      }
  }

  async next(appId: AppId, after: string, limit: number): Promise<readonly UserId[]> {
    return (await this.database.list<{ id: UserId }>(NEXT, [appId, after, limit])).map(({ id }) => id);
  }

  async isProvenUnused(appId: AppId, userId: UserId): Promise<boolean> {
    const days = this.uses.provenDays - MARGIN_DAYS;
    if ((await this.database.list(IS_RECENT, [appId, userId, days])).length === 0) return false;
    return (await this.database.list(`${this.uses.records} limit 1`, [appId, userId])).length === 0;
  }

  async advance(appId: AppId, userId: UserId): Promise<'reopened' | 'reopening' | null> {
    if ((await this.database.write(REOPEN, [appId, userId])).length > 0) return 'reopened';
    const [reopening] = await this.database.write(BEGIN_TO_REOPEN, [appId, userId]);
    if (reopening) await this.macs.sign(CLAIM_MAC, reopening);
    return reopening ? 'reopening' : null;
  }
}
