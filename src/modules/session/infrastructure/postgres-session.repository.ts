import { Injectable } from '@nestjs/common';
import { type AppId, newIdBlock, type SessionId, type UserId } from '../../../kernel/ids.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { MacTables, RowMacs, unalteredPage } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { EventStore } from '../../../postgres/event-store.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { type FactorDocument, factorKey, type UnstampedFactor } from '../domain/factor.js';
import {
  type KeptSession,
  type LiveSession,
  type NewSession,
  type NoSession,
  type OwnerState,
  type SealedSession,
  type SessionProof,
  type Session,
  type SessionReference,
  SessionRepository,
  stateOf,
} from '../domain/session.js';
import { TokenHashColumns } from '../../../kernel/secret-tokens.js';

const OPEN = 'revoked_at is null and expires_at > now()';

TokenHashColumns.declare({
  table: 'sessions',
  column: 'token_hash',
  key: ['app_id', 'id'],
  inUse: OPEN,
});

/** `$1` is the app. Citus refuses sums of a column with an interval in updates. */
const liveIn = (sessions: string): string => `
  ${sessions}.revoked_at is null and ${sessions}.expires_at > now() and not exists (
    select from bounds_of_sessions b where b.app_id = $1
       and (now() - ${sessions}.last_active_at > b.idle or now() - ${sessions}.started_at > b.age))`;
const LIVE = liveIn('sessions');

/** The live sessions \`t\` as operators see them with their user. */
export const LIVE_OF_USER = {
  where: liveIn('t'),
  expiresAt: 'least(t.expires_at, t.started_at + (select b.age from bounds_of_sessions b where b.app_id = $1))',
};

const SESSION_MAC = MacTables.declare({
  table: 'sessions',
  since: 2,
  fields: ['userId', 'tokenHash', 'factors', 'expiresAt'],
  ended: `not (${OPEN})`,
});

/** The end as it is stored, which the age that the app allows may precede. */
type Row = Omit<LiveSession, 'idleSeconds'> &
  Pick<Session, 'appId' | 'tokenHash'> & { readonly mac: Buffer | null; readonly bounds?: Bounds | null };

type Kept = Row & Pick<Session, 'revokedAt'>;

/** In seconds. */
interface Bounds {
  readonly idle: number | null;
  readonly age: number | null;
}

const COLUMNS = `app_id as "appId", id, user_id as "userId", token_hash as "tokenHash", started_at as "startedAt", expires_at as "expiresAt",
  last_active_at as "lastActiveAt", factors, user_agent as "userAgent", ip, version, updated_at as "updatedAt", created_at as "createdAt",
  mac, now() as "asOf"`;

const SELECTED = `${COLUMNS}, (
  select json_build_object('idle', extract(epoch from b.idle), 'age', extract(epoch from b.age))
    from bounds_of_sessions b where b.app_id = $1) as bounds`;

const MATCHES = {
  token: 'app_id = $1 and token_hash = $2',
  jwt: 'app_id = $1 and id = $2 and user_id = $3 and now() >= to_timestamp($4::float8) and now() < to_timestamp($5::float8)',
  id: 'app_id = $1 and id = $2',
} as const;

function parameters(appId: AppId, reference: SessionReference): unknown[] {
  switch (reference.by) {
    case 'token':
      return [appId, reference.tokenHash];
    case 'jwt':
      return [appId, reference.sessionId, reference.userId, reference.notBefore, reference.expiresAt];
    case 'id':
      return [appId, reference.sessionId];
  }
}

const find = (by: SessionReference['by']) => `select ${SELECTED} from sessions where ${MATCHES[by]} and ${LIVE}`;
const FIND = { token: find('token'), jwt: find('jwt'), id: find('id') };

/** The columns after a statement that sets `last_active_at`. Citus refuses now() in RETURNING and in CASE. */
const UPDATED = COLUMNS.replace('now()', 'last_active_at');

