import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { AppId, WalletId } from '../../kernel/ids.js';
import { DomainEvents } from '../../kernel/outbox.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Log } from '../../platform/observability/log.js';
import { IdentityModule, UserCreated, UserDeleted } from '../identity/index.js';
import { CreateWallet } from './application/create-wallet.js';
import { SignWithWallet } from './application/sign-with-wallet.js';
import { WalletsFacade } from './application/wallets.facade.js';
import { MessageSigner } from './domain/message-signer.js';
import { SigningGuards } from './domain/signing-guards.js';
import { walletKeyContext } from './domain/wallet-key.js';
import type { WalletType } from './domain/wallet-type.js';
import { WalletRepository } from './domain/wallet.repository.js';
import { WalletController } from './http/wallet.controller.js';
import { PostgresWalletRepository } from './infrastructure/postgres-wallet.repository.js';
import { chooseSecp256k1, Secp256k1 } from './infrastructure/secp256k1-signature.js';
import { VaultMessageSigner } from './infrastructure/vault-message-signer.js';
import { WalletSchema } from './infrastructure/wallet.schema.js';

/** Wallets of users: managed ones that sign, external ones that prove who somebody is. */
@Module({
  imports: [TypeOrmModule.forFeature([WalletSchema]), IdentityModule],
  controllers: [WalletController],
  providers: [
    CreateWallet,
    SignWithWallet,
    WalletsFacade,
    SigningGuards,
    { provide: WalletRepository, useClass: PostgresWalletRepository },
    { provide: MessageSigner, useClass: VaultMessageSigner },
    { provide: Secp256k1, inject: [Log], useFactory: (log: Log) => chooseSecp256k1(log) },
  ],
  exports: [WalletsFacade, SigningGuards],
})
export class WalletModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly createWallet: CreateWallet,
    private readonly wallets: WalletRepository,
    private readonly sealedColumns: SealedColumns,
  ) {}

  onModuleInit(): void {
    this.sealedColumns.register({
      table: 'wallets',
      column: 'sealed_key',
      key: ['app_id', 'id'],
      reads: ['wallet_type', 'public_address'],
      context: (row) =>
        walletKeyContext({
          appId: row['app_id'] as AppId,
          walletId: row['id'] as WalletId,
          walletType: row['wallet_type'] as WalletType,
          publicAddress: String(row['public_address']),
        }),
    });
    this.events.subscribe(UserCreated, async ({ appId, userId, walletType }) => {
      if (walletType !== 'none') await this.createWallet.add(appId, userId, walletType);
    });
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.wallets.tombstoneAllOf(appId, userId));
  }
}
