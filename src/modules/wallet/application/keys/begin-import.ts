import { Injectable } from '@nestjs/common';
import { type AppId, newId, type UserId, type WalletImportId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Vault } from '../../../../kernel/vault.js';
import { IdentityFacade } from '../../../identity/index.js';
import { KeyTransport } from '../../domain/keys/key-transport.js';
import { importKeyContext, WalletImportRepository } from '../../domain/keys/wallet-import.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';

export interface BegunImport {
  readonly id: WalletImportId;
  /** The public key to which the private key must be encrypted. */
  readonly publicKey: Uint8Array;
  readonly expiresAt: Date;
}

@Injectable()
export class BeginImport {
  constructor(
    private readonly imports: WalletImportRepository,
    private readonly transport: KeyTransport,
    private readonly identity: IdentityFacade,
    private readonly vault: Vault,
    private readonly transactions: Transactions,
  ) {}

  /** Makes a key for one import into a wallet of the user. Throws `UserNotFound`, `UserInactive`. */
  async execute(appId: AppId, userId: UserId, walletType: ChainName): Promise<BegunImport> {
    const id = newId('walletImport');
    const { publicKey, privateKey } = await this.transport.generate();
    const sealedPrivateKey = this.vault.seal(privateKey, importKeyContext(appId, id));
    privateKey.fill(0);
    const expiresAt = await this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      return this.imports.add({ appId, id, userId, walletType, sealedPrivateKey });
    });
    return { id, publicKey, expiresAt };
  }
}
