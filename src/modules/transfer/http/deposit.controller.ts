import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuthenticatedApp } from '../../../edge/auth/credential.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/errors/error-catalogue.js';
import { pageIn } from '../../../edge/http/list.dto.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Beta } from '../../../edge/http/stability.js';
import type { WalletId } from '../../../kernel/ids.js';
import { WalletNotFound, WalletsFacade } from '../../wallet/index.js';
import { DepositRepository } from '../domain/deposit.js';
import { ListDepositsRequest, ListDepositsResponse } from './deposit.dto.js';

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
   * @remarks Final payments of native currency and of the app's assets to the wallet, those found last first.
   */
  @Get(':wallet_id/deposits')
  @SecretKey({ scopes: 'wallets:read', keepsBinding: true })
  @Beta()
  @Refuses(WalletNotFound)
  async list(
    @App() app: AuthenticatedApp,
    @PathId('wallet_id', 'wallet', WalletNotFound) walletId: WalletId,
    @Query() query: ListDepositsRequest,
  ): Promise<ListDepositsResponse> {
    await this.wallets.find(app.id, walletId);
    return ListDepositsResponse.of(await this.deposits.list(app.id, walletId, pageIn(query)));
  }
}
