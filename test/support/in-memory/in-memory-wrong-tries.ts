import type { Clock } from '../../../src/kernel/clock.js';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import { type Recipient, type Try, WrongTries } from '../../../src/kernel/limits.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

const HOUR_MS = 3_600_000;

interface TriesOfUser {
  readonly appId: AppId;
  readonly key: string;
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

  /** How many tries of the user, or of the unverified address, count. */
  counted(appId: AppId, whose: UserId | Recipient): number {
    return this.rows.one(isOf(appId, keyOf(whose)))?.tries.length ?? 0;
  }

  async begin(appId: AppId, whose: UserId | Recipient): Promise<Try> {
    return this.transactions.separately(() => this.count(appId, whose));
  }

  async requireUnlocked(appId: AppId, whose: UserId | Recipient): Promise<void> {
    this.refuseLocked(this.rows.one(isOf(appId, keyOf(whose))), whose);
  }

  giveBack({ appId, key, at }: Try): void {
    this.rows.change(
      (row) => isOf(appId, key)(row) && row.tries.some((each) => each.at === at),
      (row) => ({ ...row, tries: row.tries.filter((each) => each.at !== at), lockedUntil: null }),
    );
  }

  forget(appId: AppId, whose: UserId | Recipient): void {
    this.rows.remove(isOf(appId, keyOf(whose)));
  }

  private count(appId: AppId, whose: UserId | Recipient): Try {
    const key = keyOf(whose);
    const now = this.clock.now().getTime();
    const { wrongTriesPerHour, lockMinutes } = this.limits;
    const known = this.rows.one(isOf(appId, key));
    this.refuseLocked(known, whose);
    // After a lock the count starts at zero.
    const earlier = known?.lockedUntil === null ? known.tries.filter(({ time }) => time > now - HOUR_MS) : [];
    const at = String(++this.begun);
    const tries = [...earlier, { at, time: now }];
    const lockedUntil = tries.length >= wrongTriesPerHour ? now + lockMinutes * 60_000 : null;
    this.rows.remove(isOf(appId, key));
    this.rows.add({ appId, key, tries, lockedUntil });
    return { appId, key, at, networks: [] };
  }

  private refuseLocked(known: TriesOfUser | null | undefined, whose: UserId | Recipient): void {
    const now = this.clock.now().getTime();
    if (!known?.lockedUntil || known.lockedUntil <= now) return;
    const policy = { name: 'wrong-tries', quota: this.limits.wrongTriesPerHour, windowSeconds: HOUR_MS / 1000 };
    const userId = typeof whose === 'string' ? whose : undefined;
    throw new TooManyRequests(Math.ceil((known.lockedUntil - now) / 1000), policy, 'Too many wrong codes.', userId);
  }
}

const keyOf = (whose: UserId | Recipient): string =>
  typeof whose === 'string' ? whose : `${whose.kind} ${whose.canonical}`;
const isOf = (appId: AppId, key: string) => (row: TriesOfUser) => row.appId === appId && row.key === key;
