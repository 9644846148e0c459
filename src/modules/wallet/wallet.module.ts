import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { AppId, UserId, WalletId, WalletImportId } from '../../kernel/ids.js';
import { DomainEvents } from '../../kernel/outbox.js';
import { Retention } from '../../kernel/retention.js';
import { SealedColumns } from '../../kernel/vault.js';
import { Config } from '../../services/config/config.js';
import { hashFast } from '../../services/crypto/keccak.js';
import { Log } from '../../kernel/log.js';
import { HostNames } from '../../services/outbound/host-names.js';
import { AppsModule } from '../apps/index.js';
import {
  epochSecondsOf,
  IdentityModule,
  SignInMethods,
  UserCreated,
  UserDeleted,
  UserProfileParts,
  UserSearchFields,
} from '../identity/index.js';
import { FactorType, FactorTypes, SessionFacade, SessionModule } from '../session/index.js';
import { BeginImport } from './application/keys/begin-import.js';
import { BeginRegistration } from './application/login/begin-registration.js';
import { CreateWallet } from './application/wallets/create-wallet.js';
import { DeleteWallet } from './application/login/delete-wallet.js';
import { ExportWallet } from './application/keys/export-wallet.js';
import { ImportWallet } from './application/keys/import-wallet.js';
import { SignInWithWallet } from './application/login/sign-in-with-wallet.js';
import { SigningWallets } from './application/signing/signing-wallets.js';
import { SignMessage } from './application/signing/sign-message.js';
import { SignTransaction } from './application/signing/sign-transaction.js';
import { SignTypedData } from './application/signing/sign-typed-data.js';
import { VerifyChallenge } from './application/login/verify-challenge.js';
import { VerifySignInText } from './application/login/verify-sign-in-text.js';
import { WalletsFacade } from './application/wallets/wallets.facade.js';
import { KeyTransport } from './domain/keys/key-transport.js';
import { WalletKeys } from './domain/keys/wallet-keys.js';
import { MessageSigner } from './domain/signing/message-signer.js';
import { RegistrationRepository } from './domain/login/registration.repository.js';
import { SignatureVerifier } from './domain/login/signature-verifier.js';
import { SigningGuards } from './domain/signing/signing-guards.js';
import { importKeyContext, WalletImportRepository } from './domain/keys/wallet-import.js';
import { walletKeyContext } from './domain/wallets/wallet-key.js';
import type { ChainName } from '../../kernel/chain/chain-name.js';
import { NodeCalls } from '../../kernel/chain/node-calls.js';
import { WalletRepository } from './domain/wallets/wallet.repository.js';
import { WalletResponse } from './http/wallet-fields.dto.js';
import { WalletKeysController } from './http/keys/wallet-keys.controller.js';
import { WalletLoginController } from './http/login/wallet-login.controller.js';
import { WalletSigningController } from './http/signing/wallet-signing.controller.js';
import { ManagedWalletsController } from './http/wallets/managed-wallets.controller.js';
import { WalletController } from './http/wallets/wallet.controller.js';
import { ContractSignatures } from './infrastructure/login/contract-signatures.js';
import { HpkeKeyTransport } from './infrastructure/keys/hpke-key-transport.js';
import { PostgresRegistrationRepository } from './infrastructure/login/postgres-registration.repository.js';
import { PostgresWalletImportRepository } from './infrastructure/keys/postgres-wallet-import.repository.js';
import { PostgresWalletRepository } from './infrastructure/wallets/postgres-wallet.repository.js';
import { RegistrationSchema } from './infrastructure/login/registration.schema.js';
import { chooseSecp256k1, Secp256k1 } from './infrastructure/signing/secp256k1-signature.js';
import { VaultWalletKeys } from './infrastructure/keys/vault-wallet-keys.js';
import { VaultMessageSigner } from './infrastructure/signing/vault-message-signer.js';
import { ImportedKeySchema } from './infrastructure/keys/imported-key.schema.js';
import { WalletImportSchema } from './infrastructure/keys/wallet-import.schema.js';
import { WalletSignatureVerifier } from './infrastructure/login/wallet-signature-verifier.js';
import { WalletAddressSchema } from './infrastructure/wallets/wallet-address.schema.js';
import { WalletSchema } from './infrastructure/wallets/wallet.schema.js';
import { storedSpelling } from './infrastructure/wallets/ethers-spelling.js';

