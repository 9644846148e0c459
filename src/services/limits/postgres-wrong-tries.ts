import { Injectable } from '@nestjs/common';
import { type AppId, isId, type UserId } from '../../kernel/ids.js';
import { type Recipient, type Try, WrongTries } from '../../kernel/limits.js';
import { Database } from '../../postgres/database.js';
import { currentTransaction } from '../../postgres/current-transaction.js';
import { SeparateConnections } from '../../postgres/separate-connections.js';
import { TooManyRequests } from '../../kernel/errors.js';
import { countedNetworks, recipientKey } from './client-network.js';
import { LimitsInForce } from './limits-in-force.js';

const WINDOW_SECONDS = 3600;

/** The last allowed try locks the codes when it begins; `giveBack` unlocks them. Each try is given back by its own time. */
const BEGIN = `
  with c as materialized (
    select clock_timestamp() as at, now() as now, now() - interval '${WINDOW_SECONDS} seconds' as since,
           now() + make_interval(mins => $4) as locked_until
  ), added as (
    insert into wrong_tries (app_id, user_id, tries, locked_until)
    select $1, $2, array[c.at], case when $3::integer <= 1 then c.locked_until end from c
    on conflict (app_id, user_id) do nothing
    returning tries[1] as at
  ), begun as (
    update wrong_tries w set (tries, locked_until) = (
      select array_agg(at order by at), case when count(*) >= $3 then c.locked_until end
        from (select greatest(c.at, newest + interval '1 microsecond') as at from (select max(t) as newest from unnest(w.tries) t) n
               union all select unnest(w.tries) where w.locked_until is null) as counted
       where at > c.since)
      from c
     where w.app_id = $1 and w.user_id = $2 and not exists (select 1 from added)
       and (w.locked_until is null or w.locked_until <= c.now)
    returning w.tries[cardinality(w.tries)] as at
  )
  select at::text, null::float8 as "lockedSeconds" from (select at from added union all select at from begun) as counted
   union all
  select null, extract(epoch from locked_until - clock_timestamp())::float8
    from wrong_tries
   where app_id = $1 and user_id = $2 and locked_until > now()
     and not exists (select 1 from added) and not exists (select 1 from begun)`;

const LOCKED_SECONDS = `
  select extract(epoch from locked_until - now())::float8 as "lockedSeconds"
    from wrong_tries where app_id = $1 and user_id = $2 and locked_until > now()`;

const GIVE_BACK = `
  update wrong_tries set tries = array_remove(tries, $3::timestamptz), locked_until = null
   where app_id = $1 and user_id = $2 and $3::timestamptz = any(tries)`;

/** The window slides, see the function `take_sends`. */
const COUNT_NETWORKS = `
  select refused, seconds from take_sends($1, $2, array_fill(${WINDOW_SECONDS}, array[cardinality($2::text[])]), $3)`;

/** The newest try that counts leaves. */
const UNCOUNT_NETWORK = `
  update send_counts c set counts = (
    select array_agg(case when at = newest then n - 1 else n end order by at)
      from (select n, at, max(at) filter (where n > 0) over () as newest
              from unnest(c.counts) with ordinality as slots(n, at)) as tries)
   where app_id = $1 and key = $2`;

/** A right code proves the address: from now on its tries count for its user. */
const FORGET = 'delete from wrong_tries where app_id = $1 and user_id = $2';

const LAST_TRY = `(select max(at) from unnest(tries) as at)`;
/** Citus takes no function that depends on the time zone in COALESCE. */
export const WRONG_TRIES_END = `coalesce(greatest(locked_until, (${LAST_TRY} at time zone 'UTC' + interval '1 hour') at time zone 'UTC'), '-infinity')`;

/** Each user, and each unverified address, has one row with the tries of the last hour. */
@Injectable()
export class PostgresWrongTries extends WrongTries {
  constructor(
    private readonly database: Database,
    private readonly connections: SeparateConnections,
    private readonly limits: LimitsInForce,
  ) {
    super();
  }

