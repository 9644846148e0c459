import { evolve } from '../../../src/kernel/entity.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { AppId, UserId, WalletRegistrationId } from '../../../src/kernel/ids.js';
import {
  REGISTRATION_MINUTES,
  type Registration,
  type RegistrationForm,
  type OpenRegistration,
  type RegistrationClues,
  RegistrationRepository,
} from '../../../src/modules/wallet/domain/login/registration.js';
import type { InMemoryTransactions, Rows } from './in-memory-transactions.js';

interface Row extends Registration {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly isSpent: boolean;
}

export class InMemoryRegistrationRepository extends RegistrationRepository {
  private readonly rows: Rows<Row>;

  constructor(
    transactions: InMemoryTransactions,
    private readonly clock: Clock,
    private readonly userExists: (appId: AppId, userId: UserId) => boolean = () => true,
  ) {
    super();
    this.rows = transactions.rows<Row>();
  }

  async add(registration: Registration): Promise<Registration & { createdAt: Date; expiresAt: Date }> {
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + REGISTRATION_MINUTES * 60_000);
    this.rows.add({ ...registration, createdAt, expiresAt, isSpent: false });
    return { ...registration, createdAt, expiresAt };
  }

  async findOpen(
    appId: AppId,
    form: RegistrationForm,
    clues: RegistrationClues,
    limit: number,
  ): Promise<OpenRegistration[]> {
    return this.rows
      .where((row) => this.isOpen(row, appId) && row.form === form && agrees(row, clues))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
      .map(({ isSpent: _isSpent, expiresAt: _expiresAt, ...row }) => ({ ...row, asOf: this.clock.now() }));
  }

  async spend(appId: AppId, id: WalletRegistrationId): Promise<boolean> {
    return this.rows.change((row) => this.isOpen(row, appId) && row.id === id, spent) > 0;
  }

  async keptUser(appId: AppId, publicAddress: string): Promise<UserId | null> {
    const kept = this.rows.where(
      (row) =>
        row.appId === appId &&
        row.publicAddress === publicAddress &&
        !row.isSpent &&
        !row.attaches &&
        this.userExists(appId, row.userId),
    );
    return kept.at(-1)?.userId ?? null;
  }

  revokeAllOf(appId: AppId, userId: UserId): void {
    this.rows.change((row) => row.appId === appId && row.userId === userId && row.attaches, spent);
  }

  /** Nothing in memory lives long enough to be removed. */
  async removeEnded(): Promise<number> {
    return 0;
  }

  private isOpen(row: Row, appId: AppId): boolean {
    return row.appId === appId && !row.isSpent && row.expiresAt > this.clock.now();
  }
}

function agrees(row: Row, { id, publicAddress, nonce }: RegistrationClues): boolean {
  return (
    (id === undefined || row.id === id) &&
    (publicAddress === undefined || row.publicAddress === publicAddress) &&
    (nonce === undefined || row.nonce === nonce)
  );
}

const spent = (row: Row): Row => evolve<Row>(row, { isSpent: true });
