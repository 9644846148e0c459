import type { Clock } from '../../../src/kernel/clock.js';
import { TooManyRequests } from '../../../src/kernel/errors.js';
import type { AppId, TotpId, UserId } from '../../../src/kernel/ids.js';
import {
  type HeldTotp,
  TotpRepository,
  type SealedTotp,
  type Totp,
  TRIES,
} from '../../../src/modules/totp/domain/totp.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row extends Omit<Totp, 'asOf'> {
  readonly expiresAt: number;
  readonly lastUsedStep: number;
  readonly tries: number;
  readonly lastTriedAt: number;
}

export class InMemoryTotpRepository extends TotpRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
    private readonly ownerOfAll: (appId: AppId, userId: UserId) => HeldTotp['owner'] = () => 'active',
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  async enrol(totp: SealedTotp, minutes: number): Promise<boolean> {
    const isOfUser = ofUser(totp.appId, totp.userId);
    if (this.rows.one(isOfUser)?.isActive) return false;
    const expiresAt = this.now + minutes * 60_000;
    this.rows.remove(isOfUser);
    const unused = {
      isActive: false,
      usedRecoveryCodes: [],
      lastUsedStep: -1,
      tries: 0,
      lastTriedAt: 0,
    };
    this.rows.add({ ...totp, ...unused, expiresAt });
    return true;
  }

  async ofUser(appId: AppId, userId: UserId): Promise<HeldTotp> {
    return this.held(appId, userId);
  }

  async tryOf(appId: AppId, userId: UserId): Promise<HeldTotp> {
    const isTried = (row: Row): boolean => ofUser(appId, userId)(row) && this.isLive(row);
    this.rows.change(isTried, (row) => this.tried(row));
    const row = this.rows.one(isTried);
    const held = this.held(appId, userId);
    if (!row || row.tries <= TRIES.max || held.owner === 'unknown') return held;
    const seconds = Math.ceil((row.lastTriedAt - this.now) / 1000) + TRIES.seconds;
    const policy = { name: 'totp-tries', quota: TRIES.max, windowSeconds: TRIES.seconds };
    throw new TooManyRequests(Math.max(1, seconds), policy, 'Too many wrong codes.', userId);
  }

  async spendStep({ appId, id }: Totp, step: number): Promise<{ readonly isActivation: boolean } | null> {
    const isMeant = (row: Row): boolean => this.isSpendable(row, appId, id) && row.lastUsedStep < step;
    const found = this.rows.one(isMeant);
    this.rows.change(isMeant, (row) => ({ ...row, lastUsedStep: step, isActive: true, tries: 0 }));
    return found && { isActivation: !found.isActive };
  }

  async spendRecoveryCode({ appId, id }: Totp, position: number): Promise<boolean> {
    const isMeant = (row: Row): boolean =>
      this.isSpendable(row, appId, id) && row.isActive && !row.usedRecoveryCodes.includes(position);
    const spent = (row: Row): Row => ({ ...row, usedRecoveryCodes: [...row.usedRecoveryCodes, position], tries: 0 });
    return this.rows.change(isMeant, spent) > 0;
  }

  async recordReading(): Promise<void> {}

  async ownerOf(appId: AppId, id: TotpId): Promise<UserId | null> {
    return this.rows.one((row) => isOf(row, appId, id) && this.isLive(row))?.userId ?? null;
  }

  async remove(appId: AppId, id: TotpId): Promise<boolean> {
    return this.rows.remove((row) => isOf(row, appId, id)) > 0;
  }

  forgetTries(appId: AppId, userId: UserId): void {
    this.rows.change(ofUser(appId, userId), (row) => ({ ...row, tries: 0 }));
  }

  async removeAllOf(appId: AppId, userId: UserId): Promise<number> {
    return this.rows.remove(ofUser(appId, userId));
  }

  private get now(): number {
    return this.clock.now().getTime();
  }

  private held(appId: AppId, userId: UserId): HeldTotp {
    const owner = this.ownerOfAll(appId, userId);
    const row = this.rows.one((each) => ofUser(appId, userId)(each) && this.isLive(each));
    if (owner === 'unknown' || !row) return { owner, totp: null };
    const { id, sealedSecret, sealedRecoveryCodes, isActive, usedRecoveryCodes } = row;
    const asOf = this.clock.now();
    return {
      owner,
      totp: {
        appId,
        id,
        userId,
        sealedSecret,
        sealedRecoveryCodes,
        isActive,
        usedRecoveryCodes,
        asOf,
      },
    };
  }

  private tried(row: Row): Row {
    const isConsecutive = row.lastTriedAt > this.now - TRIES.seconds * 1000;
    const isRefused = isConsecutive && row.tries >= TRIES.max;
    return {
      ...row,
      tries: isConsecutive ? Math.min(row.tries, TRIES.max) + 1 : 1,
      lastTriedAt: isRefused ? row.lastTriedAt : this.now,
    };
  }

  private isSpendable(row: Row, appId: AppId, id: TotpId): boolean {
    return isOf(row, appId, id) && this.isLive(row) && this.ownerOfAll(appId, row.userId) !== 'unknown';
  }

  private isLive({ isActive, expiresAt }: Row): boolean {
    return isActive || expiresAt > this.now;
  }
}

const isOf = (row: Row, appId: AppId, id: TotpId): boolean => row.appId === appId && row.id === id;
const ofUser = (appId: AppId, userId: UserId) => (row: Row) => row.appId === appId && row.userId === userId;
