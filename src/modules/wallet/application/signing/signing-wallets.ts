import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../../kernel/event-types.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/outbox.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { IdentityFacade, UserInactive } from '../../../identity/index.js';
import type { WalletKey } from '../../domain/wallets/wallet-key.js';
import { WalletNotFound } from '../../domain/wallets/wallet.errors.js';
import { type OwnedWallet, WalletRepository } from '../../domain/wallets/wallet.repository.js';

/** A wallet whose user may use it, with its key. */
export interface SigningWallet extends OwnedWallet {
  readonly key: WalletKey;
}

/** Every use of a key that a caller asks for begins and ends here. */
@Injectable()
export class SigningWallets {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
  ) {}

  /** Throws `WalletNotFound`, `UserInactive`, `WalletReadOnly`. */
  async find(appId: AppId, id: WalletId): Promise<SigningWallet> {
    const found = await this.wallets.findOwned(appId, id);
    if (!found) throw new WalletNotFound();
    if (found.owner.isInactive) throw new UserInactive();
    return { ...found, key: found.wallet.signingKey() };
  }

  /** Records that the account may have transactions that this service did not make. Call it before the caller can make one. */
  recordKeyLeft(appId: AppId, id: WalletId): Promise<void> {
    return this.wallets.recordKeyLeft(appId, id);
  }

  /**
   * Stores the event of a use, before its result is returned. The first use closes the account: a person who proves its address
   * later does not get a wallet that signed for another person. Throws `AccountTaken` if the account has passed meanwhile.
   */
  async record({ wallet, owner }: SigningWallet, event: DomainEvent): Promise<void> {
    if (!owner.isOpen) return this.events.record(event);
    await this.transactions.run(async () => {
      await this.identity.use(wallet.appId, wallet.userId, owner.isOpen);
      await this.events.publish(event);
    });
  }
}
