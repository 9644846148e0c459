import { Injectable } from '@nestjs/common';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { Database } from '../../../postgres/database.js';
import { columnsOf, named } from '../../../postgres/named.js';
import type { LoginTicket } from '../domain/login-ticket.js';
import { LoginTicketRepository } from '../domain/login-ticket.repository.js';
import { LoginTicketSchema } from './login-ticket.schema.js';

const TICKET = columnsOf(LoginTicketSchema, [
  'appId',
  'tokenHash',
  'userId',
  'connectionId',
  'provider',
  'subject',
  'providerIdentityId',
  'sealedTokens',
  'codeChallenge',
]);
const ADD = named<LoginTicket>(
  `insert into login_tickets (${TICKET.names}, expires_at) values (${TICKET.values}, now() + interval '10 minutes')`,
);

// RETURNING reads the row as it was locked, with the tokens that the update erases. A concurrent call waits for the
// lock, finds consumed_at set, and gets no row.
const CONSUME = `
  with unspent as (
    select * from login_tickets
     where app_id = $1 and token_hash = $2 and consumed_at is null and expires_at > now()
       for update
  )
  update login_tickets t set consumed_at = now(), sealed_tokens = null
    from unspent u
   where t.app_id = u.app_id and t.token_hash = u.token_hash
  returning ${TICKET.of('u')}`;

const REVOKE_ALL_OF = `
  update login_tickets set consumed_at = now(), sealed_tokens = null where app_id = $1 and user_id = $2 and consumed_at is null`;

@Injectable()
export class PostgresLoginTicketRepository extends LoginTicketRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(ticket: LoginTicket): Promise<void> {
    await this.database.write(...ADD(ticket));
  }

  async consume(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null> {
    return (await this.database.write<LoginTicket>(CONSUME, [appId, tokenHash]))[0] ?? null;
  }

  revokeAllOf(appId: AppId, userId: UserId): void {
    void this.database.write(REVOKE_ALL_OF, [appId, userId]);
  }
}
