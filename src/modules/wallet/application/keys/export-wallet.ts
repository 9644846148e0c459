import { Injectable } from '@nestjs/common';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import type { Requester } from '../../../../kernel/requester.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade } from '../../../apps/index.js';
import { IdentityFacade } from '../../../identity/index.js';
import { KeyTransport, type SealedMessage, WalletKeys } from '../../domain/keys/wallet-keys.js';
import { writePrivateKey } from '../../domain/keys/private-key-text.js';
import { InvalidEncryptionKey } from '../../domain/keys/wallet-import.js';
import { WalletExportNotAllowed } from '../../domain/wallets/wallet.errors.js';
import { WalletExported } from '../../domain/wallets/wallet.events.js';
import type { Wallet } from '../../domain/wallets/wallet.js';
import { SigningWallets } from '../signing/sign.js';

export interface ExportedWallet {
  readonly wallet: Wallet;
  readonly message: SealedMessage;
}

@Injectable()
export class ExportWallet {
  constructor(
    private readonly wallets: SigningWallets,
    private readonly identity: IdentityFacade,
    private readonly transport: KeyTransport,
    private readonly keys: WalletKeys,
    private readonly apps: AppsFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Encrypts the private key of a wallet to a key of the caller's. That it was done is on record, as an event and in the
   * audit log, before anything leaves. Throws `WalletNotFound`, `UserInactive`, `WalletReadOnly`,
   * `WalletExportNotAllowed`, `InvalidEncryptionKey`, `AccountTaken`.
   */
  async execute(by: Requester, appId: AppId, id: WalletId, publicKey: Uint8Array): Promise<ExportedWallet> {
    const { wallet, key, owner } = await this.wallets.find(appId, id);
    const { signingPolicy } = await this.apps.settings(appId);
    if (signingPolicy.allowsExport === false) throw new WalletExportNotAllowed();
    const privateKey = this.keys.reveal(key);
    const text = writePrivateKey(wallet.walletType, wallet.publicAddress, privateKey);
    privateKey.fill(0);
    const message = await this.transport.seal(publicKey, text).finally(() => text.fill(0));
    if (!message) throw new InvalidEncryptionKey();
    await this.transactions.run(async () => {
      await this.identity.use(appId, wallet.userId, owner.isOpen);
      await this.wallets.recordKeyLeft(appId, id);
      await this.events.publish(new WalletExported(wallet));
      await this.apps.audit(by, appId, 'wallet.exported', id);
    });
    return { wallet, message };
  }
}
