import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId } from '../../../src/kernel/ids.js';
import type { TokenHash } from '../../../src/kernel/secret-tokens.js';
import {
  type MethodId,
  type Passcode,
  PasscodeRepository,
  type SentCode,
  type TriedPasscode,
} from '../../../src/modules/otp/domain/passcode.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row extends Omit<TriedPasscode, 'isLive' | 'codes' | 'asOf'> {
  readonly expiresAt: Date;
  /** The last three codes, the newest first. */
  readonly codes: readonly { readonly hash: TokenHash; readonly expiresAt: Date; readonly ended?: SentCode }[];
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

  add({ codeHash: hash, ...passcode }: Passcode, minutes: number): void {
    const isSame = (row: Row): boolean => isOf(row, passcode.appId, passcode.methodId);
    const before = this.rows.one(isSame);
    const generation = (before?.generation ?? 0) + 1;
    const expiresAt = new Date(this.clock.now().getTime() + minutes * 60_000);
    const isProved = this.isProved(passcode.methodId);
    const codes = [{ hash, expiresAt }, ...(before ? this.ended(before, 'replaced') : [])].slice(0, 3);
    this.rows.remove(isSame);
    this.rows.add({ ...passcode, generation, tries: 0, isProved, expiresAt, codes });
  }

  async beginTry(appId: AppId, methodId: MethodId, sessionUserId: UserId | null): Promise<TriedPasscode | null> {
    const isMeant = (row: Row): boolean => isOf(row, appId, methodId);
    this.rows.change(isMeant, (row) => {
      const isCounted = sessionUserId === null || sessionUserId === row.userId;
      return { ...row, tries: row.tries + (isCounted ? 1 : 0) };
    });
    const found = this.rows.one(isMeant);
    if (!found) return null;
    const { expiresAt, codes, ...passcode } = found;
    const asOf = this.clock.now();
    return {
      ...passcode,
      isLive: passcode.sealedCode !== null && expiresAt > asOf,
      asOf,
      codes: codes.map(({ hash, expiresAt: endsAt, ended }) => ended ?? { hash, endsAt, ending: 'expired' }),
    };
  }

  async spend({ appId, methodId, generation, userId }: TriedPasscode): Promise<boolean> {
    const isMeant = (row: Row): boolean =>
      isOf(row, appId, methodId) &&
      row.generation === generation &&
      row.sealedCode !== null &&
      this.userExists(appId, userId);
    return this.rows.change(isMeant, (row) => this.spent(row)) > 0;
  }

  giveBackTry({ appId, methodId, generation }: TriedPasscode): void {
    this.rows.change(
      (row) => isOf(row, appId, methodId) && row.generation === generation,
      (row) => ({ ...row, tries: row.tries - 1 }),
    );
  }

  async revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number> {
    return this.rows.change(
      (row) =>
        row.appId === appId && row.userId === userId && row.sealedCode !== null && !except.includes(row.methodId),
      (row) => this.spent(row),
    );
  }

  private spent(row: Row): Row {
    return { ...row, sealedCode: null, codes: this.ended(row, 'spent') };
  }

  /** The codes of the row, of which the newest ends now unless it has ended. */
  private ended({ codes: [newest, ...older] }: Row, ending: 'replaced' | 'spent'): Row['codes'] {
    const { hash, expiresAt, ended } = newest!;
    const now = this.clock.now();
    const isExpired = expiresAt <= now;
    const how: SentCode = { hash, endsAt: isExpired ? expiresAt : now, ending: isExpired ? 'expired' : ending };
    return [{ hash, expiresAt, ended: ended ?? how }, ...older];
  }
}

const isOf = (row: Row, appId: AppId, methodId: MethodId): boolean => row.appId === appId && row.methodId === methodId;
