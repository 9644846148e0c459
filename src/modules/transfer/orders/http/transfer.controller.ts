import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import type { TransferId } from '../../../../kernel/ids.js';
import { type AuthenticatedApp, bindingOf } from '../../../../edge/http/authenticated-request.js';
import { App, SecretKey } from '../../../../edge/auth/credentials.js';
import { Refuses } from '../../../../edge/errors/error-catalogue.js';
import { PathId } from '../../../../edge/http/path-id.js';
import { Beta } from '../../../../edge/http/stability.js';
import { CallRates } from '../../../../edge/limits/call-rates.js';
import { OperationGroup } from '../../../../edge/openapi/tags.js';
import { CommitsItself, TakesReserve } from '../../../../edge/idempotency/post-routes.js';
import { CancelTransfer } from '../application/cancel-transfer.js';
import { ConfirmBatch } from '../application/confirm-batch.js';
import { ConfirmTransfer } from '../application/confirm-transfer.js';
import { CreateTransfer } from '../application/create-transfer.js';
import { ListTooBroad, TransferNotFound } from '../../transfer/domain/transfer.errors.js';
import { TransferRepository } from '../../transfer/domain/transfer.repository.js';
import {
  batchIn,
  BatchResponse,
  ConfirmBatchRequest,
  ConfirmTransferRequest,
  CreateBatchRequest,
  CreateTransferRequest,
  ListTransfersRequest,
  ListTransfersResponse,
  orderIn,
  TransferResponse,
} from './transfer.dto.js';
import { AppFrozen, WalletFrozen, ApprovalRequired, BatchTooLarge } from '../../../policy/index.js';

