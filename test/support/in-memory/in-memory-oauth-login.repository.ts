import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, OauthConnectionId, UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import {
  type LoginTicket,
  OauthLoginRepository,
  type OauthState,
  type ReturnedState,
} from '../../../src/modules/oauth/domain/login-ticket.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

const STATE_MINUTES = 10;

interface StateRow {
  readonly state: OauthState;
  readonly expiresAt: Date;
  readonly isSpent: boolean;
}

interface TicketRow {
  readonly ticket: LoginTicket;
  readonly expiresAt: Date;
}

export class InMemoryOauthLoginRepository extends OauthLoginRepository {
  private readonly states: Rows<StateRow>;
  private readonly tickets: Rows<TicketRow>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
  ) {
    super();
    this.states = transactions.rows<StateRow>();
    this.tickets = transactions.rows<TicketRow>();
  }

  async addState(state: OauthState): Promise<void> {
    this.states.add({ state, expiresAt: this.in(STATE_MINUTES), isSpent: false });
  }

  async consumeState(
    appId: AppId,
    connectionId: OauthConnectionId,
    stateHash: TokenHash,
  ): Promise<ReturnedState | null> {
    const isMeant = ({ state }: StateRow): boolean =>
      state.appId === appId && state.connectionId === connectionId && state.stateHash.equals(stateHash);
    const found = this.states.one(isMeant);
    this.states.change(isMeant, (row) => ({ ...row, isSpent: true }));
    return found && { ...found.state, isFresh: !found.isSpent && found.expiresAt > this.clock.now() };
  }

  async addTicket(ticket: LoginTicket, minutes: number): Promise<void> {
    this.tickets.add({ ticket, expiresAt: this.in(minutes) });
  }

  async consumeTicket(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null> {
    const isMeant = ({ ticket, expiresAt }: TicketRow): boolean =>
      ticket.appId === appId && ticket.tokenHash.equals(tokenHash) && expiresAt > this.clock.now();
    const found = this.tickets.one(isMeant);
    this.tickets.remove(isMeant);
    return found?.ticket ?? null;
  }

  revokeTicketsOf(appId: AppId, userId: UserId): void {
    this.tickets.remove(({ ticket }) => ticket.appId === appId && ticket.userId === userId);
  }

  private in(minutes: number): Date {
    return new Date(this.clock.now().getTime() + minutes * 60_000);
  }
}
