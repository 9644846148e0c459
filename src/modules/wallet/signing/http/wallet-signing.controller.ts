import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import type { WalletId } from '../../../../kernel/ids.js';
import { SignMessage, SignTransaction, SignTypedData } from '../application/sign.js';
import { WalletNotFound } from '../../wallets/domain/wallet.errors.js';
import {
  callOf,
  SignatureResponse,
  SignedTransactionResponse,
  SignMessageRequest,
  SignTransactionRequest,
  SignTypedDataRequest,
} from './sign.dto.js';

// Clients are generated with these operation ids, which are those of the controller of wallets.
@ApiTags('wallets')
@Controller('v1/wallets/:wallet_id')
export class WalletSigningController {
  constructor(
    private readonly messageSigning: SignMessage,
    private readonly typedDataSigning: SignTypedData,
    private readonly transactionSigning: SignTransaction,
  ) {}

  /**
   * Sign a message
   *
   * @remarks Ethereum: the service prepends the EIP-191 prefix before signing. Solana: only inside the off-chain message
   * envelope, so that no message can pass for a transaction. The app's `signing_policy` may allow readable text only, or no messages.
   */
  @ApiOperation({ operationId: 'wallet_signMessage' })
  @Post('sign_message')
  @HttpCode(200)
  @SecretKey({ scopes: 'wallets:sign', keepsBinding: true })
  @Beta()
  @Refuses(SignMessage)
  async signMessage(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignMessageRequest,
  ): Promise<SignatureResponse> {
    return SignatureResponse.signed(await this.messageSigning.execute(callOf(app, walletId, body), body.message));
  }

  /**
   * Sign typed data
   *
   * @remarks Signs typed data of EIP-712 with an ethereum wallet. Typed data that moves value (permits, authorizations, orders,
   * meta-transactions) is refused unless the app's `signing_policy` lists it or its `typed_data` is `any`; with `listed`, all
   * other typed data is refused too.
   */
  @ApiOperation({ operationId: 'wallet_signTypedData' })
  @Post('sign_typed_data')
  @HttpCode(200)
  @SecretKey({ scopes: 'wallets:sign', keepsBinding: true })
  @Beta()
  @Refuses(SignTypedData)
  async signTypedData(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignTypedDataRequest,
  ): Promise<SignatureResponse> {
    return SignatureResponse.signed(await this.typedDataSigning.execute(callOf(app, walletId, body), body.typed_data));
  }

  /**
   * Sign a transaction
   *
   * @remarks An EIP-1559 transaction, with an ethereum wallet. It is returned, not sent. Where the app's `transfer_policy`
   * bounds payments, only plain payments within it are signed, with fees within it and within the operator's ceilings.
   */
  @ApiOperation({ operationId: 'wallet_signTransaction' })
  @Post('sign_transaction')
  @HttpCode(200)
  @SecretKey({ scopes: 'wallets:sign', keepsBinding: true })
  @Beta()
  @Refuses(SignTransaction)
  async signTransaction(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: SignTransactionRequest,
  ): Promise<SignedTransactionResponse> {
    return SignedTransactionResponse.signedTransaction(
      await this.transactionSigning.execute(callOf(app, walletId, body), body.eth_transaction),
    );
  }
}