const WALLET_FACTOR = FactorType.declare({
  type: 'wallet',
  deliveryChannels: ['eth_wallet', 'sol_wallet'],
  methods: {
    wallet: {
      id: 'walletId',
      fields: { walletId: 'wallet_id', walletType: 'wallet_type', publicAddress: 'wallet_public_address' },
    },
  },
});

const WALLET_SEARCH = UserSearchFields.declare({
  table: 'wallets',
  where: 't.deleted_at is null',
  fields: {
    wallet_id: { compared: 't.id', values: { id: 'wallet' }, isKey: true },
    wallet_public_address: { compared: 't.public_address', values: 'text', stored: storedSpelling, isKey: true },
  },
});

/** Wallets of users: managed ones that sign, and external ones that prove an identity. */
@Module({
  imports: [
    AppsModule,
    IdentityModule,
    SessionModule,
    TypeOrmModule.forFeature([
      WalletSchema,
      WalletAddressSchema,
      RegistrationSchema,
      WalletImportSchema,
      ImportedKeySchema,
    ]),
  ],
  controllers: [
    WalletController,
    ManagedWalletsController,
    WalletSigningController,
    WalletKeysController,
    WalletLoginController,
  ],
  providers: [
    CreateWallet,
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
        { signInChainIds }: Config,
      ) => new VerifySignInText(sessions, registrations, verifier, signIn, signInChainIds),
    },
    DeleteWallet,
    BeginImport,
    ImportWallet,
    ExportWallet,
    { provide: RegistrationRepository, useClass: PostgresRegistrationRepository },
    { provide: WalletImportRepository, useClass: PostgresWalletImportRepository },
    { provide: KeyTransport, useClass: HpkeKeyTransport },
    {
      provide: SignatureVerifier,
      inject: [Secp256k1, Config, NodeCalls, HostNames],
      useFactory: (secp256k1: Secp256k1, { ethereumRpcUrls }: Config, nodeCalls: NodeCalls, names: HostNames) =>
        new WalletSignatureVerifier(
          secp256k1,
          ethereumRpcUrls.length === 0 ? null : new ContractSignatures(ethereumRpcUrls, nodeCalls, names),
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
    private readonly signInMethods: SignInMethods,
    private readonly factorTypes: FactorTypes,
    private readonly profileParts: UserProfileParts,
    private readonly searchFields: UserSearchFields,
    private readonly createWallet: CreateWallet,
    private readonly wallets: WalletRepository,
    private readonly sealedColumns: SealedColumns,
    private readonly retention: Retention,
    private readonly registrations: RegistrationRepository,
    private readonly imports: WalletImportRepository,
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
    this.profileParts.register({
      field: 'wallets',
      shownAs: WalletResponse,
      table: 'wallets',
      where: 't.deleted_at is null',
      fields: {
        id: 't.id',
        app_id: 't.app_id',
        user_id: 't.user_id',
        public_address: 't.public_address',
        wallet_type: 't.wallet_type',
        verified: 't.verified',
        is_default: 't.is_default',
        is_read_only: 't.is_read_only',
        is_imported: 't.is_imported',
        updated_at: epochSecondsOf('t.updated_at'),
        created_at: epochSecondsOf('t.created_at'),
      },
    });
    this.searchFields.register(WALLET_SEARCH);
    this.factorTypes.register(WALLET_FACTOR);
    this.signInMethods.register({
      factorType: 'wallet',
      // Only a read-only wallet is a credential: its user signed with it. The service signs with a managed wallet.
      credentials: `
        select true, true from wallets
         where app_id = $1 and user_id = $2 and is_read_only and verified and deleted_at is null`,
      revoke: (appId, userId) => {
        this.registrations.revokeAllOf(appId, userId);
        this.imports.removeAllOf(appId, userId);
      },
    });
    this.retention.register({ table: 'wallet_registrations', endedWhen: 'expires_at', after: '1 hour' });
    this.retention.register({ table: 'wallet_imports', endedWhen: 'expires_at' });
    this.retention.register({ table: 'wallet_addresses', endedWhen: 'locked_at', after: '1 hour' });
  }
}
