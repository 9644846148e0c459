import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import {
  PasscodeRepository,
  type TriedPasscode,
  type MethodId,
  type Passcode,
} from '../../../src/modules/otp/domain/passcode.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row extends TriedPasscode {
  readonly expiresAt: Date;
  readonly isSpent: boolean;
}

export class InMemoryPasscodeRepository extends PasscodeRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
    private readonly userExists: (appId: AppId, userId: UserId) => boolean = () => true,
    private readonly isProved: (methodId: MethodId) => boolean = () => true,
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  add(passcode: Passcode, minutes: number): void {
    const isSame = (row: Row): boolean => isOf(row, passcode.appId, passcode.methodId);
    const generation = (this.rows.one(isSame)?.generation ?? 0) + 1;
    const expiresAt = new Date(this.clock.now().getTime() + minutes * 60_000);
    this.rows.remove(isSame);
    this.rows.add({
      ...passcode,
      generation,
      tries: 0,
      isProved: this.isProved(passcode.methodId),
      expiresAt,
      isSpent: false,
    });
  }

  async beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null> {
    const isMeant = (row: Row): boolean =>
      isOf(row, appId, methodId) && !row.isSpent && row.expiresAt > this.clock.now();
    this.rows.change(isMeant, (row) => {
      const isCounted = sessionUserId === null || sessionUserId === row.userId;
      return { ...row, tries: row.tries + (isCounted ? 1 : 0) };
    });
    const found = this.rows.one(isMeant);
    if (!found) return null;
    const { isSpent: _isSpent, expiresAt: _expiresAt, ...passcode } = found;
    return passcode;
  }

  async spend({ appId, methodId, generation, userId }: TriedPasscode): Promise<boolean> {
    const isMeant = (row: Row): boolean =>
      isOf(row, appId, methodId) && row.generation === generation && !row.isSpent && this.userExists(appId, userId);
    return this.rows.change(isMeant, spent) > 0;
  }

  giveBackTry({ appId, methodId, generation }: TriedPasscode): void {
    this.rows.change(
      (row) => isOf(row, appId, methodId) && row.generation === generation,
      (row) => ({ ...row, tries: row.tries - 1 }),
    );
  }

  revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): void {
    const isKept = ({ methodId }: Row): boolean => except.includes(methodId);
    this.rows.change((row) => row.appId === appId && row.userId === userId && !isKept(row), spent);
  }
}

const isOf = (row: Row, appId: AppId, methodId: MethodId): boolean => row.appId === appId && row.methodId === methodId;
const spent = (row: Row): Row => ({ ...row, isSpent: true });
