import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../kernel/ids.js';
import { type Try, WrongTries } from '../../kernel/limits.js';
import { Database } from '../../postgres/database.js';
import { SeparateConnections } from '../../postgres/separate-connections.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { LimitsInForce } from './limits-in-force.js';

const WINDOW_SECONDS = 3600;

/** The last allowed try locks the codes when it begins, before its code is compared. `giveBack` unlocks them. */
const BEGIN = `
  with begun as (
    insert into wrong_tries as w (app_id, user_id, tries, locked_until)
    values ($1, $2, array[clock_timestamp()], case when $3 <= 1 then now() + make_interval(mins => $4) end)
    on conflict (app_id, user_id) do update set (tries, locked_until) = (
      select array_agg(at order by at), case when count(*) >= $3 then now() + make_interval(mins => $4) end
        from (select clock_timestamp() as at
               union all
              select unnest(w.tries) where w.locked_until is null) as counted
       where at > now() - make_interval(secs => ${WINDOW_SECONDS}))
      where w.locked_until is null or w.locked_until <= now()
    returning tries[cardinality(tries)]::text as at
  )
  select at, null::float8 as "lockedSeconds" from begun
   union all
  select null, extract(epoch from locked_until - clock_timestamp())::float8
    from wrong_tries
   where app_id = $1 and user_id = $2 and not exists (select from begun)`;

const GIVE_BACK = `
  update wrong_tries set tries = array_remove(tries, $3::timestamptz), locked_until = null
   where app_id = $1 and user_id = $2 and $3::timestamptz = any(tries)`;

/** Keeps one row per user with the tries of the last hour. */
@Injectable()
export class PostgresWrongTries extends WrongTries {
  constructor(
    private readonly database: Database,
    private readonly connections: SeparateConnections,
    private readonly limits: LimitsInForce,
  ) {
    super();
  }

  async begin(appId: AppId, userId: UserId): Promise<Try> {
    const { wrongTriesPerHour, lockMinutes } = await this.limits.of(appId);
    const [row] = await this.connections.query<{ at: string | null; lockedSeconds: number | null }>(BEGIN, [
      appId,
      userId,
      wrongTriesPerHour,
      lockMinutes,
    ]);
    if (row?.at) return { appId, userId, at: row.at };
    throw new TooManyRequests(
      // When the codes were locked after this statement's snapshot, the row that it read has no end of the lock yet.
      row?.lockedSeconds && row.lockedSeconds > 0 ? Math.ceil(row.lockedSeconds) : lockMinutes * 60,
      { name: 'wrong-tries', quota: wrongTriesPerHour, windowSeconds: WINDOW_SECONDS },
      'Too many wrong codes. The codes of this user are locked for a while; other sign-in methods are not.',
      userId,
    );
  }

  giveBack({ appId, userId, at }: Try): void {
    void this.database.write(GIVE_BACK, [appId, userId, at]);
  }
}