// A concurrent change of the session makes another version of it.
const STORE = named<Row & { readonly read: number }>(
  `update sessions set ${columnsOf<Row>(['factors', 'expiresAt', 'lastActiveAt', 'version', 'updatedAt', 'mac']).assignments}
    where app_id = $appId and id = $id and version = $read and revoked_at is null returning id`,
);

// Without the bounds of the app, a session that has expired by them would be live again.
const revoke = (by: SessionReference['by']) => `
  update sessions set revoked_at = now(), updated_at = now(), mac = null where ${MATCHES[by]} and ${OPEN} returning id, user_id as "userId"`;
const REVOKE = { token: revoke('token'), jwt: revoke('jwt'), id: revoke('id') };

const OWNER_STATE = 'select state from live_users where app_id = $1 and user_id = $2';

const stamped = (document: string) =>
  `jsonb_set(${document}::jsonb, '{method,last_verified_at}', to_jsonb(floor(extract(epoch from now()))::bigint))`;

// Conflicts with the lock of a change of the user: either that sees the session, or these statements see the change.
const HOLD = 'select hold_user($1, $2) as state';

const ACTIVE_OWNER = `live_users u where u.app_id = $appId and u.user_id = $userId and u.state = 'active'`;

// Only replicas of the previous release read fresh_factors.
const START = named(`
  insert into sessions as s (app_id, id, user_id, token_hash, expires_at, factors, fresh_factors, user_agent, ip)
  select u.app_id, $id, u.user_id, $tokenHash::bytea, now() + make_interval(mins => $minutes::int),
         jsonb_build_object($key::text, ${stamped('$document')}), array[$key::text], $userAgent, $ip
    from ${ACTIVE_OWNER}
  returning ${UPDATED}`);

const LOCK = `${FIND.id} and user_id = $3 for update`;

/** Few enough for one statement to stay within the statement timeout on a busy server. */
const REVOKED_AT_ONCE = 5_000;
/** Users with many sessions from before the limit can still log in; later logins end the rest. */
const REVOKED_BY_LOGIN = 1_000;
const REVOKE_OLDEST = `
  select ended, first_seq as "firstSeq", last_seq as "lastSeq" from end_sessions_numbered($1, $2, 0, ${REVOKED_AT_ONCE}, $3)`;
const MAKE_ROOM = `
  select state, first_seq as "firstSeq", last_seq as "lastSeq" from make_room_for_login($1, $2, $3, $4, $5)`;

// `offset 0` keeps the planner, whose statistics still count ended sessions, from walking all sessions of the app.
const LIST = `
  select s.*
    from live_users u
    left join lateral (
      select * from (
        select ${SELECTED} from sessions
         where app_id = $1 and user_id = $2 and ${LIVE} and ($3::text is null or id < $3) offset 0
      ) live order by id desc limit $4
    ) s on true
   where u.app_id = $1 and u.user_id = $2`;

/** The cursor is a condition of its own text, because an index cannot serve `$3 is null or id < $3`. */
const listOfApp = (cursor: string): string =>
  `select ${SELECTED}, revoked_at as "revokedAt" from sessions where app_id = $1 ${cursor} order by id desc limit $2`;
const LIST_OF_APP = { first: listOfApp(''), next: listOfApp('and id < $3') };

