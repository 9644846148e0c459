import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../../kernel/paging.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import type { Wallet, WalletView } from './wallet.js';

export interface OwnedWallet {
  readonly wallet: Wallet;
  readonly owner: {
    readonly isInactive: boolean;
    /** Whether the account passes to the person who proves its address, because nothing was made on it yet. */
    readonly isOpen: boolean;
  };
}

export interface ReceivingWallet {
  readonly appId: AppId;
  readonly id: WalletId;
  readonly userId: UserId;
  readonly publicAddress: string;
  /** Earlier payments are not the wallet's. Null if there are none, because the key was made with the wallet. */
  readonly since: Date | null;
}

/** `unknown`: the user is deleted, and the wallet with the user. */
export interface HeldOwner {
  readonly state: 'active' | 'inactive' | 'unknown';
  readonly hasApp: boolean;
}

export interface WalletFilter {
  readonly userId?: UserId;
  readonly ids?: readonly WalletId[];
}

/** Tombstoned wallets are never found. */
export abstract class WalletRepository {
  abstract find(appId: AppId, id: WalletId): Promise<Wallet | null>;

  abstract findOwned(appId: AppId, id: WalletId): Promise<OwnedWallet | null>;

  /** Until the transaction ends, user, app and policies are neither deleted nor changed. With another revision, it runs again. */
  abstract holdOwner(appId: AppId, userId: UserId, signingRevision: string): Promise<HeldOwner>;

  /** Holds as `holdOwner` does, then locks the wallet of this user. */
  abstract hold(
    appId: AppId,
    id: WalletId,
    userId: UserId,
    signingRevision: string,
  ): Promise<{ readonly wallet: Wallet; readonly owner: HeldOwner } | null>;

  abstract findDefault(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet | null>;

  /** Returns the default that the user already has. A partial unique index decides between callers, so all get the same wallet. */
  abstract addDefault(appId: AppId, wallet: Wallet): Promise<Wallet>;

  /** False if the app has a wallet of the same sort (signing or read-only) at the address. */
  abstract add(appId: AppId, wallet: Wallet): Promise<boolean>;

  /** Blocks imports of the key in every app until the transaction ends. */
  abstract isKeyOfAnotherApp(appId: AppId, wallet: Pick<WalletView, 'walletType' | 'publicAddress'>): Promise<boolean>;

  /** The wallet whose user logs in by proving the address, or null. */
  abstract findLogin(appId: AppId, publicAddress: string): Promise<WalletView | null>;

  abstract countLogins(appId: AppId, userId: UserId): Promise<number>;

  abstract lockAddress(appId: AppId, publicAddress: string): Promise<void>;

  /** Waits for transactions that hold a wallet of the user, and blocks new ones, until the transaction ends. */
  abstract lockAllOf(appId: AppId, userId: UserId): Promise<void>;

  abstract tombstone(appId: AppId, id: WalletId): Promise<boolean>;

  /** Records that the key, or a transaction that it signed, is handed out. The first time counts. */
  abstract recordKeyLeft(appId: AppId, id: WalletId): Promise<void>;

  /** The first network counts. */
  abstract recordContractNetwork(appId: AppId, id: WalletId, network: string): Promise<void>;

  /** Newest first. */
  abstract list(appId: AppId, page: PageRequest<WalletId>, filter?: WalletFilter): Promise<Page<WalletView>>;

  abstract hasAny(walletType: WalletType): Promise<boolean>;

  /** The wallets of all apps at these addresses. Of two at one address in an app, the one that signs comes first. */
  abstract receiving(walletType: WalletType, addresses: readonly string[]): Promise<readonly ReceivingWallet[]>;

  abstract idsOf(appId: AppId, userId: UserId): Promise<readonly WalletId[]>;

  /** Sealed keys stay. */
  abstract tombstoneAllOf(appId: AppId, userId: UserId): Promise<void>;
}
