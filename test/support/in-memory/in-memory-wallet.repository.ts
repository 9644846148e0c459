import { evolve } from '../../../src/kernel/entity.js';
import type { AppId, UserId, WalletId } from '../../../src/kernel/ids.js';
import type { WalletType } from '../../../src/kernel/chain/chain-name.js';
import type { Page, PageRequest } from '../../../src/kernel/paging.js';
import {
  type HeldOwner,
  type OwnedWallet,
  type ReceivingWallet,
  type WalletFilter,
  WalletRepository,
} from '../../../src/modules/wallet/domain/wallets/wallet.repository.js';
import type { Wallet, WalletView } from '../../../src/modules/wallet/domain/wallets/wallet.js';
import { type InMemoryTransactions, pageOf, type Rows } from './in-memory-transactions.js';

export class InMemoryWalletRepository extends WalletRepository {
  private readonly rows: Rows<Wallet>;

  constructor(transactions: InMemoryTransactions) {
    super();
    this.rows = transactions.rows<Wallet>();
  }

  async find(appId: AppId, id: WalletId): Promise<Wallet | null> {
    return this.rows.one((row) => isLive(row, appId) && row.id === id);
  }

  /** Transactions run one after another: nothing changes until this one ends. */
  async hold(appId: AppId, id: WalletId, userId: UserId): Promise<{ wallet: Wallet; owner: HeldOwner } | null> {
    const wallet = await this.find(appId, id);
    return wallet?.userId === userId ? { wallet, owner: await this.holdOwner() } : null;
  }

  async holdOwner(): Promise<HeldOwner> {
    return { state: 'active', hasApp: true };
  }

  /** Every user is active, and every account is in use. */
  async findOwned(appId: AppId, id: WalletId): Promise<OwnedWallet | null> {
    const wallet = await this.find(appId, id);
    return wallet && { wallet, owner: { isInactive: false, isOpen: false } };
  }

  async lockAllOf(): Promise<void> {}

  async findDefault(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet | null> {
    return this.rows.one(
      (row) => isLive(row, appId) && row.userId === userId && row.walletType === walletType && row.isDefault,
    );
  }

  async addDefault(appId: AppId, wallet: Wallet): Promise<Wallet> {
    const known = await this.findDefault(appId, wallet.userId, wallet.walletType);
    if (known) return known;
    this.rows.add(wallet);
    return wallet;
  }

  async add(appId: AppId, wallet: Wallet): Promise<boolean> {
    const { publicAddress, isReadOnly } = wallet;
    const isTaken = this.rows.one(
      (row) => isLive(row, appId) && row.publicAddress === publicAddress && row.isReadOnly === isReadOnly,
    );
    if (isTaken) return false;
    this.rows.add(wallet);
    return true;
  }

  async isKeyOfAnotherApp(
    appId: AppId,
    { walletType, publicAddress }: Pick<WalletView, 'walletType' | 'publicAddress'>,
  ): Promise<boolean> {
    const isElsewhere = (row: Wallet): boolean =>
      row.appId !== appId && row.deletedAt === null && row.walletType === walletType && !row.isReadOnly;
    return this.rows.one((row) => isElsewhere(row) && row.publicAddress === publicAddress) !== null;
  }

  async findLogin(appId: AppId, publicAddress: string): Promise<WalletView | null> {
    return this.rows.one(
      (row) => isLive(row, appId) && row.publicAddress === publicAddress && row.isReadOnly && row.verified,
    );
  }

  /** Transactions run one after another: every address is free. */
  async lockAddress(): Promise<void> {}

  async recordKeyLeft(): Promise<void> {}

  async recordContractNetwork(): Promise<void> {}

  async tombstone(appId: AppId, id: WalletId): Promise<boolean> {
    return this.rows.change((row) => isLive(row, appId) && row.id === id, deleted) > 0;
  }

  async list(appId: AppId, page: PageRequest<WalletId>, { userId, ids }: WalletFilter = {}): Promise<Page<WalletView>> {
    const isListed = (wallet: Wallet): boolean =>
      (userId === undefined || wallet.userId === userId) && (ids?.includes(wallet.id) ?? true);
    return pageOf(
      this.rows.where((row) => isLive(row, appId) && isListed(row)),
      page,
    );
  }

  async hasAny(walletType: WalletType): Promise<boolean> {
    return this.rows.one((row) => row.deletedAt === null && row.walletType === walletType) !== null;
  }

  async receiving(walletType: WalletType, addresses: readonly string[]): Promise<ReceivingWallet[]> {
    return this.rows
      .where((row) => row.deletedAt === null && row.walletType === walletType && addresses.includes(row.publicAddress))
      .toSorted((one, other) => Number(one.isReadOnly) - Number(other.isReadOnly))
      .map((row) => ({ ...row, since: row.isImported || row.isReadOnly ? row.createdAt : null }));
  }

  async tombstoneAllOf(appId: AppId, userId: UserId): Promise<void> {
    this.rows.change((row) => isLive(row, appId) && row.userId === userId, deleted);
  }
}

const isLive = (row: Wallet, appId: AppId): boolean => row.appId === appId && row.deletedAt === null;
const deleted = (row: Wallet): Wallet => evolve<Wallet>(row, { deletedAt: new Date() });
