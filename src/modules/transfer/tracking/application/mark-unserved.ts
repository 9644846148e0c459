import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import { inTurn } from '../../../../kernel/collections.js';
import { type DueTransfer, TrackingRepository } from '../domain/tracking.repository.js';
import { TransferRepository } from '../../transfer/domain/transfer.repository.js';
import { UpdateTransfer } from '../../paying/application/settle-transfer.js';

const BATCH = 200;
const REASON = 'network_not_configured';

/** Nothing is read or sent for them until a process has the network again, or an operator closes them. */
@Injectable()
export class MarkUnserved {
  constructor(
    private readonly tracking: TrackingRepository,
    private readonly transfers: TransferRepository,
    private readonly updateTransfer: UpdateTransfer,
    private readonly chains: Chains,
  ) {}

  async execute(): Promise<void> {
    const networks = this.chains.all.map(({ name }) => name);
    await inTurn(await this.tracking.unserved(networks, BATCH), (unserved) => this.mark(unserved));
  }

  private async mark({ appId, id }: DueTransfer): Promise<void> {
    const stored = await this.transfers.find(appId, id);
    if (!stored) return;
    const payment = { ...stored, attempts: await this.transfers.attempts(appId, id) };
    await this.updateTransfer.execute(payment, (transfer, now) =>
      transfer.stuckReason === REASON ? transfer : transfer.markStuck(REASON, now),
    );
  }
}
