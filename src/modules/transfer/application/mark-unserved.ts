import { Injectable } from '@nestjs/common';
import { Chains } from '../../../kernel/chain/chain.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { type DueTransfer, TrackingRepository } from '../domain/tracking.repository.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { TransferRepository, TransferStateRepository } from '../domain/transfer.repository.js';

const BATCH = 200;

/**
 * Marks pending transfers stuck whose network has left the configuration: nothing is read or sent for them. They go on once a process has
 * the network again, or an operator closes them.
 */
@Injectable()
export class MarkUnserved {
  constructor(
    private readonly tracking: TrackingRepository,
    private readonly transfers: TransferRepository,
    private readonly states: TransferStateRepository,
    private readonly chains: Chains,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async execute(): Promise<void> {
    const networks = this.chains.all.map(({ name }) => name);
    for (const due of await this.tracking.unserved(networks, BATCH)) await this.mark(due);
  }

  private async mark({ appId, id }: DueTransfer): Promise<void> {
    const seen = await this.transfers.find(appId, id);
    if (!seen) return;
    await this.transactions.run(async () => {
      const { transfer, now } = await this.states.lock(seen.transfer);
      if (transfer.status !== 'pending' || transfer.stuckReason === 'network_not_configured') return;
      const marked = transfer.markStuck('network_not_configured', now);
      await this.events.publish(...TransferEvent.ofChange(transfer, marked));
      this.states.store(marked);
    });
  }
}
