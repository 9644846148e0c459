import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../../support/money.js';
import { AMOUNT, type Order, type Wallet } from '../client.js';
import type { NetworkName } from '../networks/names.js';
import type { Replica } from '../replica.js';

const TIMEOUT_MS = 8_000;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** An app that repeats every call whose result is unknown, and never orders again what the service has forgotten. */
export class CarefulClient {
  readonly orders: Order[] = [];
  /** Orders of which the service knows no transfer any more. They may have been paid, so they are never made again. */
  readonly lost = new Set<Order>();
  private count = 0;

  constructor(
    private readonly replicas: readonly Replica[],
    private readonly random: () => number,
  ) {}

  orderOf(wallet: Wallet, network: NetworkName): Order {
    const order = { wallet, network, dest: newAddress(wallet.chain), transfers: [] };
    this.orders.push(order);
    return order;
  }

  async pay(order: Order): Promise<void> {
    await this.create(order);
    await this.confirm(order);
  }

  async create(order: Order): Promise<void> {
    const { wallet, network, dest, transfers } = order;
    const custom_id = `order-${(this.count += 1)}`;
    const wanted = { source: wallet.id, dest, source_amount: AMOUNT, source_currency: network, custom_id };
    for (let tries = 0; tries < 600; tries++) {
      const answer = await this.call('/v1/transfers/create', wallet, wanted);
      const id =
        answer?.status === 200
          ? String(answer.body['id'])
          : answer?.body['error_type'] === 'duplicate_custom_id' &&
            /transfer_[0-9a-z]+/.exec(String(answer.body['error_message']))![0];
      if (id) return void transfers.push(id);
      await sleep(100);
    }
    throw new Error(`An order on ${network} could not be made.`);
  }

  /** Repeats the confirmation until there is a response. An order whose transfer does not exist any more is lost. */
  async confirm(order: Order): Promise<void> {
    const { wallet, network, transfers } = order;
    let last: Answer | null = null;
    for (let tries = 0; tries < 600; tries++) {
      const answer = await this.call(`/v1/transfers/${transfers.at(-1)}/confirm`, wallet, {});
      const type = answer?.body['error_type'];
      if (answer?.status === 200 || type === 'transfer_expired' || type === 'transfer_cancelled') return;
      if (type === 'transfer_not_found') return void this.lost.add(order);
      last = answer ?? last;
      await sleep(100);
    }
    throw new Error(`A transfer on ${network} could not be confirmed: ${JSON.stringify(last)}`);
  }

  /** Null if there was no response. */
  private async call(path: string, { key }: Wallet, body: object): Promise<Answer | null> {
    const ready = this.replicas.filter(({ url }) => url !== undefined);
    const replica = ready[Math.floor(this.random() * ready.length)];
    if (!replica?.url) return null;
    try {
      const response = await fetch(replica.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }
}