@Injectable()
export class PostgresSessionRepository extends SessionRepository {
  constructor(
    private readonly database: Database,
    private readonly events: EventStore,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async find(appId: AppId, reference: SessionReference): Promise<LiveSession | null> {
    const rows = await this.database.read<Row>(FIND[reference.by], parameters(appId, reference));
    const session = this.macs.one(SESSION_MAC, rows);
    return session && shown(session);
  }

  requireUnaltered(appId: AppId, { tokenHash, expiresAt, mac, ...sealed }: SealedSession): void {
    this.macs.check(SESSION_MAC, {
      appId,
      ...sealed,
      tokenHash: Buffer.from(tokenHash, 'hex'),
      expiresAt: new Date(expiresAt),
      mac: mac === null ? null : Buffer.from(mac, 'hex'),
    });
  }

  async idOf(appId: AppId, reference: SessionReference): Promise<SessionId | null> {
    const [row] = await this.database.read<Row>(FIND[reference.by], parameters(appId, reference));
    return row?.id ?? null;
  }

  async extend(
    appId: AppId,
    proof: SessionProof,
    minutes: number,
    permit: (session: LiveSession) => void,
  ): Promise<LiveSession | null> {
    for (;;) {
      const rows = await this.database.read<Row>(FIND[proof.by], parameters(appId, proof));
      const session = this.macs.one(SESSION_MAC, rows);
      if (!session) return null;
      permit(shown(session));
      const extended = changed(session, { minutes });
      if ((await this.store(session, extended)).length > 0) return shown(extended);
    }
  }

  async touch(appId: AppId, id: SessionId): Promise<void> {
    await this.database.write(`update sessions set last_active_at = now() where ${MATCHES.id} and ${LIVE}`, [
      appId,
      id,
    ]);
  }

  async start(appId: AppId, session: NewSession): Promise<LiveSession | NoSession> {
    const { factor, deviceFingerprint, sessionsPerUser, idleMinutes, ...columns } = session;
    const { userId } = columns;
    const { userAgent, ip } = deviceFingerprint;
    const stored = { key: factorKey(factor), document: JSON.stringify(factor) };
    const block = newIdBlock('event');
    const room = [appId, userId, sessionsPerUser - 1, REVOKED_BY_LOGIN, block];
    const [[held], [live]] = await Promise.all([
      this.database.write<Numbers & { state: OwnerState }>(MAKE_ROOM, room),
      this.database.write<Row>(...START({ appId, ...columns, ...stored, userAgent, ip })),
    ]);
    if (live) void this.macs.sign(SESSION_MAC, live);
    this.renumber(appId, held!, block);
    // The time of use is kept to the minute.
    const idle = idleMinutes === null ? null : 60 * (idleMinutes + 1);
    return held!.state === 'active' ? shown({ ...live!, bounds: { age: null, idle } }) : held!.state;
  }

  async join(
    appId: AppId,
    id: SessionId,
    userId: UserId,
    factor: UnstampedFactor,
    minutes: number | null,
  ): Promise<LiveSession | NoSession> {
    const owner = this.database.write<{ state: OwnerState }>(HOLD, [appId, userId]);
    const [[held], rows] = await Promise.all([owner, this.database.write<Row>(LOCK, [appId, id, userId])]);
    if (held!.state !== 'active') return held!.state;
    const session = this.macs.one(SESSION_MAC, rows);
    if (!session) return 'over';
    const joined = changed(session, { factor, minutes });
    void this.store(session, joined);
    return shown(joined);
  }

  async provedWithin(appId: AppId, id: SessionId, seconds: number): Promise<readonly FactorDocument[]> {
    const session = await this.find(appId, { by: 'id', sessionId: id });
    if (!session) return [];
    const since = session.asOf.getTime() / 1_000 - seconds;
    return Object.values(session.factors).filter(({ method }) => method.last_verified_at >= since);
  }

  async ownerState(appId: AppId, userId: UserId): Promise<OwnerState> {
    const [row] = await this.database.read<{ state: OwnerState }>(OWNER_STATE, [appId, userId]);
    return row?.state ?? 'unknown';
  }

  async revoke(appId: AppId, reference: SessionReference): Promise<{ id: SessionId; userId: UserId } | null> {
    const sql = REVOKE[reference.by];
    const [ended] = await this.database.write<{ id: SessionId; userId: UserId }>(sql, parameters(appId, reference));
    return ended ?? null;
  }

  async revokeAllOf(appId: AppId, userId: UserId): Promise<number> {
    let ended: number;
    let all = 0;
    do {
      const block = newIdBlock('event');
      const [row] = await this.database.write<Numbers & { ended: number }>(REVOKE_OLDEST, [appId, userId, block]);
      this.renumber(appId, row!, block);
      ended = row!.ended;
      all += ended;
    } while (ended === REVOKED_AT_ONCE);
    return all;
  }

  async list(appId: AppId, page: PageRequest<SessionId>): Promise<Page<KeptSession>> {
    const { items, hasMore } = await unalteredPage(
      page,
      async ({ limit, startingAfter }) =>
        pageFrom(
          startingAfter === undefined
            ? await this.database.list<Kept>(LIST_OF_APP.first, [appId, limit + 1])
            : await this.database.list<Kept>(LIST_OF_APP.next, [appId, limit + 1, startingAfter]),
          limit,
        ),
      (row) => stateOf(shown(row)) !== 'active' || this.macs.isUnaltered(SESSION_MAC, row),
    );
    return { items: items.map(shown), hasMore };
  }

  async listOf(appId: AppId, userId: UserId, page: PageRequest<SessionId>): Promise<Page<LiveSession> | null> {
    let isKnown = true;
    const { items, hasMore } = await this.macs.page(SESSION_MAC, page, async ({ limit, startingAfter = null }) => {
      const rows = await this.database.read<Row | { id: null }>(LIST, [appId, userId, startingAfter, limit + 1]);
      isKnown = rows.length > 0;
      return pageFrom(
        rows.filter((row) => row.id !== null),
        limit,
      );
    });
    return isKnown ? { items: items.map(shown), hasMore } : null;
  }

  /** Returns no row when the session has been changed since it was read. */
  private store({ version }: Row, session: Row): Promise<object[]> {
    const factors = JSON.stringify(session.factors) as unknown as Row['factors'];
    const mac = this.macs.of(SESSION_MAC, session);
    return this.database.write(...STORE({ ...session, factors, mac, read: version }));
  }

  /** Neither the ended sessions nor their events pass through the process. */
  private renumber(appId: AppId, { firstSeq, lastSeq }: Numbers, block: string): void {
    if (firstSeq !== null && lastSeq !== null) this.events.renumber(appId, { firstSeq, lastSeq, block });
  }
}

/** With the end that the bounds of the app leave. */
function shown<R extends Row>({ bounds, ...session }: R): Omit<R, 'bounds'> & Pick<LiveSession, 'idleSeconds'> {
  const { age = null, idle = null } = bounds ?? {};
  const expiresAt = new Date(Math.min(session.expiresAt.getTime(), latestEnd(session.startedAt, age)));
  return { ...session, expiresAt, idleSeconds: idle };
}

function latestEnd(startedAt: Date, age: number | null): number {
  return age === null ? Infinity : startedAt.getTime() + age * 1_000;
}

/** The end is not stored beyond the age that the app allows: a stored end has a MAC. */
function changed(session: Row, { factor, minutes }: { factor?: UnstampedFactor; minutes: number | null }): Row {
  const { asOf, factors, version, expiresAt, startedAt, bounds } = session;
  const extendedEnd = asOf.getTime() + (minutes ?? 0) * 60_000;
  const end = new Date(Math.max(expiresAt.getTime(), Math.min(extendedEnd, latestEnd(startedAt, bounds?.age ?? null))));
  const isChanged = factor !== undefined || end > expiresAt;
  const last_verified_at = Math.floor(asOf.getTime() / 1_000);
  return {
    ...session,
    expiresAt: end,
    lastActiveAt: asOf,
    ...(isChanged && { version: version + 1, updatedAt: asOf }),
    ...(factor && {
      factors: { ...factors, [factorKey(factor)]: { ...factor, method: { ...factor.method, last_verified_at } } },
    }),
  };
}

/** The numbers of the events are null when no session was ended. */
interface Numbers {
  readonly firstSeq: string | null;
  readonly lastSeq: string | null;
}
