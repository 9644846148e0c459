import type { AppId, OauthConnectionId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { LoginTicket } from './login-ticket.js';
import type { OauthState, ReturnedState } from './oauth-state.js';

/** Stores a login on its way: the state until the callback, then the ticket until the app fetches the login. */
export abstract class OauthLoginRepository {
  /** Stores the state for 10 minutes. */
  abstract addState(state: OauthState): Promise<void>;

  /** Spends the state and returns it, also when it was spent before or has expired; null when this connection has no such state. */
  abstract consumeState(
    appId: AppId,
    connectionId: OauthConnectionId,
    stateHash: TokenHash,
  ): Promise<ReturnedState | null>;

  /** Stores the ticket, valid for the minutes, together with the events of the transaction. */
  abstract addTicket(ticket: LoginTicket, minutes: number): Promise<void>;

  /** Spends the ticket, erases its sealed tokens and returns both; null when it is unknown, expired or spent. At most one call succeeds. */
  abstract consumeTicket(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null>;

  /** Spends all unspent tickets of the user. */
  abstract revokeTicketsOf(appId: AppId, userId: UserId): void;
}
