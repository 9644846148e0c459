import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { LoginTicket } from './login-ticket.js';

export abstract class LoginTicketRepository {
  /** Stores the ticket for 10 minutes, together with the events of the transaction. */
  abstract add(ticket: LoginTicket): Promise<void>;

  /** Spends the ticket, erases its sealed tokens and returns both; null when it is unknown, expired or spent. At most one call succeeds. */
  abstract consume(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null>;

  /** Spends all unspent tickets of the user. */
  abstract revokeAllOf(appId: AppId, userId: UserId): void;
}
