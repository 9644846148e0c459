import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AppId, TransferId } from '../../../kernel/ids.js';
import { FeeTooHigh } from '../../../kernel/fee-too-high.js';
import type { AuthenticatedApp } from '../../../edge/auth/app-authenticator.js';
import { App, SecretKey } from '../../../edge/auth/credentials.js';
import { Refuses } from '../../../edge/http/error-catalogue.js';
import { PathId } from '../../../edge/http/path-id.js';
import { Beta } from '../../../edge/http/stability.js';
import { CommitsItself } from '../../../edge/idempotency/post-routes.js';
import { AppNotFound, DestinationNotAllowed, FeeLimitExceeded, TransferLimitExceeded } from '../../apps/index.js';
import { WalletNotFound, WalletNotOwnedByUser, WalletReadOnly } from '../../wallet/index.js';
import { CancelTransfer } from '../application/cancel-transfer.js';
import { ConfirmTransfer } from '../application/confirm-transfer.js';
import { CreateTransfer } from '../application/create-transfer.js';
import {
  BelowRentMinimum,
  ChainNotConfigured,
  ChainUnavailable,
  FeesAboveQuote,
  InsufficientFunds,
  InvalidAddress,
  InvalidAmount,
  InvalidDestination,
  NetworkChanged,
  PaymentRefusedByChain,
} from '../../../kernel/chain/chain.errors.js';
import {
  DuplicateCustomId,
  ListTooBroad,
  TransferAlreadyConfirmed,
  TransferCancelled,
  TransferExpired,
  TransferNotFound,
  UnsupportedCurrency,
} from '../domain/transfer.errors.js';
import { TransferRepository } from '../domain/transfer.repository.js';
import {
  ConfirmTransferRequest,
  CreateTransferRequest,
  ListTransfersRequest,
  ListTransfersResponse,
  orderIn,
  TransferResponse,
} from './transfer.dto.js';

@ApiTags('transfers')
@Controller('v1/transfers')
export class TransferController {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly createTransfer: CreateTransfer,
    private readonly confirmTransfer: ConfirmTransfer,
    private readonly cancelTransfer: CancelTransfer,
  ) {}

  /**
   * Create a transfer
   *
   * @remarks Quotes the fees and keeps the transfer for two minutes to be confirmed. Nothing is sent, nothing reserved.
   */
  @Post('create')
  @HttpCode(200)
  @SecretKey()
  @Beta()
  @Refuses(
    WalletNotFound,
    WalletNotOwnedByUser,
    WalletReadOnly,
    UnsupportedCurrency,
    InvalidAmount,
    InvalidAddress,
    InvalidDestination,
    AppNotFound,
  )
  @Refuses(DuplicateCustomId, InsufficientFunds, BelowRentMinimum, PaymentRefusedByChain, FeesAboveQuote)
  @Refuses(DestinationNotAllowed, TransferLimitExceeded, FeeLimitExceeded, FeeTooHigh)
  @Refuses(ChainNotConfigured, ChainUnavailable)
  async create(@App() app: AuthenticatedApp, @Body() body: CreateTransferRequest): Promise<TransferResponse> {
    const quoted = await this.createTransfer.quote(app.id, orderIn(body));
    return TransferResponse.of({ transfer: await this.createTransfer.execute(quoted), attempts: [] });
  }

  /** List transfers */
  @Get('list')
  @SecretKey()
  @Beta()
  @Refuses(ListTooBroad)
  async list(@App() app: AuthenticatedApp, @Query() query: ListTransfersRequest): Promise<ListTransfersResponse> {
    const { limit, offset, user_id: userId, source } = query;
    const page = await this.transfers.list(app.id, { userId, source, limit, offset });
    return {
      transfers: page.transfers.map((view) => TransferResponse.of(view)),
      count: page.count,
      count_estimated: page.isEstimated,
      limit,
      offset,
    };
  }

  /** Get a transfer */
  @Get(':transfer_id')
  @SecretKey()
  @Beta()
  @Refuses(TransferNotFound)
  get(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<TransferResponse> {
    return this.answer(app.id, transferId);
  }

  /**
   * Confirm a transfer
   *
   * @remarks Pays, exactly once however often it is called, and waits a while for the chain: answers `completed` where that
   * is quick, else `pending`. A transfer that was confirmed before is answered as it stands.
   */
  @Post(':transfer_id/confirm')
  @HttpCode(200)
  @CommitsItself()
  @SecretKey()
  @Beta()
  @Refuses(TransferNotFound, TransferExpired, TransferCancelled, WalletNotFound, WalletNotOwnedByUser, WalletReadOnly)
  @Refuses(InsufficientFunds, BelowRentMinimum, PaymentRefusedByChain, FeesAboveQuote, NetworkChanged, AppNotFound)
  @Refuses(DestinationNotAllowed, TransferLimitExceeded, FeeLimitExceeded, FeeTooHigh)
  @Refuses(ChainNotConfigured, ChainUnavailable)
  async confirm(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
    @Body() body: ConfirmTransferRequest,
  ): Promise<TransferResponse> {
    return TransferResponse.of(await this.confirmTransfer.execute(app.id, transferId, body.user_id));
  }

  /**
   * Cancel a transfer
   *
   * @remarks At once while it is not confirmed or waits in the queue. A signed one on Solana that is in no block stays `pending` with
   * `cancel_requested_at` until it is proven that it can never be carried out, and is then `cancelled`, or `completed` if the chain
   * was first. On Ethereum one that is flagged stuck (`stuck_since`) and in no block is replaced by a zero-value self-transfer, which
   * may cost up to ten times the quote: it stays `pending` until either is final, and is then `failed`
   * (`replaced_by_cancellation`), or `completed` if the payment came first.
   */
  @Post(':transfer_id/cancel')
  @HttpCode(200)
  @CommitsItself()
  @SecretKey()
  @Beta()
  @Refuses(TransferNotFound, TransferExpired, TransferAlreadyConfirmed)
  @Refuses(InsufficientFunds, FeeTooHigh, FeeLimitExceeded, ChainNotConfigured, ChainUnavailable)
  async cancel(
    @App() app: AuthenticatedApp,
    @PathId('transfer_id', 'transfer', TransferNotFound) transferId: TransferId,
  ): Promise<TransferResponse> {
    await this.cancelTransfer.execute(app.id, transferId);
    return this.answer(app.id, transferId);
  }

  private async answer(appId: AppId, id: TransferId): Promise<TransferResponse> {
    const view = await this.transfers.view(appId, id);
    if (!view) throw new TransferNotFound();
    return TransferResponse.of(view);
  }
}
