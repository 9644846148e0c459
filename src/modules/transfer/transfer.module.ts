import { Module, type OnModuleInit } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Jobs } from '../../kernel/jobs.js';
import { Log } from '../../kernel/log.js';
import { ObjectOwners } from '../../kernel/object-owners.js';
import { SetBacks } from '../../kernel/set-backs.js';
import { DomainEvents } from '../../kernel/domain-events.js';
import { HttpMetrics } from '../../services/observability/metrics.js';
import { AppDeleted, AppInUse } from '../apps/index.js';
import { ChainModule } from '../chain/index.js';
import { AccountUses, IdentityModule, UserDeleted, UserInUse } from '../identity/index.js';
import { AwaitingTransfers, Gate, PolicyModule } from '../policy/index.js';
import { SigningGuards, WalletModule, WalletsFacade } from '../wallet/index.js';
import { BeginNetworkAnew } from './deposits/application/begin-network-anew.js';
import { CancelTransfer } from './orders/application/cancel-transfer.js';
import { ConfirmBatch } from './orders/application/confirm-batch.js';
import { ConfirmTransfer } from './orders/application/confirm-transfer.js';
import { Currencies } from './transfer/application/currencies.js';
import { CreateTransfer } from './orders/application/create-transfer.js';
import { EvaluatePolicies } from './orders/application/evaluate-policies.js';
import { ExpireTransfers } from './tracking/application/expire-transfers.js';
import { GuardTransaction } from './paying/application/guard-transaction.js';
import { CloseNonceGap } from './paying/application/close-nonce-gap.js';
import { ObserveQueue, TrackTransfer } from './tracking/application/track-transfer.js';
import { SettleApproval } from './orders/application/settle-approval.js';
import { MarkStuck, SettleTransfer, UpdateTransfer } from './paying/application/settle-transfer.js';
import { SenderQueueLimiter, SignPayment } from './paying/application/sign-payment.js';
import { SignPendingPayment } from './paying/application/sign-pending-payment.js';
import { ReconcileBooks } from './reconciling/application/reconcile-books.js';
import { ReconcileQueue } from './reconciling/application/reconcile-queue.js';
import { ReplacePayment } from './paying/application/replace-payment.js';
import { RestartDeposits } from './deposits/application/restart-deposits.js';
import { ScanDeposits } from './deposits/application/scan-deposits.js';
import { WalletBalance } from './balances/application/wallet-balance.js';
import { DepositRepository } from './deposits/domain/deposit.js';
import { DepositScanRepository } from './deposits/domain/deposit-scan.js';
import { DepositOmitted } from './deposits/domain/deposit.events.js';
import { SenderQueueRepository } from './transfer/domain/sender-queue.repository.js';
import { TrackingRepository } from './tracking/domain/tracking.repository.js';
import { TransferRepository, TransferStateRepository } from './transfer/domain/transfer.repository.js';
import { TransferSettings } from './transfer/domain/transfer-settings.js';
import { TransferEvent, TransferSentAgain } from './transfer/domain/transfer.events.js';
import { DepositScanner } from './deposits/deposit-scanner.js';
import { DepositController, ManagedDepositsController } from './deposits/http/deposit.controller.js';
import { EvaluateController } from './orders/http/evaluate.controller.js';
import { ManagedTransfersController } from './orders/http/managed-transfers.controller.js';
import { TransferController } from './orders/http/transfer.controller.js';
import { ManagedBalancesController, WalletBalanceController } from './balances/http/wallet-balance.controller.js';
import './infrastructure/personal-data.js';
import { DepositMetrics } from './deposits/infrastructure/deposit-metrics.js';
import { PostgresDepositRepository } from './deposits/infrastructure/postgres-deposit.repository.js';
import { PostgresDepositScanRepository } from './deposits/infrastructure/postgres-deposit-scan.repository.js';
import { TransferMetrics } from './tracking/infrastructure/transfer-metrics.js';
import { ConfiguredTransferSettings } from './transfer/infrastructure/configured-transfer-settings.js';
import { PostgresSenderQueueRepository } from './transfer/infrastructure/postgres-sender-queue.repository.js';
import { PostgresTrackingRepository } from './tracking/infrastructure/postgres-tracking.repository.js';
import { PostgresTransferStateRepository } from './transfer/infrastructure/postgres-transfer-state.repository.js';
import { PostgresTransferRepository } from './transfer/infrastructure/postgres-transfer.repository.js';
import { MarkUnserved } from './tracking/application/mark-unserved.js';
import { Tracker } from './tracking/tracker.js';

