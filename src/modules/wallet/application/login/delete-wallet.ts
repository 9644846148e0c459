import { Injectable } from '@nestjs/common';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { IdentityFacade } from '../../../identity/index.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { WalletDeleted } from '../../domain/wallets/wallet.events.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';

@Injectable()
export class DeleteWallet {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Takes a login wallet from its user, who is returned, and frees the address. The last sign-in method stays, and so does
   * every wallet whose key is here.
   */
  async execute(appId: AppId, id: WalletId): Promise<UserId> {
    const wallet = await this.wallets.find(appId, id);
    if (!wallet) throw new WalletNotFound();
    wallet.assertExternal();
    await this.identity.removeSignInMethod(appId, wallet.userId, { type: 'wallet', id }, async () => {
      if (!(await this.wallets.tombstone(appId, id))) throw new WalletNotFound();
      await this.events.publish(new WalletDeleted(wallet));
    });
    return wallet.userId;
  }
}
