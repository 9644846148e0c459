import { Injectable } from '@nestjs/common';
import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { ProofFault } from '../../../kernel/refusals.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { type TokenHash, TokenHashColumns } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { endingOf, endOf } from '../../../postgres/former-hashes.js';
import { named } from '../../../postgres/statement.js';
import { type Follower, MagicLinkRepository, type Redemption, type MagicLink } from '../domain/magic-link.js';

TokenHashColumns.declare({
  table: 'magic_links',
  column: 'token_hash',
  key: ['app_id', 'token_hash'],
  inUse: `consumed_at is null and expires_at > now()`,
});

const LINK_MAC = MacTables.declare({
  table: 'magic_links',
  since: 3,
  key: ['appId', 'tokenHash'],
  fields: ['userId', 'emailId', 'email', 'ip', 'userAgent'],
  ended: 'consumed_at is not null or expires_at <= now()',
});

// The link that the next statement overwrites is remembered for an hour.
const KEEP_REPLACED = `
  with c as materialized (select now() as now)
  insert into replaced_magic_links (app_id, token_hash, user_id, email_id, ended_at, ending)
  select app_id, token_hash, user_id, email_id, ${endOf('l', 'consumed_at', 'c.now')}, ${endingOf('l', 'consumed_at', 'c.now')}
    from magic_links l, c
   where app_id = $1 and email_id = $2 and ${endOf('l', 'consumed_at', 'c.now')} > c.now - interval '1 hour'
  on conflict do nothing`;

// An address has one row, so of concurrent sends the last link remains.
const ADD = named(`
  insert into magic_links (app_id, token_hash, user_id, email_id, email, ip, user_agent, created_at, expires_at, mac)
  values ($appId, $tokenHash, $userId, $emailId, $email, $ip, $userAgent, now(), now() + make_interval(mins => $minutes::int), $mac)
  on conflict (app_id, email_id) do update set
    token_hash = excluded.token_hash, user_id = excluded.user_id, email = excluded.email, ip = excluded.ip,
    user_agent = excluded.user_agent, mismatches = 0, created_at = excluded.created_at, expires_at = excluded.expires_at,
    consumed_at = null, mac = excluded.mac`);

const IS_THE_DEVICE =
  '(ip is null or ip is not distinct from $3) and (user_agent is null or user_agent is not distinct from $4)';

// A separate statement, so that REDEEM sees the rows committed while it waited for the lock. A link never changes its user.
const LOCK_OWNER = 'select lock_link_owner($1, $2)';

// The update waits for the row lock; a concurrent call then finds the link spent.
const REDEEM = `
  with c as materialized (select now() as now), held as materialized (
    select mac as held_mac from magic_links where app_id = $1 and token_hash = $2
  ), tried as (
    update magic_links l set
      mismatches = mismatches + (not (${IS_THE_DEVICE}))::int,
      consumed_at = case when (${IS_THE_DEVICE}) or mismatches + 1 >= $5::int then c.now end,
      mac = case when (${IS_THE_DEVICE}) or mismatches + 1 >= $5::int then null else mac end
      from c, held
     where app_id = $1 and token_hash = $2 and consumed_at is null and expires_at > now()
       and user_id = coalesce($6, user_id)
    returning case when ${IS_THE_DEVICE} then 'spent' else 'other_device' end as outcome, user_id, email_id, email, ip, user_agent, held_mac,
      exists (select from verified_emails e
               where e.app_id = $1 and e.email_id = l.email_id and e.user_id = l.user_id) as is_proved
  )
  select outcome, user_id as "userId", email_id as "emailId", email, is_proved as "isProved", ip, user_agent as "userAgent", held_mac as mac,
    null as reason, null::float8 as "endedSecondsAgo" from tried
   union all
  select case when consumed_at is not null then 'ended' when expires_at <= now() then 'expired' else 'other_user' end, user_id, null, null,
    null, null, null, null, case when consumed_at is not null then 'spent' else 'expired' end,
    extract(epoch from now() - coalesce(consumed_at, expires_at))::float8
    from magic_links
   where app_id = $1 and token_hash = $2 and (consumed_at is not null or expires_at <= now() or user_id <> $6)
     and not exists (select from tried)
   union all
  select 'ended', user_id, null, null, null, null, null, null, ending, extract(epoch from now() - ended_at)::float8
    from replaced_magic_links
   where app_id = $1 and token_hash = $2 and ended_at > now() - interval '1 hour' and not exists (select from tried)`;

const REVOKE_ALL_OF = `
  update magic_links set consumed_at = now(), mac = null
   where app_id = $1 and user_id = $2 and consumed_at is null and (email_id is null or email_id <> all ($3)) returning app_id`;

interface Tried extends ProofFault {
  readonly outcome: Exclude<Redemption['outcome'], 'unknown'>;
  readonly userId: UserId;
  readonly emailId: EmailId | null;
  readonly email: string;
  readonly isProved: boolean;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly mac: Buffer | null;
  readonly endedSecondsAgo: number;
}

@Injectable()
export class PostgresMagicLinkRepository extends MagicLinkRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  add({ appId, tokenHash, userId, mailedTo, device, minutes }: MagicLink): void {
    const { emailId, email } = mailedTo ?? { emailId: null, email: null };
    const limits = { ip: device.ip || null, userAgent: device.userAgent || null };
    if (emailId !== null) void this.database.write(KEEP_REPLACED, [appId, emailId]);
    const link = this.macs.withMac(LINK_MAC, { appId, tokenHash, userId, emailId, email, ...limits });
    void this.database.write(...ADD({ ...link, minutes }));
  }

  async redeem(
    appId: AppId,
    tokenHash: TokenHash,
    { device, sessionUserId }: Follower,
    mismatches: number,
  ): Promise<Redemption> {
    const { ip = null, userAgent = null } = device;
    void this.database.write(LOCK_OWNER, [appId, tokenHash]);
    const [tried] = await this.database.write<Tried>(REDEEM, [
      appId,
      tokenHash,
      ip,
      userAgent,
      mismatches,
      sessionUserId,
    ]);
    if (!tried) return { outcome: 'unknown' };
    const { outcome, userId, emailId, email, isProved, reason, endedSecondsAgo } = tried;
    if (outcome === 'spent' || outcome === 'other_device') this.macs.check(LINK_MAC, { ...tried, appId, tokenHash });
    if (outcome === 'other_user' || outcome === 'other_device') return { outcome, userId };
    if (outcome !== 'spent')
      return { outcome, userId, fault: { reason, endedSecondsAgo: Math.round(endedSecondsAgo) } };
    return { outcome, userId, mailedTo: emailId === null ? null : { emailId, email, isProved } };
  }

  async revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number> {
    return (await this.database.write(REVOKE_ALL_OF, [appId, userId, except])).length;
  }
}
