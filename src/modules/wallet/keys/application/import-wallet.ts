import { Injectable } from '@nestjs/common';
import { type AppId, newId, type UserId, type WalletImportId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { Vault } from '../../../../kernel/vault.js';
import { IdentityFacade, UserNotFound, UserInactive } from '../../../identity/index.js';
import { KeyTransport, type SealedMessage, WalletKeys } from '../domain/wallet-keys.js';
import {
  importKeyContext,
  WalletImportRepository,
  type WalletImport,
  InvalidPrivateKey,
  InvalidWalletImport,
  KeyInUse,
} from '../domain/wallet-import.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { Clock } from '../../../../kernel/clock.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { readPrivateKey } from '../domain/private-key-text.js';
import { type WalletKey, Wallet } from '../../wallets/domain/wallet.js';
import { DuplicateWallet } from '../../wallets/domain/wallet.errors.js';
import { WalletCreated } from '../../wallets/domain/wallet.events.js';
import { WalletRepository } from '../../wallets/domain/wallet.repository.js';

export interface BegunImport {
  readonly id: WalletImportId;
  readonly publicKey: Uint8Array;
  readonly expiresAt: Date;
}

@Injectable()
export class ImportWallet {
  static readonly refusals = [
    InvalidWalletImport,
    InvalidPrivateKey,
    DuplicateWallet,
    KeyInUse,
    UserNotFound,
    UserInactive,
  ];

  constructor(
    private readonly imports: WalletImportRepository,
    private readonly wallets: WalletRepository,
    private readonly transport: KeyTransport,
    private readonly keys: WalletKeys,
    private readonly identity: IdentityFacade,
    private readonly vault: Vault,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  async begin(appId: AppId, userId: UserId, walletType: WalletType): Promise<BegunImport> {
    await this.vault.ready(appId);
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

  async execute(appId: AppId, id: WalletImportId, message: SealedMessage): Promise<Wallet> {
    const walletImport = await this.imports.find(appId, id);
    if (!walletImport) throw new InvalidWalletImport();
    await this.vault.ready(appId);
    const key = await this.receive(walletImport, message);
    const wallet = Wallet.imported(key, this.clock.now());
    await this.transactions.run(async () => {
      await this.identity.use(appId, wallet.userId);
      if (!(await this.imports.consume(appId, id))) throw new InvalidWalletImport();
      if (await this.wallets.isKeyOfAnotherApp(appId, wallet)) throw new KeyInUse();
      if (!(await this.wallets.add(appId, wallet))) throw new DuplicateWallet();
      await this.events.publish(new WalletCreated(wallet));
    });
    return wallet;
  }

  /** The plaintext of the key exists only here. */
  private async receive(
    { appId, id, userId, walletType, sealedPrivateKey }: WalletImport,
    message: SealedMessage,
  ): Promise<WalletKey> {
    const importKey = this.vault.open(sealedPrivateKey, importKeyContext(appId, id));
    const opened = await this.transport.open(importKey, message).finally(() => importKey.fill(0));
    if (!opened) throw new InvalidWalletImport();
    const read = readPrivateKey(walletType, opened);
    opened.fill(0);
    if (!read) throw new InvalidPrivateKey();
    try {
      const wallet = { appId, walletId: newId('wallet'), userId, walletType };
      return this.keys.adopt(wallet, read.privateKey, read.publicKey);
    } finally {
      read.privateKey.fill(0);
    }
  }
}
