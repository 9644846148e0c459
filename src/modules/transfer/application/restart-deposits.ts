import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade, NO_APP } from '../../apps/index.js';
import { DepositScanRepository } from '../domain/deposit-scan.js';
import { NetworkUnknown } from './begin-network-anew.js';
import type { ReconcileOrder } from './reconcile-books.js';

/** Gives up the blocks that a search for deposits has not reached, because no endpoint has them or the chain was reorganised too deeply. */
@Injectable()
export class RestartDeposits {
  constructor(
    private readonly scans: DepositScanRepository,
    private readonly apps: AppsFacade,
    private readonly transactions: Transactions,
  ) {}

  /** The search on the network begins again at the newest final block. Throws `NetworkUnknown`. */
  execute({ by, reason }: ReconcileOrder, network: string): Promise<void> {
    return this.transactions.run(async () => {
      if ((await this.scans.forget(network)) === 0) throw new NetworkUnknown(network);
      await this.apps.audit(by, NO_APP, 'deposits.restarted', network, [`reason: ${reason}`]);
    });
  }
}
