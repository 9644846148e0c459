import type { AppId, UserId, WalletImportId } from '../../../../kernel/ids.js';
import type { SealContext, Sealed } from '../../../../kernel/vault.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';

/** The minutes for which a key waits for the private key encrypted to it. */
export const IMPORT_MINUTES = 10;

/** A place for one private key to arrive at. */
export interface WalletImport {
  readonly appId: AppId;
  readonly id: WalletImportId;
  /** The user who will own the wallet. */
  readonly userId: UserId;
  readonly walletType: ChainName;
  /** The half by which the private key is decrypted. */
  readonly sealedPrivateKey: Sealed;
}

export function importKeyContext(appId: AppId, id: WalletImportId): SealContext {
  return ['wallet-import-key', appId, id];
}

export abstract class WalletImportRepository {
  /** Returns when it expires. */
  abstract add(walletImport: WalletImport): Promise<Date>;

  /** The import, or null when it is unknown, used or has ended by the database's clock. */
  abstract find(appId: AppId, id: WalletImportId): Promise<WalletImport | null>;

  /** Spends the import and deletes its key. Of simultaneous callers, one gets true. */
  abstract consume(appId: AppId, id: WalletImportId): Promise<boolean>;

  /** Forgets all open imports of a user. */
  abstract removeAllOf(appId: AppId, userId: UserId): void;
}
