import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import {
  type Follower,
  MagicLinkRepository,
  type Redemption,
  type MagicLink,
} from '../../../src/modules/magic-link/domain/magic-link.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row extends MagicLink {
  readonly expiresAt: Date;
  readonly mismatches: number;
  readonly isSpent: boolean;
  readonly isReplaced: boolean;
}

export class InMemoryMagicLinkRepository extends MagicLinkRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
    /** Whether the user of the link holds its address, verified. */
    private readonly isProved: (link: MagicLink) => boolean = () => false,
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  add(link: MagicLink): void {
    const { appId, mailedTo } = link;
    if (mailedTo)
      this.rows.change(
        (row) => row.appId === appId && row.mailedTo?.emailId === mailedTo.emailId,
        (row) => ({ ...row, isReplaced: true }),
      );
    const expiresAt = new Date(this.clock.now().getTime() + link.minutes * 60_000);
    this.rows.add({ ...link, expiresAt, mismatches: 0, isSpent: false, isReplaced: false });
  }

  async redeem(
    appId: AppId,
    tokenHash: TokenHash,
    { device, sessionUserId }: Follower,
    mismatches: number,
  ): Promise<Redemption> {
    const isMeant = (row: Row): boolean => row.appId === appId && row.tokenHash.equals(tokenHash);
    const link = this.rows.one(isMeant);
    if (!link) return { outcome: 'unknown' };
    const { userId, mailedTo } = link;
    const fault = (reason: 'spent' | 'replaced' | 'expired') => ({ reason, endedSecondsAgo: 0 });
    if (link.isSpent) return { outcome: 'ended', userId, fault: fault('spent') };
    if (link.isReplaced) return { outcome: 'ended', userId, fault: fault('replaced') };
    if (link.expiresAt <= this.clock.now()) return { outcome: 'expired', userId, fault: fault('expired') };
    if (sessionUserId !== null && sessionUserId !== userId) return { outcome: 'other_user', userId };
    if (!isFor(link.device.ip, device.ip) || !isFor(link.device.userAgent, device.userAgent)) {
      const count = link.mismatches + 1;
      this.rows.change(isMeant, (row) => ({ ...row, mismatches: count, isSpent: count >= mismatches }));
      return { outcome: 'other_device', userId };
    }
    this.rows.change(isMeant, spent);
    return { outcome: 'spent', userId, mailedTo: mailedTo && { ...mailedTo, isProved: this.isProved(link) } };
  }

  async revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number> {
    const isKept = ({ mailedTo }: Row): boolean => mailedTo !== null && except.includes(mailedTo.emailId);
    return this.rows.change((row) => row.appId === appId && row.userId === userId && !isKept(row), spent);
  }
}

/** An absent or empty field of the link matches any value. */
const isFor = (wanted: string | undefined, given: string | undefined): boolean => !wanted || wanted === given;
const spent = (row: Row): Row => ({ ...row, isSpent: true });
