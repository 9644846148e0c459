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
import { SessionFacade } from '../../session/index.js';
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

type Row = Grant & { readonly mac: Buffer | null };
type OfClient = Row & { readonly settings: ClientSettings };
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
const FROM = `from authorization_grants g join authorization_clients c on c.app_id = g.app_id and c.id = g.client_id where g.app_id = $1`;
const IN_USE = `(not g.is_offline or g.used_at > now() - interval '${OFFLINE_DAYS} days')
     and coalesce((g.granted #>> '{budget,endsAt}')::float8 > extract(epoch from now()), true)`;
const FIND = `select ${COLUMNS}, c.settings ${FROM} and g.id = $2 and ${IN_USE}`;
/** Whether a session is altered is checked for few; those that have ended are none of them. */
const CONSENTS = `
  select ${COLUMNS}, c.settings ${FROM} and g.user_id = $2 and g.client_id = $3 and g.granted #> array['resources', $4] is not null
     and ${IN_USE} and (g.is_offline or exists (select from live_sessions s where s.app_id = $1 and s.id = g.session_id))
   order by g.id desc limit 10`;
const LIST = `
  select ${COLUMNS}, c.name as "clientName" ${FROM} and ${IN_USE} and (g.is_offline or g.session_ends_at > now())
     and ($2::text is null or g.user_id = $2) and ($3::text is null or g.id < $3)
   order by g.id desc limit $4`;
const DUE = `select ${COLUMNS}, now() as "asOf" from authorization_grants g where g.app_id = $1 and g.id = $2 and g.used_at < now() - interval '1 minute'`;
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
    const row = this.macs.one(GRANT_MAC, await this.database.read<OfClient>(FIND, [appId, id]));
    return row && this.ifLive(row);
  }

  async consentTo(
    appId: AppId,
    {
      userId,
      clientId,
      resource,
    }: { readonly userId: UserId; readonly clientId: OauthClientId; readonly resource: string },
  ): Promise<Grant | null> {
    for (const row of await this.database.read<OfClient>(CONSENTS, [appId, userId, clientId, resource])) {
      const grant = this.macs.isUnaltered(GRANT_MAC, row) && (await this.ifLive(row));
      if (grant) return grant;
    }
    return null;
  }

  async use(appId: AppId, id: GrantId): Promise<void> {
    const row = this.macs.one(GRANT_MAC, await this.database.read<Row & { readonly asOf: Date }>(DUE, [appId, id]));
    if (!row) return;
    const mac = this.macs.of(GRANT_MAC, { ...row, usedAt: row.asOf });
    await this.database.write(USE, [appId, id, row.asOf, mac, row.mac]);
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

  private async ifLive({ settings, ...row }: OfClient): Promise<LiveGrant | null> {
    if (!row.isOffline && !(await this.sessions.liveOf(row.appId, row.sessionId))) return null;
    const protocolClientId = settings.documentUrl ?? row.clientId;
    return { ...row, granted: within(row.granted, settings.scopes), protocolClientId };
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

  list(appId: AppId, page: PageRequest, userId: UserId | null = null): Promise<Page<ShownGrant>> {
    return this.macs.page(GRANT_MAC, page, async ({ limit, startingAfter = null }) =>
      pageFrom(await this.database.list<ShownGrant & Row>(LIST, [appId, userId, startingAfter, limit + 1]), limit),
    );
  }
}

/** A scope that was taken from the client is not refreshed. */
function within({ user, resources, ...granted }: Grant['granted'], scopes: readonly string[]): Grant['granted'] {
  const kept = (each: readonly string[]) => each.filter((scope) => scope === 'openid' || scopes.includes(scope));
  return {
    ...granted,
    user: kept(user),
    resources: Object.fromEntries(Object.entries(resources).map(([audience, each]) => [audience, kept(each)])),
  };
}
