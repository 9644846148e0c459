import { Module, type OnModuleInit } from '@nestjs/common';
import type { AppId, UserId, WalletId, WalletImportId } from '../../kernel/ids.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { Retention } from '../../kernel/retention.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Config } from '../../services/config/config.js';
import { hashFast } from '../../services/crypto/keccak.js';
import { Log } from '../../kernel/log.js';
import { AppsFacade, AppsModule } from '../apps/index.js';
import {
  AccountPassed,
  AccountUses,
  IdentityModule,
  PortableParts,
  UserCreated,
  UserDeleted,
} from '../identity/index.js';
import { PolicyModule } from '../policy/index.js';
import { SessionModule } from '../session/index.js';
import { ImportWallet } from './keys/application/import-wallet.js';
import { BeginRegistration } from './login/application/begin-registration.js';
import { ExportWallet } from './keys/application/export-wallet.js';
import { SignInWithWallet } from './login/application/sign-in-with-wallet.js';
import { SigningWallets, SignMessage, SignTransaction, SignTypedData } from './signing/application/sign.js';
import { VerifyWallet } from './login/application/verify-wallet.js';
import { ManageWallets } from './wallets/application/manage-wallets.js';
import { PortableWallets } from './wallets/application/portable-wallets.js';
import { WalletsFacade } from './wallets/application/wallets.facade.js';
import { KeyTransport, WalletKeys } from './keys/domain/wallet-keys.js';
import { MessageSigner } from './signing/domain/message-signer.js';
import { RegistrationRepository } from './login/domain/registration.js';
import { SignInSettings, SignatureVerifier } from './login/domain/sign-in-text.js';
import { SigningGuards } from './signing/domain/signing-guards.js';
import { importKeyContext, WalletImportRepository } from './keys/domain/wallet-import.js';
import { walletKeyContext } from './wallets/domain/wallet.js';
import type { WalletType } from '../../kernel/chain/chain-name.js';
import { WalletRepository } from './wallets/domain/wallet.repository.js';
import { WalletKeysController } from './keys/http/wallet-keys.controller.js';
import { WalletLoginController } from './login/http/wallet-login.controller.js';
import { WalletSigningController } from './signing/http/wallet-signing.controller.js';
import { ManagedWalletsController, WalletController } from './wallets/http/wallet.controller.js';
import './wallets/http/user-row-wallet.dto.js';
import './infrastructure/personal-data.js';
import { ContractSignatures } from './login/infrastructure/contract-signatures.js';
import { HpkeKeyTransport, VaultWalletKeys } from './keys/infrastructure/vault-wallet-keys.js';
import { PostgresRegistrationRepository } from './login/infrastructure/postgres-registration.repository.js';
import { PostgresWalletImportRepository } from './keys/infrastructure/postgres-wallet-import.repository.js';
import { PostgresWalletRepository } from './wallets/infrastructure/postgres-wallet.repository.js';
import { chooseSecp256k1, Secp256k1 } from './signing/infrastructure/secp256k1-signature.js';
import { VaultMessageSigner } from './signing/infrastructure/vault-message-signer.js';
import { WalletSignatureVerifier } from './login/infrastructure/wallet-signature-verifier.js';
import { WALLET_SIGN_IN } from './login/wallet-sign-in.js';

/** Wallets of users: managed ones that sign, and external ones that prove an identity. */
@Module({
  imports: [AppsModule, IdentityModule, PolicyModule, SessionModule, WALLET_SIGN_IN],
  controllers: [
    WalletController,
    ManagedWalletsController,
    WalletSigningController,
    WalletKeysController,
    WalletLoginController,
  ],
  providers: [
    ManageWallets,
    PortableWallets,
    SigningWallets,
    SignMessage,
    SignTypedData,
    SignTransaction,
    WalletsFacade,
    SigningGuards,
    { provide: WalletRepository, useClass: PostgresWalletRepository },
    { provide: WalletKeys, useClass: VaultWalletKeys },
    { provide: MessageSigner, useClass: VaultMessageSigner },
    BeginRegistration,
    VerifyWallet,
    SignInWithWallet,
    { provide: SignInSettings, useExisting: Config },
    ImportWallet,
    ExportWallet,
    { provide: RegistrationRepository, useClass: PostgresRegistrationRepository },
    { provide: WalletImportRepository, useClass: PostgresWalletImportRepository },
    { provide: KeyTransport, useClass: HpkeKeyTransport },
    { provide: SignatureVerifier, useClass: WalletSignatureVerifier },
    ContractSignatures,
    {
      provide: Secp256k1,
      inject: [Log],
      useFactory: async (log: Log) => {
        await hashFast(log);
        return chooseSecp256k1(log);
      },
    },
  ],
  exports: [WalletsFacade, SigningGuards],
})
export class WalletModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly manage: ManageWallets,
    private readonly wallets: WalletRepository,
    private readonly sealedColumns: SealedColumns,
    private readonly retention: Retention,
    private readonly owners: ObjectOwners,
    private readonly apps: AppsFacade,
    private readonly uses: AccountUses,
    private readonly portableParts: PortableParts,
    private readonly portable: PortableWallets,
  ) {}

  onModuleInit(): void {
    this.portableParts.register(this.portable);
    this.owners.register({ kind: 'wallet', table: 'wallets', wallet: 'id', where: 'deleted_at is null' });
    this.owners.register({ kind: 'walletRegistration', table: 'wallet_registrations' });
    this.sealedColumns.register({
      table: 'wallets',
      column: 'sealed_key',
      key: ['app_id', 'id'],
      reads: ['user_id', 'wallet_type', 'public_address'],
      isExtended: true,
      context: (row) =>
        walletKeyContext({
          appId: row['app_id'] as AppId,
          walletId: row['id'] as WalletId,
          userId: row['user_id'] as UserId,
          walletType: row['wallet_type'] as WalletType,
          publicAddress: String(row['public_address']),
        }),
    });
    this.sealedColumns.register({
      table: 'wallet_imports',
      column: 'sealed_private_key',
      key: ['app_id', 'id'],
      context: (row) => importKeyContext(row['app_id'] as AppId, row['id'] as WalletImportId),
    });
    this.events.subscribe(UserCreated, async ({ appId, userId, walletType }) => {
      if (walletType !== 'none') await this.manage.add(appId, userId, walletType);
    });
    this.events.subscribe(AccountPassed, async ({ appId, userId }) =>
      this.apps.endKeysBoundTo(appId, userId, await this.wallets.idsOf(appId, userId)),
    );
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.wallets.tombstoneAllOf(appId, userId));
    this.uses.register({
      name: 'wallet',
      records: 'select 1 from wallets where app_id = $1 and user_id = $2 and (is_imported or key_left_at is not null)',
    });
    this.retention.register({ table: 'wallet_imports', endedWhen: 'expires_at' });
    this.retention.register({ table: 'wallet_addresses', endedWhen: 'locked_at', after: '1 hour' });
  }
}