@Module({
  imports: [ChainModule, IdentityModule, PolicyModule, WalletModule],
  controllers: [
    EvaluateController,
    TransferController,
    ManagedTransfersController,
    WalletBalanceController,
    DepositController,
    ManagedDepositsController,
    ManagedBalancesController,
  ],
  providers: [
    CreateTransfer,
    Currencies,
    EvaluatePolicies,
    ConfirmBatch,
    ConfirmTransfer,
    CancelTransfer,
    ExpireTransfers,
    GuardTransaction,
    ReplacePayment,
    SignPayment,
    SignPendingPayment,
    SenderQueueLimiter,
    ObserveQueue,
    TrackTransfer,
    UpdateTransfer,
    SettleTransfer,
    SettleApproval,
    BeginNetworkAnew,
    ReconcileBooks,
    ReconcileQueue,
    CloseNonceGap,
    MarkStuck,
    MarkUnserved,
    TransferMetrics,
    WalletBalance,
    ScanDeposits,
    RestartDeposits,
    DepositMetrics,
    DepositScanner,
    Tracker,
    { provide: TransferRepository, useClass: PostgresTransferRepository },
    { provide: TransferStateRepository, useClass: PostgresTransferStateRepository },
    { provide: TrackingRepository, useClass: PostgresTrackingRepository },
    { provide: DepositRepository, useClass: PostgresDepositRepository },
    { provide: DepositScanRepository, useClass: PostgresDepositScanRepository },
    { provide: SenderQueueRepository, useClass: PostgresSenderQueueRepository },
    { provide: TransferSettings, useClass: ConfiguredTransferSettings },
  ],
})
export class TransferModule implements OnModuleInit {
  constructor(
    private readonly events: DomainEvents,
    private readonly owners: ObjectOwners,
    private readonly uses: AccountUses,
    private readonly jobs: Jobs,
    private readonly signingGuards: SigningGuards,
    private readonly transfers: TransferStateRepository,
    private readonly setBacks: SetBacks,
    private readonly senderQueues: SenderQueueRepository,
    private readonly wallets: WalletsFacade,
    private readonly guardTransaction: GuardTransaction,
    private readonly gate: Gate,
    private readonly awaitingTransfers: AwaitingTransfers,
    private readonly settleApproval: SettleApproval,
    private readonly expireTransfers: ExpireTransfers,
    private readonly markUnserved: MarkUnserved,
    private readonly metrics: HttpMetrics,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.owners.register({ kind: 'transfer', table: 'transfers', wallet: 'source' });
    this.uses.register({ name: 'transfer', records: 'select 1 from transfers where app_id = $1 and user_id = $2' });
    // All transfers of a batch have one source.
    const batches =
      '(select app_id, batch_id as id, user_id, source from transfers where batch_id is not null) batches';
    this.owners.register({ kind: 'batch', table: batches, wallet: 'source' });
    this.owners.register({ kind: 'deposit', table: 'deposits', wallet: 'wallet_id' });
    this.events.subscribe(UserDeleted, async ({ appId, userId }) => {
      await this.wallets.lockAllOf(appId, userId);
      if (await this.transfers.hasPending(appId, userId)) throw new UserInUse('a transfer of theirs is pending');
    });
    this.events.subscribe(AppDeleted, async ({ appId }) => {
      // The deletion has locked the app.
      if (await this.transfers.hasPending(appId)) throw new AppInUse('a transfer is pending');
    });
    const sentAgain = new Counter({
      name: 'transfers_sent_again_total',
      help: 'Completed transfers whose final block the chain has lost, so that their payments were sent again.',
      registers: [this.metrics.registry],
    });
    this.events.subscribe(TransferSentAgain, ({ appId, data }) => {
      sentAgain.inc();
      this.log.warn({ app_id: appId, transfer_id: data.transfer_id }, 'a completed transfer is sent again');
    });
    const omitted = new Counter({
      name: 'deposits_omitted_total',
      help: 'Payments of tokens to wallets of an app that SQL has altered: they were not recorded as deposits. The log has each.',
      registers: [this.metrics.registry],
    });
    this.events.subscribe(DepositOmitted, ({ appId, walletId, network, payment: { hash, token, amount } }) => {
      omitted.inc();
      this.log.error(
        { app_id: appId, wallet_id: walletId, network, hash, token, amount: String(amount) },
        'a deposit of an app that SQL has altered was not recorded',
      );
    });
    for (const status of ['completed', 'failed', 'rejected', 'expired', 'cancelled'] as const)
      this.events.subscribe(TransferEvent.typeOf(status), async ({ transfer }) => {
        const { appId, id, decisionId, approvalId, updatedAt } = transfer;
        if (decisionId !== null) await this.gate.settle(appId, id, transfer.mayHavePaid() ? updatedAt : null);
        if (approvalId !== null) await this.gate.withdraw(appId, id);
      });
    this.setBacks.onFound(() => this.senderQueues.recordSetBack());
    this.awaitingTransfers.register(this.settleApproval);
    this.signingGuards.register(this.guardTransaction);
    this.jobs.schedule('transfer.expire', 15, () => this.expireTransfers.execute());
    this.jobs.schedule('transfer.unserved', 30, () => this.markUnserved.execute());
  }
}
