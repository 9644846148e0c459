import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import type { Wallet, WalletView } from './wallet.js';

/** A wallet and its user. */
export interface OwnedWallet {
  readonly wallet: Wallet;
  readonly owner: {
    readonly isInactive: boolean;
    /** Whether the account passes to the person who proves its address, because nothing was made on it yet. */
    readonly isOpen: boolean;
  };
}

/** A wallet at an address that received a payment. */
export interface ReceivingWallet {
  readonly appId: AppId;
  readonly id: WalletId;
  readonly userId: UserId;
  readonly publicAddress: string;
  /** Payments of before are not the wallet's; null when there are none, because its key was made with it. */
  readonly since: Date | null;
}

/** The state of a wallet's user and app while they are held. `unknown`: the user is deleted, and the wallet with the user. */
export interface HeldOwner {
  readonly state: 'active' | 'inactive' | 'unknown';
  /** False when the app has been deleted. */
  readonly hasApp: boolean;
}

/** A filter of the listed wallets; all wallets of the app are listed if it is empty. */
export interface WalletFilter {
  readonly userId?: UserId;
  readonly ids?: readonly WalletId[];
}

/** Keeps wallets. Tombstoned ones are never found. */
export abstract class WalletRepository {
  /** The wallet with its sealed key, or null. */
  abstract find(appId: AppId, id: WalletId): Promise<Wallet | null>;

  /** The wallet with its sealed key, and its user; or null. */
  abstract findOwned(appId: AppId, id: WalletId): Promise<OwnedWallet | null>;

  /**
   * Keeps the user from being deleted or deactivated, and the app from being deleted, until the transaction ends, and the app's policies
   * from being changed. If these are not of this revision, the transaction runs again.
   */
  abstract holdOwner(appId: AppId, userId: UserId, signingRevision: string): Promise<HeldOwner>;

  /** Holds as `holdOwner` does, and then the wallet of this user, which is returned. */
  abstract hold(
    appId: AppId,
    id: WalletId,
    userId: UserId,
    signingRevision: string,
  ): Promise<{ readonly wallet: Wallet; readonly owner: HeldOwner } | null>;

  /** The user's default wallet of the type, or null. */
  abstract findDefault(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet | null>;

  /**
   * Stores a user's default wallet and returns it; when the user already has a default of the type, stores nothing and
   * returns that one. A partial unique index decides between callers at the same time, so all get the same wallet.
   */
  abstract addDefault(appId: AppId, wallet: Wallet): Promise<Wallet>;

  /** Stores a wallet; false, and nothing is stored, when the address has one of its sort (signing or read-only) in the app. */
  abstract add(appId: AppId, wallet: Wallet): Promise<boolean>;

  /**
   * Whether a live wallet of another app signs for the address. No import of its key goes on in any app until the transaction ends.
   */
  abstract isKeyOfAnotherApp(appId: AppId, wallet: Pick<WalletView, 'walletType' | 'publicAddress'>): Promise<boolean>;

  /** The wallet whose user logs in by proving the address, or null. */
  abstract findLogin(appId: AppId, publicAddress: string): Promise<WalletView | null>;

  /** Locks the address until the transaction ends. */
  abstract lockAddress(appId: AppId, publicAddress: string): Promise<void>;

  /** Locks all wallets of a user until the transaction ends: waits for transactions that hold one, and blocks new ones. */
  abstract lockAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Tombstones a wallet; false when there is none. */
  abstract tombstone(appId: AppId, id: WalletId): Promise<boolean>;

  /** Records that its key, or a transaction that it signed, is handed out. The first time counts. */
  abstract recordKeyLeft(appId: AppId, id: WalletId): Promise<void>;

  /** Records the network whose contract has proved the wallet. The first one counts. */
  abstract recordContractNetwork(appId: AppId, id: WalletId, network: string): Promise<void>;

  /** Newest first, at most `limit` of them, and whether there are more. */
  abstract list(appId: AppId, page: PageRequest<WalletId>, filter?: WalletFilter): Promise<Page<WalletView>>;

  /** Whether any app has a wallet of the type. */
  abstract hasAny(walletType: WalletType): Promise<boolean>;

  /** The wallets of all apps at these addresses. Of an app that has two at one address, the one that signs comes first. */
  abstract receiving(walletType: WalletType, addresses: readonly string[]): Promise<readonly ReceivingWallet[]>;

  /** The ids of the user's wallets. */
  abstract idsOf(appId: AppId, userId: UserId): Promise<readonly WalletId[]>;

  /** Tombstones all wallets of a user. Sealed keys stay. */
  abstract tombstoneAllOf(appId: AppId, userId: UserId): Promise<void>;
}
