import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import type { AppId } from '../../../../kernel/ids.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { WalletRepository } from '../../domain/wallets/wallet.repository.js';
import { WalletResponse } from '../wallet-fields.dto.js';
import { ListManagedWalletsQuery, ListWalletsResponse } from './wallet.dto.js';

/** An app's wallets, for operators. */
@ApiTags('management')
@Controller('management/v1/apps/:app_id/wallets')
export class ManagedWalletsController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletRepository,
  ) {}

  /**
   * List an app's wallets
   *
   * @remarks Returns the wallets of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  @Refuses(AppNotFound)
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { user_id, limit, starting_after }: ListManagedWalletsQuery,
  ): Promise<ListWalletsResponse> {
    await this.apps.requireLive(appId);
    const query = { userId: user_id, limit, startingAfter: starting_after };
    const { wallets, hasMore } = await this.wallets.list(appId, query);
    return { wallets: wallets.map(WalletResponse.of), has_more: hasMore };
  }
}
