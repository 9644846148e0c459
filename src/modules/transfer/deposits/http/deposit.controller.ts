import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../../edge/http/authenticated-request.js';
import { App, ManagementKey, SecretKey } from '../../../../edge/auth/credentials.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { WalletNotFound, WalletsFacade } from '../../../wallet/index.js';
import { DepositRepository } from '../domain/deposit.js';
import {
  ListDepositsRequest,
  ListDepositsResponse,
  ListManagedDepositsQuery,
  ManagedDepositListResponse,
} from './deposit.dto.js';

/** Not in the wallet module, which knows no chain. */
@ApiTags('wallets')
@Controller('v1/wallets')
export class DepositController {
  constructor(
    private readonly wallets: WalletsFacade,
    private readonly deposits: DepositRepository,
  ) {}

  /**
   * List a wallet's deposits
   *
   * @remarks Final payments of native currency and of the app's assets to the wallet, the most recently found first.
   */
  @Get(':wallet_id/deposits')
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  async list(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Query() query: ListDepositsRequest,
  ): Promise<ListDepositsResponse> {
    await this.wallets.find(app.id, walletId);
    return ListDepositsResponse.of(await this.deposits.list(app.id, walletId, pageIn(query)));
  }
}

/** The deposits of an app's wallets, for operators. */
@ApiTags('management: wallets')
@Controller('management/v1/apps/:app_id/wallets')
export class ManagedDepositsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletsFacade,
    private readonly deposits: DepositRepository,
  ) {}

  /**
   * List the deposits of a wallet of an app
   *
   * @remarks Final payments of native currency and of the app's assets to the wallet, the most recently found first.
   */
  @Get(':wallet_id/deposits')
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Query() query: ListManagedDepositsQuery,
  ): Promise<ManagedDepositListResponse> {
    await this.apps.requireLive(appId);
    await this.wallets.find(appId, walletId);
    return ManagedDepositListResponse.of(await this.deposits.list(appId, walletId, pageIn(query)));
  }
}
