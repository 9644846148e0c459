import { Injectable } from '@nestjs/common';
import { isShortage } from '../../../kernel/chain/chain.errors.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { NodeCalls } from '../../../kernel/chain/node-calls.js';
import { SharedRuns } from '../../../kernel/shared-runs.js';
import { keyOf, type SenderQueueId } from '../domain/sender-queue.js';
import type { Transfer } from '../domain/transfer.js';
import { TrackTransfer } from './track-transfer.js';

/**
 * Observes the open transfers of a sender queue for a call that needs the balance: a payment that has left the balance but is not recorded
 * as mined counts twice.
 */
@Injectable()
export class ObserveQueue {
  /** The observations under way, by sender queue. */
  private readonly observations = new SharedRuns();

  constructor(
    private readonly trackTransfer: TrackTransfer,
    private readonly nodeCalls: NodeCalls,
  ) {}

  /** Its slot is taken before it begins, and no step of it waits for another one. */
  async execute(queue: SenderQueueId, chain: ChainName): Promise<void> {
    await this.observations.follow(keyOf(queue), () =>
      this.nodeCalls.run(chain, queue.appId, () => this.trackTransfer.executeQueue(queue)),
    );
  }

  /** The result of `pay`, which is called once more after an observation if the balance of the transfer's source lacks. */
  async unlessShort<T>(transfer: Transfer, pay: () => Promise<T>): Promise<T> {
    try {
      return await pay();
    } catch (error) {
      if (!isShortage(error)) throw error;
      await this.execute(transfer.senderQueue(), transfer.chain);
      return pay();
    }
  }
}
