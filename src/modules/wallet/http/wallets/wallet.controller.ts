import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FeeTooHigh } from '../../../../kernel/fee-too-high.js';
import type { WalletId } from '../../../../kernel/ids.js';
import type { AuthenticatedApp } from '../../../../edge/auth/app-authenticator.js';
import { App, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/http/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import {
  AppNotFound,
  DestinationNotAllowed,
  FeeLimitExceeded,
  TransactionNotAllowed,
  TransferLimitExceeded,
} from '../../../apps/index.js';
import { UserInactive, UserNotFound } from '../../../identity/index.js';
import { CreateWallet } from '../../application/wallets/create-wallet.js';
import { SignMessage } from '../../application/signing/sign-message.js';
import { SignTransaction } from '../../application/signing/sign-transaction.js';
import { SignTypedData } from '../../application/signing/sign-typed-data.js';
import {
  InvalidMessage,
  InvalidTransaction,
  InvalidTypedData,
  TypedDataNotAllowed,
  UnsupportedWalletType,
  WalletHasOpenTransfers,
  WalletNotFound,
  WalletReadOnly,
} from '../../domain/wallets/wallet.errors.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import {
  SignatureResponse,
  SignedTransactionResponse,
  SignMessageRequest,
  SignTransactionRequest,
  SignTypedDataRequest,
} from '../signing/sign.dto.js';
import { CreateWalletRequest, ListWalletsRequest, ListWalletsResponse } from './wallet.dto.js';
import { WalletResponse } from '../wallet-fields.dto.js';

@ApiTags('wallets')
@Controller('v1/wallets')
export class WalletController {
  constructor(
    private readonly wallets: WalletRepository,
    private readonly createWallet: CreateWallet,
    private readonly messageSigning: SignMessage,
    private readonly typedDataSigning: SignTypedData,
    private readonly transactionSigning: SignTransaction,
  ) {}

  /**
   * Create a wallet
   *
   * @remarks The user's default wallet of the type: the one there is, else a new one whose key the service makes and keeps.
   */
  @Post('create')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(UserNotFound, UserInactive)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateWalletRequest): Promise<WalletResponse> {
    return WalletResponse.of(await this.createWallet.execute(app.id, body.user_id, body.wallet_type));
  }

  /** List wallets */
  @Get('list')
  @SecretKey()
  @Beta()
  async list(@App() app: AuthenticatedApp, @Query() query: ListWalletsRequest): Promise<ListWalletsResponse> {
    const { wallets, hasMore } = await this.wallets.list(app.id, {
      userId: query.user_id,
      limit: query.limit,
      startingAfter: query.starting_after,
    });
    return { wallets: wallets.map((wallet) => WalletResponse.of(wallet)), has_more: hasMore };
  }

  /** Get a wallet */
  @Get(':wallet_id')
  @SecretKey()
  @Beta()
  @Refuses(WalletNotFound)
  async get(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
  ): Promise<WalletResponse> {
    const wallet = await this.wallets.find(app.id, walletId);
    if (!wallet) throw new WalletNotFound();
    return WalletResponse.of(wallet);
  }

  /**
   * Sign a message
   *
   * @remarks Ethereum: the service prepends the EIP-191 prefix before signing. Solana: only inside the off-chain message
   * envelope, so that no message can pass for a transaction.
   */
  @Post(':wallet_id/sign_message')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(WalletNotFound, WalletReadOnly, InvalidMessage)
  async signMessage(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignMessageRequest,
  ): Promise<SignatureResponse> {
    return SignatureResponse.signed(await this.messageSigning.execute(app.id, walletId, body.message));
  }

  /**
   * Sign typed data
   *
   * @remarks EIP-712, with an ethereum wallet. What moves value, as permits, authorizations, orders and meta-transactions do,
   * is refused unless the app's `signing_policy` lists it.
   */
  @Post(':wallet_id/sign_typed_data')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(WalletNotFound, WalletReadOnly, InvalidTypedData, UnsupportedWalletType, TypedDataNotAllowed, AppNotFound)
  async signTypedData(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignTypedDataRequest,
  ): Promise<SignatureResponse> {
    return SignatureResponse.signed(await this.typedDataSigning.execute(app.id, walletId, body.typed_data));
  }

  /**
   * Sign a transaction
   *
   * @remarks An EIP-1559 transaction, with an ethereum wallet. It is answered, not sent. Where the app's `transfer_policy`
   * bounds payments, only plain payments within it are signed, with fees within it and within the operator's ceilings.
   */
  @Post(':wallet_id/sign_transaction')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(WalletNotFound, WalletReadOnly, InvalidTransaction, UnsupportedWalletType, WalletHasOpenTransfers)
  @Refuses(
    DestinationNotAllowed,
    TransferLimitExceeded,
    FeeLimitExceeded,
    FeeTooHigh,
    TransactionNotAllowed,
    AppNotFound,
  )
  async signTransaction(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignTransactionRequest,
  ): Promise<SignedTransactionResponse> {
    return SignedTransactionResponse.signedTransaction(
      await this.transactionSigning.execute(app.id, walletId, body.eth_transaction),
    );
  }
}
