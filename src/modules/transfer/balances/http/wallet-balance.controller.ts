import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../../edge/http/authenticated-request.js';
import { App, ManagementKey, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import { ChangesNothing } from '../../../../edge/idempotency/post-routes.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { FreezeObject } from '../../../policy/index.js';
import { WalletNotFound, WalletResponse } from '../../../wallet/index.js';
import { WalletBalance } from '../application/wallet-balance.js';
import {
  ManagedBalanceResponse,
  ManagedWalletResponse,
  WalletBalanceRequest,
  WalletBalanceResponse,
} from './wallet-balance.dto.js';

/** Not in the wallet module, which knows no chain. */
@ApiTags('wallets')
@Controller('v1/wallets')
export class WalletBalanceController {
  constructor(private readonly walletBalance: WalletBalance) {}

  /**
   * Get a wallet's balance
   *
   * @remarks The current balance on the chain. Amounts that pending transfers may still take are not subtracted.
   */
  @Post('balance')
  @HttpCode(200)
  @ChangesNothing()
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  @Refuses(WalletBalance)
  async balance(@App() app: AuthenticatedApp, @Body() body: WalletBalanceRequest): Promise<WalletBalanceResponse> {
    const { wallet_id: walletId, token_symbol: symbol, network } = body;
    const { wallet, asset, balance } = await this.walletBalance.execute(app.id, walletId, symbol, network);
    return { balance, token_symbol: asset.symbol, network: asset.chain, wallet: WalletResponse.of(wallet) };
  }
}

/** An app's wallets with their balances, for operators. */
@ApiTags('management: wallets')
@Controller('management/v1/apps/:app_id/wallets')
export class ManagedBalancesController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly walletBalance: WalletBalance,
    private readonly freezes: FreezeObject,
  ) {}

  /**
   * Get a wallet of an app
   *
   * @remarks Returns the wallet with its current balances on the chain. Amounts that pending transfers may still take are not subtracted.
   */
  @Get(':wallet_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
  ): Promise<ManagedWalletResponse> {
    await this.apps.requireLive(appId);
    const { wallet, balances } = await this.walletBalance.all(appId, walletId);
    const frozenAt = epochSeconds(await this.freezes.frozenAt(appId, walletId));
    return { ...WalletResponse.of(wallet), balances: balances.map(ManagedBalanceResponse.of), frozen_at: frozenAt };
  }
}