@OperationGroup({
  name: 'transfers',
  description: 'Payments from a wallet: create, confirm, read, cancel.',
  after: 'wallets',
})
@Controller('v1/transfers')
export class TransferController {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly createTransfer: CreateTransfer,
    private readonly confirmTransfer: ConfirmTransfer,
    private readonly batchConfirmation: ConfirmBatch,
    private readonly cancelTransfer: CancelTransfer,
    private readonly rates: CallRates,
  ) {}

  /**
   * Create a transfer
   *
   * @remarks Quotes the fees. The transfer must be confirmed within two minutes. Nothing is sent or reserved before that.
   */
  @Post('create')
  @HttpCode(200)
  @TakesReserve()
  @SecretKey({ scopes: 'transfers:write', keepsBinding: true })
  @Beta()
  @Refuses(CreateTransfer)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateTransferRequest): Promise<TransferResponse> {
    const transfer = await this.createTransfer.execute(app.id, orderIn(body, app));
    return TransferResponse.of({ transfer, attempts: [] });
  }

  /**
   * Create a batch of transfers
   *
   * @remarks Creates all transfers, or none: a refusal names the item, as `items[3]`. The wallet must cover them together. They are confirmed
   * only together, by `confirm_batch`. Counts as many calls as it has items.
   */
  @Post('create_batch')
  @HttpCode(200)
  @TakesReserve()
  @SecretKey({ scopes: 'transfers:write', keepsBinding: true })
  @Beta()
  @Refuses(CreateTransfer)
  @Refuses(ApprovalRequired, BatchTooLarge)
  async createBatch(@App() app: AuthenticatedApp, @Body() body: CreateBatchRequest): Promise<BatchResponse> {
    this.rates.chargeApp(app, body.items.length - 1);
    const transfers = await this.createTransfer.executeBatch(app.id, batchIn(body, app));
    return BatchResponse.of(transfers.map((transfer) => ({ transfer, attempts: [] })));
  }

  /**
   * Confirm a batch of transfers
   *
   * @remarks Confirms all transfers of the batch, or none: a refusal names the item. Each is then paid exactly once, however often this is
   * called. It does not wait for the chain: read each transfer. A batch that was confirmed before is returned in its current state. A
   * batch of which a transfer was cancelled, or that needs an approval, is refused. Counts as many calls as it has items, at most 16.
   */
  @Post('confirm_batch')
  @HttpCode(200)
  @TakesReserve()
  @CommitsItself()
  @SecretKey({ scopes: 'transfers:write', keepsBinding: true })
  @Beta()
  @Refuses(ConfirmBatch)
  async confirmBatch(@App() app: AuthenticatedApp, @Body() body: ConfirmBatchRequest): Promise<BatchResponse> {
    const charge = (calls: number): void => this.rates.chargeApp(app, calls);
    return BatchResponse.of(await this.batchConfirmation.execute(app, body.batch_id, charge, body.user_id));
  }

  /**
   * List transfers
   *
   * @remarks Returns the transfers of the app, the newest first, of one wallet if `source` is given.
   */
  @Get('list')
  @SecretKey({ scopes: 'transfers:read', keepsBinding: true })
  @Beta()
  @Refuses(ListTooBroad)
  async list(@App() app: AuthenticatedApp, @Query() query: ListTransfersRequest): Promise<ListTransfersResponse> {
    const { limit, offset, source } = query;
    const binding = bindingOf(app);
    const userId = query.user_id ?? binding?.userId ?? undefined;
    // A wallet that the query names is one of the binding.
    const sources = source === undefined ? (binding?.walletIds ?? undefined) : undefined;
    const page = await this.transfers.list(app.id, { userId, source, sources, limit, offset });
    return {
      transfers: page.transfers.map((view) => TransferResponse.of(view)),
      count: page.count,
      count_estimated: page.isEstimated,
      limit,
      offset,
    };
  }

  /**
   * Get a transfer
   *
   * @remarks Returns the transfer with its state and its attempts on the chain.
   */
  @Get(':transfer_id')
  @SecretKey({ scopes: 'transfers:read', keepsBinding: true })
  @Beta()
  async get(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<TransferResponse> {
    return TransferResponse.of(await this.transfers.view(app.id, transferId));
  }

  /**
   * Confirm a transfer
   *
   * @remarks Pays exactly once, however often it is called. The call waits up to 20 seconds (a setting of the operator) for the
   * chain: the status is `completed` when the chain is quick, else `pending`. A transfer that was confirmed before is returned
   * in its current status.
   */
  @Post(':transfer_id/confirm')
  @HttpCode(200)
  @TakesReserve()
  @CommitsItself()
  @SecretKey({ scopes: 'transfers:write', keepsBinding: true })
  @Beta()
  @Refuses(ConfirmTransfer)
  async confirm(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
    @Body() body: ConfirmTransferRequest,
  ): Promise<TransferResponse> {
    return TransferResponse.of(await this.confirmTransfer.execute(app, transferId, body.user_id));
  }

  /**
   * Cancel a transfer
   *
   * @remarks A transfer that is unconfirmed or queued, or that waits for approvers, is cancelled at once. On Solana a signed transfer in no
   * block, and one that is marked `history_too_long`, stays `pending` with `cancel_requested_at` until it is proven that the chain can never include it, and is then `cancelled`; it
   * is `completed` if the chain included it first. On Ethereum a transfer that is marked stuck (`stuck_since`) and in no block is replaced
   * by a zero-value self-transfer, which may cost up to ten times the quoted fee: it stays `pending` until one of them is final, and is
   * then `failed` (`replaced_by_cancellation`), or `completed` if the payment was included first.
   */
  @Post(':transfer_id/cancel')
  @HttpCode(200)
  @TakesReserve()
  @CommitsItself()
  @SecretKey({ scopes: 'transfers:write', keepsBinding: true })
  @Beta()
  @Refuses(CancelTransfer, AppFrozen, WalletFrozen)
  async cancel(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<TransferResponse> {
    await this.cancelTransfer.execute(app.id, transferId);
    return TransferResponse.of(await this.transfers.view(app.id, transferId));
  }
}
