import { Injectable } from '@nestjs/common';
import { KnownNetworks } from '../../../../kernel/chain/chain.js';
import { Clock } from '../../../../kernel/clock.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppsFacade, NO_APP } from '../../../apps/index.js';
import { DepositScanRepository } from '../domain/deposit-scan.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import type { ReconcileOrder } from '../../reconciling/application/reconcile-books.js';

/** The network was used by no process, so there is nothing to set aside. */
export class NetworkUnknown extends Error {
  override readonly name = 'NetworkUnknown';
  constructor(network: string) {
    super(`The service has not used the network ${network}.`);
  }
}

/**
 * Serves a chain that began anew, such as a restarted development chain. Transfers and queues move to a name that no node is configured
 * for, so that no earlier nonce or payment counts on the next chain. Pending ones stay pending: the earlier chain may still exist.
 */
@Injectable()
export class BeginNetworkAnew {
  constructor(
    private readonly networks: KnownNetworks,
    private readonly queues: SenderQueueRepository,
    private readonly depositScans: DepositScanRepository,
    private readonly apps: AppsFacade,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** The name of the earlier network, and its number of pending transfers. */
  execute(
    { by, reason }: ReconcileOrder,
    network: string,
  ): Promise<{ readonly earlier: string; readonly pending: number }> {
    return this.transactions.run(
      async () => {
        const block = await this.networks.forget(network);
        if (!block) throw new NetworkUnknown(network);
        const earlier = `${network}-${block.hash.slice(2, 10)}-${this.clock.now().getTime().toString(36)}`;
        const fields = [`reason: ${reason}`, `earlier network: ${earlier}`];
        await this.apps.audit(by, NO_APP, 'network.begun_anew', network, fields);
        await this.depositScans.forget(network);
        return { earlier, pending: await this.queues.setAside(network, earlier) };
      },
      { signs: true },
    );
  }
}
