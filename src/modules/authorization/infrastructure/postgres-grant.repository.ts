import { Injectable } from '@nestjs/common';
import { portionsOf } from '../../../kernel/collections.js';
import type { AppId, GrantId, OauthClientId, UserId } from '../../../kernel/ids.js';
import { Jobs } from '../../../kernel/jobs.js';
import { type Page, pageFrom, type PageRequest } from '../../../kernel/paging.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { UnauthorizedCredentials } from '../../../edge/errors/edge-errors.js';
import { currentTransaction, type OpenTransaction } from '../../../postgres/current-transaction.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named, statement } from '../../../postgres/statement.js';
import { TokenPolicies } from '../../policy/index.js';
import { type SealedSession, SessionFacade } from '../../session/index.js';
import {
  CLOSE_BUDGETS,
  type EndedGrant,
  type Grant,
  GrantRepository,
  type LiveGrant,
  OFFLINE_DAYS,
  type ShownGrant,
} from '../domain/grant.js';
import type { ClientSettings } from '../domain/oauth-client.js';
import { OFFLINE_ACCESS, scopesKept } from '../domain/oauth-scope.js';

type Row = Grant & { readonly mac: Buffer | null };
type OfClient = Row & {
  readonly settings: ClientSettings;
  /** Null unless the session is live. */
  readonly session: SealedSession | null;
  readonly needsSession: boolean;
  readonly asOf: Date;
};
/** The time of use is stored once a minute. */
const USED_AGAIN_MS = 60_000;
const DAY_MS = 86_400_000;
/** Events are published for each policy. */
const CLOSED_TOGETHER = 100;

const FIELDS = [
  'appId',
  'id',
  'userId',
  'clientId',
  'sessionId',
  'granted',
  'rejected',
  'isOffline',
  'sessionEndsAt',
] as const;
/** `usedAt` decides whether the grant lives, so its MAC covers it. */
const GRANT_MAC = MacTables.declare({ table: 'authorization_grants', since: 2, fields: [...FIELDS, 'usedAt'] });

const COLUMNS = columnsOf<Row>([...FIELDS, 'usedAt', 'createdAt', 'mac']).of('g');
const INSERTED = columnsOf<Row>(FIELDS);

const INSERT = named<Omit<Row, 'usedAt' | 'createdAt' | 'mac'>>(
  `insert into authorization_grants as g (${INSERTED.names}) values (${INSERTED.values}) returning ${COLUMNS}`,
);
const CLIENT = 'join authorization_clients c on c.app_id = g.app_id and c.id = g.client_id';
const SESSION = 'left join live_session_macs s on s.app_id = g.app_id and s.id = g.session_id';
const IN_USE = `(not g.is_offline or g.used_at > now() - interval '${OFFLINE_DAYS} days')
     and coalesce((g.granted #>> '{budget,endsAt}')::float8 > extract(epoch from now()), true)`;
/** When a client loses the scope, its grants lose it too. */
const NEEDS_SESSION = `not coalesce(g.is_offline and c.settings->'scopes' ? '${OFFLINE_ACCESS}', false)`;
const IS_LIVE = `${IN_USE} and (s.id is not null or not ${NEEDS_SESSION})`;
const STATE = `c.settings, ${NEEDS_SESSION} as "needsSession", s.sealed as session, now() as "asOf"`;
const LIVE = `
  select ${COLUMNS}, c.name as "clientName", ${STATE} from authorization_grants g ${CLIENT} ${SESSION}
   where g.app_id = $1 and ${IS_LIVE}`;
const FIND = `${LIVE} and g.id = $2`;
const OF_TOKEN = `
  select c.settings->'scopes' as scopes, ${COLUMNS}, ${STATE}
    from authorization_clients c
    left join (authorization_grants g ${SESSION}) on g.app_id = c.app_id and g.client_id = c.id and g.id = $5 and ${IS_LIVE}
   where c.app_id = $1 and c.id = $2 and now() < to_timestamp($4::float8)
     and not exists (select from authorization_revoked_tokens r where r.app_id = $1 and r.jti = $3)`;
const CONSENTS = `
  ${LIVE} and g.user_id = $2 and g.client_id = $3 and g.granted #> array['resources', $4] is not null order by g.id desc limit 10`;
const LIST = `
  ${LIVE} and ($2::text is null or g.user_id = $2) and ($3::text is null or g.id < $3) order by g.id desc limit $4`;
const USE = `update authorization_grants set used_at = $3, mac = $4 where app_id = $1 and id = $2 and mac is not distinct from $5`;
const RETURNED = `returning id, user_id as "userId", client_id as "clientId", granted #>> '{budget,policyId}' as "policyId"`;
const END = `delete from authorization_grants where app_id = $1 and id = $2 ${RETURNED}`;
const END_ALL = `
  delete from authorization_grants where app_id = $1 and ($2::text is null or user_id = $2) and ($3::text is null or client_id = $3) ${RETURNED}`;

const IS_THERE = 'select 1 / count(*) from authorization_grants where app_id = $1 and id = $2';

@Injectable()
export class PostgresGrantRepository extends GrantRepository {
  /** A call with a token may end the grant of that token. */
  private readonly endedBy = new WeakMap<OpenTransaction, Set<GrantId>>();

  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
    private readonly sessions: SessionFacade,
    private readonly policies: TokenPolicies,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  async insert(grant: Omit<Grant, 'usedAt' | 'createdAt'>): Promise<void> {
    const [row] = await this.database.write<Row>(...INSERT(grant));
    await this.macs.sign(GRANT_MAC, row!);
  }

