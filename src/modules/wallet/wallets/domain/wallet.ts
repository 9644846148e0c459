import { type DataOf, evolve } from '../../../../kernel/entity.js';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import type { Sealed, ExtendedSealContext } from '../../../../kernel/vault.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { WalletIsManaged, WalletNotOwnedByUser, WalletReadOnly } from './wallet.errors.js';

/** Login wallets of a user. Every read of the user has all of them. */
export const MAX_LOGIN_WALLETS = 100;

/** An address of a user on a chain. Managed wallets sign with a key held sealed here, read-only ones have none. */
export class Wallet {
  declare readonly appId: AppId;
  declare readonly id: WalletId;
  declare readonly userId: UserId;
  declare readonly walletType: WalletType;
  declare readonly publicAddress: string;
  /** Whether the user is known to hold the key, or the service to hold it for them. */
  declare readonly verified: boolean;
  /** The one wallet of its type that stands for the user; at most one per user and type. */
  declare readonly isDefault: boolean;
  declare readonly isReadOnly: boolean;
  declare readonly isImported: boolean;
  /** Never erased, not even with the user: who has the key has the funds. */
  declare readonly sealedKey: Sealed | null;
  /** When the key, or a transaction that it signed for a caller, was first handed out; null while neither was. */
  declare readonly keyLeftAt: Date | null;
  /** The CAIP-2 name of the network whose contract first proved an external wallet; null where the address's own key did. */
  declare readonly contractNetwork: string | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;
  /** Set when the wallet is gone for every caller. The row stays, see `sealedKey`. */
  declare readonly deletedAt: Date | null;

  private constructor(data: DataOf<Wallet>) {
    Object.assign(this, data);
  }

  static managed({ sealed, ...place }: WalletKey, now: Date): Wallet {
    return Wallet.made(place, now, {
      isDefault: true,
      isReadOnly: false,
      isImported: false,
      sealedKey: sealed,
      contractNetwork: null,
    });
  }

  static imported(key: WalletKey, now: Date): Wallet {
    return evolve(Wallet.managed(key, now), { isDefault: false, isImported: true });
  }

  /** The key stays with its user, who proved to hold it: a sign-in method. */
  static external(place: Omit<WalletKey, 'sealed'>, now: Date, contractNetwork: string | null = null): Wallet {
    return Wallet.made(place, now, {
      isDefault: false,
      isReadOnly: true,
      isImported: true,
      sealedKey: null,
      contractNetwork,
    });
  }

  private static made(
    { walletId: id, ...place }: Omit<WalletKey, 'sealed'>,
    now: Date,
    rest: Pick<Wallet, 'isDefault' | 'isReadOnly' | 'isImported' | 'sealedKey' | 'contractNetwork'>,
  ): Wallet {
    return new Wallet({
      ...place,
      id,
      ...rest,
      verified: true,
      keyLeftAt: null,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
  }

  signingKey(): WalletKey {
    if (this.isReadOnly || this.sealedKey === null) throw new WalletReadOnly();
    const { appId, id: walletId, userId, walletType, publicAddress, sealedKey: sealed } = this;
    return { appId, walletId, userId, walletType, publicAddress, sealed };
  }

  /** Whether its account may have transactions that this service did not make. */
  mayBeUsedElsewhere(): boolean {
    return this.isImported || this.keyLeftAt !== null;
  }

  /** The deletion of a wallet whose key is stored here would lose its assets. */
  assertExternal(): void {
    if (!this.isReadOnly) throw new WalletIsManaged();
  }

  assertOwnedBy(userId: UserId): void {
    if (this.userId !== userId) throw new WalletNotOwnedByUser();
  }
}

export type WalletView = Omit<DataOf<Wallet>, 'sealedKey' | 'keyLeftAt' | 'deletedAt'>;

/** Sealed, and bound to the wallet that it signs for and to its owner. */
export interface WalletKey {
  readonly appId: AppId;
  readonly walletId: WalletId;
  readonly userId: UserId;
  readonly walletType: WalletType;
  readonly publicAddress: string;
  readonly sealed: Sealed;
}

/** Without this context, keys of two wallets could be swapped in the table. Keys sealed before their owner was bound open in `former`. */
export function walletKeyContext(key: Omit<WalletKey, 'sealed'>): ExtendedSealContext {
  const place = [key.appId, key.walletId, key.walletType, key.publicAddress] as const;
  return { current: ['wallet-key', '2', ...place, key.userId], former: ['wallet-key', '1', ...place] };
}
