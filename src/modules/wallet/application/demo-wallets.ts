import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { exampleId, EXAMPLES, secondExampleId } from '../../../kernel/examples.js';
import type { AppId } from '../../../kernel/ids.js';
import { DemoData } from '../../apps/index.js';
import { WalletKeys } from '../domain/keys/wallet-keys.js';
import { Wallet } from '../domain/wallets/wallet.js';
import { WalletRepository } from '../domain/wallets/wallet.repository.js';

/** The wallets of the demo user: one whose key is public and which the local chain funds, and one to sign in with. */
@Injectable()
export class DemoWallets implements OnModuleInit {
  constructor(
    private readonly demoData: DemoData,
    private readonly wallets: WalletRepository,
    private readonly keys: WalletKeys,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.demoData.register({ add: (appId) => this.add(appId) });
  }

  private async add(appId: AppId): Promise<void> {
    const now = this.clock.now();
    const owner = { appId, userId: exampleId('user'), walletType: 'ethereum' } as const;
    const key = this.keys.adopt({ ...owner, walletId: exampleId('wallet') }, Buffer.from(EXAMPLES.privateKey, 'hex'));
    await this.wallets.addDefault(appId, Wallet.managed(key, now));
    const login = { ...owner, walletId: secondExampleId('wallet'), publicAddress: EXAMPLES.otherAddress };
    await this.wallets.add(appId, Wallet.external(login, now));
  }
}
