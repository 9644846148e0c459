import type { Clock } from '../../../src/kernel/clock.js';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { type Try, WrongTries } from '../../../src/kernel/limits.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

const HOUR_MS = 3_600_000;

interface TriesOfUser {
  readonly appId: AppId;
  readonly userId: UserId;
  readonly tries: readonly { readonly at: string; readonly time: number }[];
  readonly lockedUntil: number | null;
}

export class InMemoryWrongTries extends WrongTries {
  private readonly rows: Rows<TriesOfUser>;
  private begun = 0;

  constructor(
    private readonly transactions: InMemoryTransactions,
    private readonly clock: Clock,
    private readonly limits = { wrongTriesPerHour: 20, lockMinutes: 15 },
  ) {
    super();
    this.rows = transactions.rows<TriesOfUser>();
  }

  /** How many tries of the user count. */
  counted(appId: AppId, userId: UserId): number {
    return this.rows.one(isOf(appId, userId))?.tries.length ?? 0;
  }

  async begin(appId: AppId, userId: UserId): Promise<Try> {
    return this.transactions.separately(() => this.count(appId, userId));
  }

  giveBack({ appId, userId, at }: Try): void {
    this.rows.change(
      (row) => isOf(appId, userId)(row) && row.tries.some((each) => each.at === at),
      (row) => ({ ...row, tries: row.tries.filter((each) => each.at !== at), lockedUntil: null }),
    );
  }

  private count(appId: AppId, userId: UserId): Try {
    const now = this.clock.now().getTime();
    const { wrongTriesPerHour, lockMinutes } = this.limits;
    const known = this.rows.one(isOf(appId, userId));
    if (known?.lockedUntil && known.lockedUntil > now) {
      const seconds = Math.ceil((known.lockedUntil - now) / 1000);
      const policy = { name: 'wrong-tries', quota: wrongTriesPerHour, windowSeconds: HOUR_MS / 1000 };
      throw new TooManyRequests(seconds, policy, 'Too many wrong codes.', userId);
    }
    // After a lock the count starts at zero.
    const earlier = known?.lockedUntil === null ? known.tries.filter(({ time }) => time > now - HOUR_MS) : [];
    const at = String(++this.begun);
    const tries = [...earlier, { at, time: now }];
    const lockedUntil = tries.length >= wrongTriesPerHour ? now + lockMinutes * 60_000 : null;
    this.rows.remove(isOf(appId, userId));
    this.rows.add({ appId, userId, tries, lockedUntil });
    return { appId, userId, at };
  }
}

const isOf = (appId: AppId, userId: UserId) => (row: TriesOfUser) => row.appId === appId && row.userId === userId;
