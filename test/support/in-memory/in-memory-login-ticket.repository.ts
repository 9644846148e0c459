import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import type { LoginTicket } from '../../../src/modules/oauth/domain/login-ticket.js';
import { LoginTicketRepository } from '../../../src/modules/oauth/domain/login-ticket.repository.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

const LIFETIME_MS = 10 * 60_000;

interface Row {
  readonly ticket: LoginTicket;
  readonly expiresAt: Date;
}

export class InMemoryLoginTicketRepository extends LoginTicketRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  async add(ticket: LoginTicket): Promise<void> {
    this.rows.add({ ticket, expiresAt: new Date(this.clock.now().getTime() + LIFETIME_MS) });
  }

  async consume(appId: AppId, tokenHash: TokenHash): Promise<LoginTicket | null> {
    const isMeant = ({ ticket, expiresAt }: Row): boolean =>
      ticket.appId === appId && ticket.tokenHash.equals(tokenHash) && expiresAt > this.clock.now();
    const found = this.rows.one(isMeant);
    this.rows.remove(isMeant);
    return found?.ticket ?? null;
  }

  revokeAllOf(appId: AppId, userId: UserId): void {
    this.rows.remove(({ ticket }) => ticket.appId === appId && ticket.userId === userId);
  }

  /** Nothing in memory lives long enough to be removed. */
  async removeEnded(): Promise<number> {
    return 0;
  }
}
