import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import type { SenderQueueId } from '../domain/sender-queue.js';

/** One that holds the lock, and one that has asked for it. */
const AT_ONCE = 2;

/** Whoever has waited for so long goes without a turn, and fails as the database makes it: elsewhere somebody holds the lane. */
const PATIENCE_MS = 5_000;

interface Turns {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets two transactions of this process at a time ask for a lane's lock. More would each hold a connection while they wait,
 * until a single busy wallet had them all. What keeps payments apart is the lock, not this.
 */
@Injectable()
export class SenderQueueWaits {
  private readonly lanes = new Map<string, Turns>();

  constructor(private readonly transactions: Transactions) {}

  /** Runs `work` in a transaction that signs when its turn has come. */
  async run<T>({ appId, network, address }: SenderQueueId, work: () => Promise<T>): Promise<T> {
    const lane = `${appId} ${network} ${address}`;
    const turns = this.lanes.get(lane) ?? { taken: 0, waiting: [] };
    this.lanes.set(lane, turns);
    const hasTurn = turns.taken < AT_ONCE ? ++turns.taken > 0 : await comes(turns);
    try {
      return await this.transactions.runSigning(work);
    } finally {
      const next = hasTurn && turns.waiting.shift();
      if (next) next();
      else if (hasTurn && --turns.taken === 0) this.lanes.delete(lane);
    }
  }
}

/** Whether the turn has come before patience ran out. */
function comes({ waiting }: Turns): Promise<boolean> {
  return new Promise((resolve) => {
    const come = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(come), 1);
      resolve(false);
    }, PATIENCE_MS);
    waiting.push(come);
  });
}
