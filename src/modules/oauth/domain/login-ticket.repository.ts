import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { LoginTicket } from './login-ticket.js';

export abstract class LoginTicketRepository {
  /** Keeps the ticket for 10 minutes, and writes the transaction's events along with it. */
  abstract add(ticket: LoginTicket): Promise<void>;

  /** Spends the ticket, forgets its sealed tokens and returns it with them; null when it is unknown, expired or spent. At most one caller wins. */
  abstract consume(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null>;

  /** Makes all unspent tickets of the user worthless. */
  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Forgets up to `limit` tickets of each app that are over, their sealed tokens with them. Returns how many. */
  abstract removeEnded(limit: number): Promise<number>;
}
