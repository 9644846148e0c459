import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/transactions.js';
import type { LaneId } from '../domain/lane.js';

/** One that holds the lock, and one that has asked for it. */
const AT_ONCE = 2;

interface Turns {
  taken: number;
  readonly waiting: (() => void)[];
}

/**
 * Lets two transactions of this process at a time ask for a lane's lock. More would each hold a connection while they wait,
 * until a single busy wallet had them all. What keeps payments apart is the lock, not this.
 */
@Injectable()
export class LaneTurns {
  private readonly lanes = new Map<string, Turns>();

  constructor(private readonly transactions: Transactions) {}

  /** Runs `work` in a transaction when its turn has come. */
  async run<T>({ appId, network, address }: LaneId, work: () => Promise<T>): Promise<T> {
    const lane = `${appId} ${network} ${address}`;
    const turns = this.lanes.get(lane) ?? { taken: 0, waiting: [] };
    this.lanes.set(lane, turns);
    if (turns.taken < AT_ONCE) turns.taken++;
    else await new Promise<void>((resolve) => turns.waiting.push(resolve));
    try {
      return await this.transactions.run(work);
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if (--turns.taken === 0) this.lanes.delete(lane);
    }
  }
}