  async live(appId: AppId, id: GrantId): Promise<LiveGrant | null> {
    const [row] = await this.database.read<OfClient>(FIND, [appId, id]);
    return row ? this.checked(row) : null;
  }

  async ofToken(
    appId: AppId,
    clientId: OauthClientId,
    { jti, exp, grant_id: grantId }: { readonly jti: string; readonly exp: number; readonly grant_id?: GrantId },
  ): Promise<{ readonly scopes: readonly string[]; readonly grant: LiveGrant | null } | null> {
    const values = [appId, clientId, jti, exp, grantId ?? null];
    const [row] = await this.database.read<OfClient & Pick<ClientSettings, 'scopes'>>(OF_TOKEN, values);
    if (!row) return null;
    return { scopes: row.scopes, grant: row.id === null ? null : this.checked(row) };
  }

  async consentTo(
    appId: AppId,
    {
      userId,
      clientId,
      resource,
    }: { readonly userId: UserId; readonly clientId: OauthClientId; readonly resource: string },
  ): Promise<LiveGrant | null> {
    const rows = await this.database.read<OfClient>(CONSENTS, [appId, userId, clientId, resource]);
    const row = rows.find((each) => this.macs.isUnaltered(GRANT_MAC, each));
    return row ? this.checked(row) : null;
  }

  async use({ consented: granted, ...grant }: LiveGrant): Promise<void> {
    const { appId, id, usedAt, asOf } = grant;
    if (asOf.getTime() - usedAt.getTime() < USED_AGAIN_MS) return;
    const mac = this.macs.of(GRANT_MAC, { ...grant, granted, usedAt: asOf });
    await this.database.write(USE, [appId, id, asOf, mac, grant.mac]);
  }

  async now(): Promise<number> {
    const sql = 'select floor(extract(epoch from now()))::float8 as now';
    return (await this.database.read<{ now: number }>(sql))[0]!.now;
  }

  commitOnlyIfLive(appId: AppId, id: GrantId): void {
    const transaction = currentTransaction()!;
    if (this.endedBy.get(transaction)?.has(id)) return;
    const unmet = () => new UnauthorizedCredentials('secret', ['token']);
    transaction.requireAtCommit({ statement: statement(IS_THERE, [appId, id]), unmet });
  }

  async end(appId: AppId, id: GrantId): Promise<EndedGrant | null> {
    const [grant] = await this.ended(appId, END, [id]);
    if (grant) await this.closeBudgets(appId, [grant]);
    return grant ?? null;
  }

  async endAll(
    appId: AppId,
    { userId, clientId }: { readonly userId?: UserId; readonly clientId?: OauthClientId },
  ): Promise<readonly EndedGrant[]> {
    const ended = await this.ended(appId, END_ALL, [userId ?? null, clientId ?? null]);
    const grants = ended.filter(({ policyId }) => policyId !== null);
    for (const batch of portionsOf(grants, CLOSED_TOGETHER))
      this.jobs.enqueue({ kind: CLOSE_BUDGETS, appId, payload: { appId, grants: batch } });
    return ended;
  }

  private checked({ settings, session, needsSession, ...row }: OfClient): LiveGrant {
    this.macs.check(GRANT_MAC, row);
    if (needsSession) this.sessions.requireUnaltered(row.appId, session!);
    const protocolClientId = settings.documentUrl ?? row.clientId;
    return { ...row, granted: within(row.granted, settings.scopes), consented: row.granted, protocolClientId };
  }

  private async ended(appId: AppId, sql: string, values: readonly unknown[]): Promise<readonly EndedGrant[]> {
    const transaction = currentTransaction()!;
    const ended = await this.database.write<EndedGrant>(sql, [appId, ...values]);
    this.endedBy.set(transaction, new Set([...(this.endedBy.get(transaction) ?? []), ...ended.map(({ id }) => id)]));
    return ended;
  }

  async closeBudgets(appId: AppId, grants: readonly EndedGrant[]): Promise<void> {
    for (const { id, policyId } of grants) if (policyId !== null) await this.policies.close(appId, id, policyId);
  }

  async list(appId: AppId, page: PageRequest, userId: UserId | null = null): Promise<Page<ShownGrant>> {
    const { items, hasMore } = await this.macs.page(GRANT_MAC, page, async ({ limit, startingAfter = null }) =>
      pageFrom(await this.database.list<ShownGrant & OfClient>(LIST, [appId, userId, startingAfter, limit + 1]), limit),
    );
    return { items: items.map((row) => ({ ...row, endsAt: endOf(row) })), hasMore };
  }
}

function endOf({ needsSession, session, usedAt, granted }: OfClient): Date {
  const end = needsSession ? session!.expiresAt : usedAt.getTime() + OFFLINE_DAYS * DAY_MS;
  return new Date(Math.min(end, (granted.budget?.endsAt ?? Infinity) * 1_000));
}

function within({ user, resources, ...granted }: Grant['granted'], scopes: readonly string[]): Grant['granted'] {
  const ofResources = Object.entries(resources).map(([audience, each]) => [audience, scopesKept(each, scopes)]);
  return { ...granted, user: scopesKept(user, scopes), resources: Object.fromEntries(ofResources) };
}
