import { Injectable } from '@nestjs/common';
import type { AppId, OauthConnectionId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { MacTables, RowMacs } from '../../../kernel/row-macs.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/statement.js';
import { type LoginTicket, OauthLoginRepository, type OauthState, type ReturnedState } from '../domain/login-ticket.js';

const STATE = columnsOf<OauthState>([
  'appId',
  'stateHash',
  'connectionId',
  'loginUrl',
  'registrationUrl',
  'sealedVerifier',
  'nonce',
  'browserHash',
  'codeChallenge',
]);
const ADD_STATE = named<OauthState>(
  `insert into oauth_states (${STATE.names}, expires_at) values (${STATE.values}, now() + interval '10 minutes')`,
);

// The row lock lets one of several concurrent calls find a fresh state.
const CONSUME_STATE = `
  with returned as (
    select *, consumed_at is null and expires_at > now() as is_fresh,
           browser_hash is null or browser_hash is not distinct from $4::bytea as is_of_browser
      from oauth_states where app_id = $1 and state_hash = $2 and connection_id = $3
       for update
  ),
  spent as (
    update oauth_states s set consumed_at = now() from returned r
     where s.app_id = $1 and s.state_hash = r.state_hash and r.is_fresh and r.is_of_browser
  )
  select ${STATE.of('returned')}, is_fresh as "isFresh", is_of_browser as "isOfBrowser"
    from returned`;

const GRANTED = [
  'userId',
  'connectionId',
  'provider',
  'subject',
  'providerIdentityId',
  'codeChallenge',
  'isBrowserBound',
  'userCreated',
  'prepared',
] as const;
const TICKET_MAC = MacTables.declare({
  table: 'login_tickets',
  since: 3,
  key: ['appId', 'tokenHash'],
  fields: GRANTED,
  ended: 'consumed_at is not null or expires_at <= now()',
});
const TICKET = columnsOf<WithMac<LoginTicket>>(['appId', 'tokenHash', ...GRANTED, 'sealedTokens', 'mac']);
const ADD_TICKET = named<
  WithMac<Omit<LoginTicket, 'prepared'>> & { readonly prepared: string | null; readonly minutes: number }
>(
  `insert into login_tickets (${TICKET.names}, expires_at) values (${TICKET.values}, now() + make_interval(mins => $minutes))`,
);

// RETURNING reads the row as it was locked, with the tokens that the update erases. A concurrent call then gets no row.
const CONSUME_TICKET = `
  with unspent as (
    select * from login_tickets
     where app_id = $1 and token_hash = $2 and consumed_at is null and expires_at > now()
       for update
  )
  update login_tickets t set consumed_at = now(), sealed_tokens = null, mac = null
    from unspent u
   where t.app_id = $1 and t.token_hash = u.token_hash
  returning ${TICKET.of('u')}`;

type WithMac<T> = T & { readonly mac: Buffer | null };
type StoredTicket = WithMac<Omit<LoginTicket, 'prepared'>> & {
  readonly prepared: { readonly at: string; readonly fields: readonly string[] } | null;
};

const REVOKE_TICKETS_OF = `
  update login_tickets set consumed_at = now(), sealed_tokens = null, mac = null where app_id = $1 and user_id = $2 and consumed_at is null returning app_id`;

@Injectable()
export class PostgresOauthLoginRepository extends OauthLoginRepository {
  constructor(
    private readonly database: Database,
    private readonly macs: RowMacs,
  ) {
    super();
  }

  async addState(state: OauthState): Promise<void> {
    await this.database.write(...ADD_STATE(state));
  }

  async consumeState(
    appId: AppId,
    connectionId: OauthConnectionId,
    stateHash: TokenHash,
    browserHash: TokenHash | null,
  ): Promise<ReturnedState | null> {
    const values = [appId, stateHash, connectionId, browserHash];
    return (await this.database.write<ReturnedState>(CONSUME_STATE, values))[0] ?? null;
  }

  async addTicket(ticket: LoginTicket, minutes: number): Promise<void> {
    const prepared = ticket.prepared && JSON.stringify(ticket.prepared);
    await this.database.write(...ADD_TICKET({ ...this.macs.withMac(TICKET_MAC, ticket), prepared, minutes }));
  }

  async consumeTicket(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null> {
    const rows = await this.database.write<StoredTicket>(CONSUME_TICKET, [appId, tokenHash]);
    const row = this.macs.one(TICKET_MAC, rows);
    if (!row) return null;
    const { prepared, mac: _, ...ticket } = row;
    return { ...ticket, prepared: prepared && { ...prepared, at: new Date(prepared.at) } };
  }

  async revokeTicketsOf(appId: AppId, userId: UserId): Promise<number> {
    return (await this.database.write(REVOKE_TICKETS_OF, [appId, userId])).length;
  }
}
