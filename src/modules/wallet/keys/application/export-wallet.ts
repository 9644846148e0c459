import { Injectable } from '@nestjs/common';
import type { Requester } from '../../../../kernel/requester.js';
import { AppsFacade } from '../../../apps/index.js';
import { KeyTransport, type SealedMessage, WalletKeys } from '../domain/wallet-keys.js';
import { writePrivateKey } from '../domain/private-key-text.js';
import { InvalidEncryptionKey } from '../domain/wallet-import.js';
import { WalletExported } from '../../wallets/domain/wallet.events.js';
import type { Wallet, WalletKey } from '../../wallets/domain/wallet.js';
import { SigningWallets, type Used, type WalletCall } from '../../signing/application/sign.js';
import { WalletExportNotAllowed } from '../../../policy/index.js';

@Injectable()
export class ExportWallet {
  static readonly refusals = [...SigningWallets.refusals, WalletExportNotAllowed, InvalidEncryptionKey];

  constructor(
    private readonly wallets: SigningWallets,
    private readonly transport: KeyTransport,
    private readonly keys: WalletKeys,
    private readonly apps: AppsFacade,
  ) {}

  /** The event and the audit log record the export before anything leaves. */
  execute(by: Requester, call: WalletCall, publicKey: Uint8Array): Promise<Used<SealedMessage>> {
    const { appId, id } = call;
    return this.wallets.use(call, (wallet, key) => ({
      use: { operation: 'export', encryptionPublicKey: Buffer.from(publicKey).toString('base64') },
      act: () => this.seal(wallet, key, publicKey),
      event: new WalletExported(wallet),
      store: async () => {
        await this.wallets.recordKeyLeft(appId, id);
        await this.apps.audit(by, appId, 'wallet.exported', id);
      },
    }));
  }

  private async seal(wallet: Wallet, key: WalletKey, publicKey: Uint8Array): Promise<SealedMessage> {
    const privateKey = this.keys.reveal(key);
    const text = writePrivateKey(wallet.walletType, wallet.publicAddress, privateKey);
    privateKey.fill(0);
    const message = await this.transport.seal(publicKey, text).finally(() => text.fill(0));
    if (!message) throw new InvalidEncryptionKey();
    return message;
  }
}
