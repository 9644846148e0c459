import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import type { AppId, UserId } from '../../../../kernel/ids.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { IdentityFacade, UserNotFound, UserInactive } from '../../../identity/index.js';
import {
  type KeptRegistration,
  newRegistration,
  type RegistrationForm,
  InvalidPublicAddress,
  RegistrationRepository,
} from '../domain/registration.js';
import { SignatureVerifier } from '../domain/sign-in-text.js';
import type { WalletType } from '../../../../kernel/chain/chain-name.js';
import { DuplicateWallet } from '../../wallets/domain/wallet.errors.js';
import { WalletRepository } from '../../wallets/domain/wallet.repository.js';

export interface AskedRegistration {
  readonly walletType: WalletType;
  readonly publicAddress: string;
  /** The user who gets the wallet. Absent: the wallet's owner, or a new user. */
  readonly userId?: UserId;
  /** Whether the calling key is bound to the user. */
  readonly isBound?: boolean;
}

export interface BegunRegistration extends KeptRegistration {
  readonly userCreated: boolean;
}

@Injectable()
export class BeginRegistration {
  static readonly refusals = [InvalidPublicAddress, DuplicateWallet, UserNotFound, UserInactive];

  constructor(
    private readonly registrations: RegistrationRepository,
    private readonly wallets: WalletRepository,
    private readonly verifier: SignatureVerifier,
    private readonly identity: IdentityFacade,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Any caller may begin for any address, so a challenge gives no rights. */
  execute(appId: AppId, form: RegistrationForm, asked: AskedRegistration): Promise<BegunRegistration> {
    const { walletType } = asked;
    const publicAddress = this.verifier.address(walletType, asked.publicAddress);
    if (publicAddress === null) throw new InvalidPublicAddress(walletType);
    return this.transactions.run(async () => {
      const { userId, userCreated } = asked.userId
        ? await this.namedUser(appId, publicAddress, asked.userId, asked.isBound ?? false)
        : await this.userOf(appId, publicAddress);
      const attaches = asked.userId !== undefined;
      const registration = newRegistration(
        { appId, form, walletType, publicAddress, userId, attaches },
        this.clock.now(),
      );
      return { userCreated, ...(await this.registrations.add(registration)) };
    });
  }

  private async namedUser(appId: AppId, publicAddress: string, userId: UserId, isBound: boolean): Promise<Holder> {
    await this.identity.holdActive(appId, userId);
    const known = await this.wallets.findLogin(appId, publicAddress);
    // The response to a bound key must not show which addresses have accounts. The signature is refused later, from the holder of the key.
    if (known && known.userId !== userId && !isBound) throw new DuplicateWallet();
    return { userId, userCreated: false };
  }

  /** The user who logs in with the address, else the account kept for it, else a new account, which is then kept for it. */
  private async userOf(appId: AppId, publicAddress: string): Promise<Holder> {
    // However many ask at once, they keep one account for the address.
    await this.wallets.lockAddress(appId, publicAddress);
    const known = await this.wallets.findLogin(appId, publicAddress);
    if (known) {
      await this.identity.holdActive(appId, known.userId);
      return { userId: known.userId, userCreated: false };
    }
    const kept = await this.registrations.keptUser(appId, publicAddress);
    return { userId: kept ?? (await this.identity.reserve(appId)), userCreated: kept === null };
  }
}

interface Holder {
  readonly userId: UserId;
  readonly userCreated: boolean;
}
