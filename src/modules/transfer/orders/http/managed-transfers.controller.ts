import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagementKey, RequestedBy } from '../../../../edge/auth/credentials.js';
import { pageIn } from '../../../../edge/http/list.dto.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { CommitsItself, TakesReserve } from '../../../../edge/idempotency/post-routes.js';
import type { AppId, TransferId } from '../../../../kernel/ids.js';
import type { Requester } from '../../../../kernel/requester.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { CancelTransfer } from '../application/cancel-transfer.js';
import { TransferNotFound } from '../../transfer/domain/transfer.errors.js';
import { TransferRepository } from '../../transfer/domain/transfer.repository.js';
import {
  ListManagedTransfersQuery,
  ManagedTransferListResponse,
  ManagedTransferResponse,
} from './managed-transfers.dto.js';

/** An app's transfers, for operators. */
@ApiTags('management: transfers')
@Controller('management/v1/apps/:app_id/transfers')
export class ManagedTransfersController {
  constructor(
    private readonly apps: AppsFacade,
    private readonly transfers: TransferRepository,
    private readonly cancelTransfer: CancelTransfer,
  ) {}

  /**
   * List an app's transfers
   *
   * @remarks Returns the transfers of the app, the newest first.
   */
  @Get()
  @ManagementKey('auditor')
  async list(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @Query() { user_id, source, status, stuck, blockchain_tx_hash: hash, ...query }: ListManagedTransfersQuery,
  ): Promise<ManagedTransferListResponse> {
    await this.apps.requireLive(appId);
    const asked = { ...pageIn(query), userId: user_id, source, status, stuck, hash };
    const { items, hasMore } = await this.transfers.listManaged(appId, asked);
    return { transfers: items.map(ManagedTransferResponse.of), has_more: hasMore };
  }

  /**
   * Get a transfer of an app
   *
   * @remarks Returns the transfer with its state and its attempts on the chain.
   */
  @Get(':transfer_id')
  @ManagementKey('auditor')
  async get(
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<ManagedTransferResponse> {
    await this.apps.requireLive(appId);
    return ManagedTransferResponse.of(await this.transfers.getManaged(appId, transferId));
  }

  /**
   * Cancel a transfer of an app
   *
   * @remarks Does the same as `POST /v1/transfers/{transfer_id}/cancel`, also while the app, the user or the wallet is frozen.
   */
  @Post(':transfer_id/cancel')
  @HttpCode(200)
  @TakesReserve()
  @CommitsItself()
  @ManagementKey('operator')
  @Refuses(CancelTransfer)
  async cancel(
    @RequestedBy() by: Requester,
    @PathId('app_id', 'app', AppNotFound) appId: AppId,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<ManagedTransferResponse> {
    // Not `requireLive`: a payment of an app that SQL has altered is stopped, too.
    await this.apps.hold(appId);
    await this.cancelTransfer.execute(appId, transferId, async () => {
      await this.apps.hold(appId);
      await this.apps.audit(by, appId, 'transfer.cancel_requested', transferId);
    });
    return ManagedTransferResponse.of(await this.transfers.getManaged(appId, transferId));
  }
}
