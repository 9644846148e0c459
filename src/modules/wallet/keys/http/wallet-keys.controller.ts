import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { WalletId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import type { AuthenticatedApp } from '../../../../edge/http/authenticated-request.js';
import { App, SecretKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { SafeToRepeat, TakesReserve } from '../../../../edge/idempotency/post-routes.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import { UserInactive, UserNotFound } from '../../../identity/index.js';
import { ImportWallet } from '../application/import-wallet.js';
import { ExportWallet } from '../application/export-wallet.js';
import { WalletNotFound } from '../../wallets/domain/wallet.errors.js';
import {
  ExportWalletRequest,
  ExportWalletResponse,
  BeginImportRequest,
  BeginImportResponse,
  ImportWalletRequest,
} from './wallet-keys.dto.js';
import { WalletResponse } from '../../wallets/http/exported-wallet.dto.js';
import { RefusedAsPrefilled } from '../../../../edge/openapi/examples.js';
import { callOf } from '../../signing/http/sign.dto.js';

@ApiTags('wallets')
@Controller('v1/wallets')
export class WalletKeysController {
  constructor(
    private readonly importWallet: ImportWallet,
    private readonly exportWallet: ExportWallet,
  ) {}

  /**
   * Begin the import of a wallet
   *
   * @remarks Returns a public key to which the private key must be encrypted. It is valid for ten minutes and for one import.
   */
  @Post('import/begin')
  @HttpCode(200)
  @SafeToRepeat()
  @TakesReserve()
  @SecretKey()
  @Beta()
  @Refuses(UserNotFound, UserInactive)
  async begin(@App() app: AuthenticatedApp, @Body() body: BeginImportRequest): Promise<BeginImportResponse> {
    return BeginImportResponse.of(await this.importWallet.begin(app.id, body.user_id, body.wallet_type));
  }

  /**
   * Import a wallet
   *
   * @remarks Accepts a private key, encrypted by HPKE (RFC 9180). The wallet then signs like one that the service created.
   */
  @Post('import')
  @RefusedAsPrefilled('The key is encrypted to the public key of an import that was begun, which is valid once.')
  @HttpCode(200)
  @TakesReserve()
  @SecretKey()
  @Beta()
  @Refuses(ImportWallet)
  async import(@App() app: AuthenticatedApp, @Body() body: ImportWalletRequest): Promise<WalletResponse> {
    return WalletResponse.of(await this.importWallet.execute(app.id, body.id, ImportWalletRequest.message(body)));
  }

  /**
   * Export a wallet
   *
   * @remarks Returns the private key, encrypted by HPKE (RFC 9180) to a key of yours. Every export is on record. The wallet
   * stays as it is.
   */
  @Post(':wallet_id/export')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(ExportWallet)
  async export(
    @RequestedBy() by: Requester,
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Body() body: ExportWalletRequest,
  ): Promise<ExportWalletResponse> {
    const publicKey = Buffer.from(body.encryption_public_key, 'base64');
    return ExportWalletResponse.of(await this.exportWallet.execute(by, callOf(app, walletId, body), publicKey));
  }
}