  async begin(appId: AppId, whose: UserId | Recipient, ip?: string): Promise<Try> {
    const key = keyOf(whose);
    const counted = countedNetworks(ip);
    const networks = counted.map(({ network }) => network);
    const { wrongTriesPerHour, networkWrongTriesPerHour, lockMinutes } = await this.limits.of(appId);
    await this.count(appId, counted, networkWrongTriesPerHour);
    const parameters = [appId, key, wrongTriesPerHour, lockMinutes];
    let row: { readonly at: string | null; readonly lockedSeconds: number | null } | undefined;
    // Another transaction changed the row after the snapshot if none is returned: the next statement sees the change.
    while (!row) [row] = await this.connections.query<NonNullable<typeof row>>(BEGIN, parameters);
    if (row.at) return { appId, key, at: row.at, networks };
    // A locked user's tries must not shut out the users who share the network.
    await this.uncount(appId, networks);
    throw locked(whose, row.lockedSeconds ?? 1, wrongTriesPerHour);
  }

  async requireUnlocked(appId: AppId, whose: UserId | Recipient): Promise<void> {
    const { wrongTriesPerHour } = await this.limits.of(appId);
    const [row] = await this.connections.query<{ lockedSeconds: number }>(LOCKED_SECONDS, [appId, keyOf(whose)]);
    if (row) throw locked(whose, row.lockedSeconds, wrongTriesPerHour);
  }

  giveBack({ appId, key, at, networks }: Try, { provesAddress } = { provesAddress: true }): void {
    if (networks.length > 0) this.uncountAtCommit(appId, networks);
    if (isId('user', key) || !provesAddress) void this.database.write(GIVE_BACK, [appId, key, at]);
    else void this.database.write(FORGET, [appId, key]);
  }

  forget(appId: AppId, whose: UserId | Recipient): void {
    void this.database.write(FORGET, [appId, keyOf(whose)]);
  }

  private async count(appId: AppId, networks: ReturnType<typeof countedNetworks>, maximum: number): Promise<void> {
    if (networks.length === 0) return;
    const maxima = networks.map(({ factor }) => factor * maximum);
    const keys = networks.map(({ network }) => networkKey(network));
    const [refusal] = await this.connections.query<{ refused: number; seconds: number }>(COUNT_NETWORKS, [
      appId,
      keys,
      maxima,
    ]);
    if (!refusal) return;
    throw new TooManyRequests(
      Math.max(1, Math.ceil(refusal.seconds)),
      { name: 'network-wrong-tries', quota: maxima[refusal.refused - 1]!, windowSeconds: WINDOW_SECONDS },
      'Too many wrong codes from this client network. Try again later, or sign in another way.',
    );
  }

  /** Two statements that lock several rows could wait for each other, so each network has its own. */
  private async uncount(appId: AppId, networks: readonly string[]): Promise<void> {
    for (const network of networks) await this.connections.query(UNCOUNT_NETWORK, [appId, networkKey(network)]);
  }

  /** After the commit, so that logins of one network do not wait for each other. If it fails, a right try counts for an hour. */
  private uncountAtCommit(appId: AppId, networks: readonly string[]): void {
    const uncount = () => void this.uncount(appId, networks).catch(() => undefined);
    const transaction = currentTransaction();
    if (transaction) transaction.onCommit(uncount);
    else uncount();
  }
}

function locked(whose: UserId | Recipient, seconds: number, quota: number): TooManyRequests {
  return new TooManyRequests(
    Math.max(1, Math.ceil(seconds)),
    { name: 'wrong-tries', quota, windowSeconds: WINDOW_SECONDS },
    'Too many wrong codes. These codes are locked for a while; other sign-in methods are not.',
    typeof whose === 'string' ? whose : undefined,
  );
}

function keyOf(whose: UserId | Recipient): string {
  return typeof whose === 'string' ? whose : recipientKey(whose);
}

function networkKey(network: string): string {
  return `wrong-tries:${network}`;
}
