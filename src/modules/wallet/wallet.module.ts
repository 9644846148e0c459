import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { AppId, UserId, WalletId, WalletImportId } from '../../kernel/ids.js';
import { Jobs } from '../../kernel/jobs.js';
import { DomainEvents } from '../../kernel/outbox.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Config } from '../../services/config/config.js';
import { hashFast } from '../../services/crypto/keccak.js';
import { Log } from '../../kernel/log.js';
import { HostNames } from '../../services/outbound/host-names.js';
import { AppsModule } from '../apps/index.js';
import { IdentityModule, UserCreated, UserCredentialsRevoked, UserDeleted } from '../identity/index.js';
import { SessionFacade, SessionModule } from '../session/index.js';
import { BeginImport } from './application/begin-import.js';
import { BeginRegistration } from './application/begin-registration.js';
import { CreateWallet } from './application/create-wallet.js';
import { DeleteWallet } from './application/delete-wallet.js';
import { ExportWallet } from './application/export-wallet.js';
import { ImportWallet } from './application/import-wallet.js';
import { RemoveEndedRegistrations } from './application/remove-ended-registrations.js';
import { SignInWithWallet } from './application/sign-in-with-wallet.js';
import { SignWithWallet } from './application/sign-with-wallet.js';
import { VerifyChallenge } from './application/verify-challenge.js';
import { VerifySignInText } from './application/verify-sign-in-text.js';
import { WalletsFacade } from './application/wallets.facade.js';
import { KeyTransport } from './domain/key-transport.js';
import { MessageSigner } from './domain/message-signer.js';
import { RegistrationRepository } from './domain/registration.repository.js';
import { SignatureVerifier } from './domain/signature-verifier.js';
import { SigningGuards } from './domain/signing-guards.js';
import { importKeyContext, WalletImportRepository } from './domain/wallet-import.js';
import { walletKeyContext } from './domain/wallet-key.js';
import type { ChainName } from '../../kernel/chain/chain-name.js';
import { WalletRepository } from './domain/wallet.repository.js';
import { WalletKeysController } from './http/wallet-keys.controller.js';
import { WalletLoginController } from './http/wallet-login.controller.js';
import { WalletController } from './http/wallet.controller.js';
import { ContractSignatures } from './infrastructure/contract-signatures.js';
import { HpkeKeyTransport } from './infrastructure/hpke-key-transport.js';
import { PostgresRegistrationRepository } from './infrastructure/postgres-registration.repository.js';
import { PostgresWalletImportRepository } from './infrastructure/postgres-wallet-import.repository.js';
import { PostgresWalletRepository } from './infrastructure/postgres-wallet.repository.js';
import { RegistrationSchema } from './infrastructure/registration.schema.js';
import { chooseSecp256k1, Secp256k1 } from './infrastructure/secp256k1-signature.js';
import { VaultMessageSigner } from './infrastructure/vault-message-signer.js';
import { WalletImportSchema } from './infrastructure/wallet-import.schema.js';
import { WalletSignatureVerifier } from './infrastructure/wallet-signature-verifier.js';
import { WalletSchema } from './infrastructure/wallet.schema.js';

const HOUR = 3_600;

/** Wallets of users: managed ones that sign, external ones that prove who somebody is. */
@Module({
  imports: [
    AppsModule,
    IdentityModule,
    SessionModule,
    TypeOrmModule.forFeature([WalletSchema, RegistrationSchema, WalletImportSchema]),
  ],
  controllers: [WalletController, WalletKeysController, WalletLoginController],
  providers: [
    CreateWallet,
    SignWithWallet,
    WalletsFacade,
    SigningGuards,
    { provide: WalletRepository, useClass: PostgresWalletRepository },
    { provide: MessageSigner, useClass: VaultMessageSigner },
    BeginRegistration,
    VerifyChallenge,
    SignInWithWallet,
    {
      provide: VerifySignInText,
      inject: [SessionFacade, RegistrationRepository, SignatureVerifier, SignInWithWallet, Config],
      useFactory: (
        sessions: SessionFacade,
        registrations: RegistrationRepository,
        verifier: SignatureVerifier,
        signIn: SignInWithWallet,
        { ethereumChainId }: Config,
      ) => new VerifySignInText(sessions, registrations, verifier, signIn, ethereumChainId),
    },
    DeleteWallet,
    BeginImport,
    ImportWallet,
    ExportWallet,
    RemoveEndedRegistrations,
    { provide: RegistrationRepository, useClass: PostgresRegistrationRepository },
    { provide: WalletImportRepository, useClass: PostgresWalletImportRepository },
    { provide: KeyTransport, useClass: HpkeKeyTransport },
    {
      provide: SignatureVerifier,
      inject: [Secp256k1, Config, HostNames],
      useFactory: (secp256k1: Secp256k1, { ethereumRpcUrls }: Config, names: HostNames) =>
        new WalletSignatureVerifier(
          secp256k1,
          ethereumRpcUrls.length === 0 ? null : new ContractSignatures(ethereumRpcUrls, names),
        ),
    },
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
    private readonly createWallet: CreateWallet,
    private readonly wallets: WalletRepository,
    private readonly sealedColumns: SealedColumns,
    private readonly jobs: Jobs,
    private readonly registrations: RegistrationRepository,
    private readonly imports: WalletImportRepository,
    private readonly removeEndedRegistrations: RemoveEndedRegistrations,
  ) {}

  onModuleInit(): void {
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
          walletType: row['wallet_type'] as ChainName,
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
      if (walletType !== 'none') await this.createWallet.add(appId, userId, walletType);
    });
    this.events.subscribe(UserDeleted, ({ appId, userId }) => this.wallets.tombstoneAllOf(appId, userId));
    // Whoever began them may not be who the account belongs to from now on.
    const revoke = async ({ appId, userId }: { readonly appId: AppId; readonly userId: UserId }) => {
      await this.registrations.revokeAllOf(appId, userId);
      await this.imports.removeAllOf(appId, userId);
    };
    this.events.subscribe(UserDeleted, revoke);
    this.events.subscribe(UserCredentialsRevoked, revoke);
    this.jobs.schedule('wallet.remove-ended-registrations', HOUR, () => this.removeEndedRegistrations.execute());
  }
}
