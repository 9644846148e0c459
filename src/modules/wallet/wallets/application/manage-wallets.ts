import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import { type AppId, newId, type UserId, type WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { IdentityFacade, type Remover } from '../../../identity/index.js';
import { WalletKeys } from '../../keys/domain/wallet-keys.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { WalletCreated, WalletDeleted } from '../domain/wallet.events.js';
import { WalletRepository } from '../domain/wallet.repository.js';
import { Wallet } from '../domain/wallet.js';
import { WalletNotFound } from '../domain/wallet.errors.js';

@Injectable()
export class ManageWallets {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly keys: WalletKeys,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  create(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet> {
    return this.transactions.run(async () => {
      await this.identity.holdActive(appId, userId);
      return (await this.wallets.findDefault(appId, userId, walletType)) ?? this.add(appId, userId, walletType);
    });
  }

  /** Adds the wallet of a user made in the same transaction, who has none yet. */
  async add(appId: AppId, userId: UserId, walletType: WalletType): Promise<Wallet> {
    const key = this.keys.create({ appId, walletId: newId('wallet'), userId, walletType });
    const wallet = await this.wallets.addDefault(appId, Wallet.managed(key, this.clock.now()));
    if (wallet.id === key.walletId) await this.events.publish(new WalletCreated(wallet));
    return wallet;
  }

  async get(appId: AppId, id: WalletId): Promise<Wallet> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    return wallet;
  }

  /** Frees the address. The last sign-in method stays, and so does every wallet whose key is here. */
  async delete(appId: AppId, id: WalletId, remover: Remover): Promise<UserId> {
    const wallet = await this.get(appId, id);
    wallet.assertExternal();
    await this.identity.removeSignInMethod(appId, wallet.userId, { type: 'wallet', id }, remover, async () => {
      if (!(await this.wallets.tombstone(appId, id))) throw new WalletNotFound();
      await this.events.publish(new WalletDeleted(wallet));
    });
    return wallet.userId;
  }
}
