import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../kernel/clock.js';
import { newId, type UserId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade } from '../../../apps/index.js';
import { type CallerSession, type Gain, IdentityFacade, type PreparedAccount } from '../../../identity/index.js';
import { SessionFacade, type SessionIntent, type VerifiedUser } from '../../../session/index.js';
import { type Registration, InvalidWalletSignature, RegistrationRepository } from '../domain/registration.js';
import { DuplicateWallet, TooManyWallets } from '../../wallets/domain/wallet.errors.js';
import { WalletCreated } from '../../wallets/domain/wallet.events.js';
import { WalletRepository } from '../../wallets/domain/wallet.repository.js';
import { MAX_LOGIN_WALLETS, Wallet, type WalletView } from '../../wallets/domain/wallet.js';
import { ManageWallets } from '../../wallets/application/manage-wallets.js';

export interface VerifiedWallet extends VerifiedUser {
  readonly wallet: WalletView;
}

interface Owner {
  readonly userId: UserId;
  readonly userCreated: boolean;
  readonly prepared: PreparedAccount | null;
  /** Null if the wallet is attached to the user by the rule for a further sign-in method. */
  readonly gain: Gain | null;
}

@Injectable()
export class SignInWithWallet {
  constructor(
    private readonly registrations: RegistrationRepository,
    private readonly wallets: WalletRepository,
    private readonly identity: IdentityFacade,
    private readonly apps: AppsFacade,
    private readonly manage: ManageWallets,
    private readonly sessions: SessionFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /**
   * Locks the address, then the user, then the registration: every use case that revokes registrations has this order. `contractNetwork` is
   * the CAIP-2 name of the network whose contract signed; null where the address's own key did.
   */
  execute(registration: Registration, intent: SessionIntent, contractNetwork: string | null): Promise<VerifiedWallet> {
    const { appId, id } = registration;
    return this.transactions.run(async () => {
      await this.wallets.lockAddress(appId, registration.publicAddress);
      const known = await this.wallets.findLogin(appId, registration.publicAddress);
      const carried = this.sessions.carriedBy(appId, intent);
      const owner = known ? null : await this.ownerOf(registration, carried);
      const wallet =
        owner === null
          ? knownFor(registration, known!)
          : await this.addWallet(registration, owner, carried, contractNetwork);
      if (known && contractNetwork !== null) await this.assertContract(known, contractNetwork);
      if (!(await this.registrations.spend(appId, id))) throw new InvalidWalletSignature();
      const { id: walletId, walletType, publicAddress, userId } = wallet;
      const factor = {
        type: 'wallet',
        deliveryChannel: walletType === 'ethereum' ? 'eth_wallet' : 'sol_wallet',
        method: { type: 'wallet', walletId, walletType, publicAddress },
      };
      const method = { isAdded: !known && registration.attaches };
      const session = await this.sessions.addFactor(appId, intent, userId, factor, method);
      return { wallet, session, userCreated: owner?.userCreated ?? false, prepared: owner?.prepared ?? null };
    });
  }

  /** Another account may own the contract at the same address of another network. */
  private async assertContract({ appId, id, contractNetwork: first }: WalletView, network: string): Promise<void> {
    if (first === null) await this.wallets.recordContractNetwork(appId, id, network);
    else if (first !== network) throw new InvalidWalletSignature();
  }

  private async addWallet(
    { appId, walletType, publicAddress }: Registration,
    { userId, gain }: Owner,
    session: CallerSession | null,
    contractNetwork: string | null,
  ): Promise<WalletView> {
    const add = async (): Promise<WalletView> => {
      const place = { appId, walletId: newId('wallet'), userId, walletType, publicAddress };
      const wallet = Wallet.external(place, this.clock.now(), contractNetwork);
      if (!(await this.wallets.add(appId, wallet))) throw new DuplicateWallet();
      await this.events.publish(new WalletCreated(wallet));
      return wallet;
    };
    if (!gain)
      return this.identity.addSignInMethod(appId, userId, { type: 'wallet', session }, async () => {
        if ((await this.wallets.countLogins(appId, userId)) >= MAX_LOGIN_WALLETS) throw new TooManyWallets();
        return add();
      });
    const wallet = await add();
    await this.identity.gained(appId, userId, 'wallet', gain);
    return wallet;
  }

  private async ownerOf({ appId, userId, attaches }: Registration, session: CallerSession | null): Promise<Owner> {
    if (attaches) return { userId, userCreated: false, prepared: null, gain: null };
    const { isGiven, prepared, ...gain } = await this.identity.claimAccount(appId, userId, { session });
    if (!isGiven) {
      const newUserId = await this.identity.register(appId);
      return { userId: newUserId, userCreated: true, prepared: null, gain: { isFirst: true } };
    }
    // A wallet is created only after the proof: any caller may begin a registration for any address.
    const { defaultWalletType } = await this.apps.settings(appId);
    if (defaultWalletType !== 'none') await this.manage.create(appId, userId, defaultWalletType);
    return { userId, userCreated: false, prepared, gain };
  }
}

function knownFor({ attaches, userId }: Registration, wallet: WalletView): WalletView {
  if (attaches && wallet.userId !== userId) throw new DuplicateWallet();
  return wallet;
}
