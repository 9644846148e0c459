import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, NO_APP } from '../../../apps/index.js';
import { DepositScanRepository } from '../domain/deposit-scan.js';
import { NetworkUnknown } from './begin-network-anew.js';
import type { ReconcileOrder } from '../../reconciling/application/reconcile-books.js';

/** Gives up blocks that no endpoint has, or that a deep reorganisation removed. */
@Injectable()
export class RestartDeposits {
  constructor(
    private readonly scans: DepositScanRepository,
    private readonly apps: AppsFacade,
    private readonly transactions: Transactions,
  ) {}

  /** The search begins again at the newest final block. */
  execute({ by, reason }: ReconcileOrder, network: string): Promise<void> {
    return this.transactions.run(async () => {
      if ((await this.scans.forget(network)) === 0) throw new NetworkUnknown(network);
      await this.apps.audit(by, NO_APP, 'deposits.restarted', network, [`reason: ${reason}`]);
    });
  }
}
