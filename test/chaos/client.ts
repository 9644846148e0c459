import { randomUUID } from 'node:crypto';
import { WALLET_TYPES, type WalletType } from '../../src/kernel/chain/chain-name.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../support/money.js';
import { type NetworkName, NETWORKS, networksOf } from './networks/names.js';
import type { Replica } from './replica.js';

export const AMOUNT = '0.01';
export const MANAGEMENT_KEY = `mk_${'chaos'.repeat(8)}`;
/** The client's timeout: a later response counts as none. */
const TIMEOUT_MS = 8_000;

export interface Wallet {
  readonly chain: WalletType;
  readonly id: string;
  readonly address: string;
  readonly appId: string;
  readonly userId: string;
  /** The secret key of its app. */
  readonly key: string;
}

/** A token that an order is paid in. */
export interface PaidToken {
  /** The name by which apps pay with it. */
  readonly name: string;
  readonly address: string;
  readonly decimals: number;
}

/** A payment to make exactly once, on one network, to its own address, with as many transfers as that takes. */
export interface Order {
  readonly wallet: Wallet;
  readonly network: NetworkName;
  readonly dest: string;
  /** Absent: it is paid in the chain's coin. */
  readonly token?: PaidToken;
  /** Absent: `AMOUNT`. */
  readonly amount?: 'max';
  /** The last one may be pending; the earlier ones have failed and were safe to repeat. */
  readonly transfers: string[];
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** The tries of a call until it succeeds, with a tenth of a second between them. */
const MOST_TRIES = 3_000;

/** A client of the service that repeats every call whose result is unknown. */
export class Client {
  private count = 0;
  /** The batches of the transfers that were created together. */
  private readonly batches = new Map<string, string>();

  constructor(
    private readonly replicas: readonly Replica[],
    private readonly random: () => number,
  ) {}

  /** Without a network the order is paid on any network of the wallet. */
  orderOf(wallet: Wallet, network = this.anyOf(networksOf(wallet.chain))!): Order {
    return { wallet, network, dest: newAddress(wallet.chain), transfers: [] };
  }

  /** Creates a transfer for the order and lets four callers confirm it at once, until one receives the confirmation. */
  async pay(order: Order): Promise<void> {
    const { wallet, network, dest, token, amount: source_amount = AMOUNT, transfers } = order;
    const custom_id = `order-${(this.count += 1)}`;
    const source_currency = token?.name ?? network;
    const wanted = { source: wallet.id, network, dest, source_amount, source_currency, custom_id };
    let last: Answer | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const created = await this.call('POST', '/v1/transfers/create', wallet.key, wanted);
      const id = idIn(created);
      if (id === null) {
        last = created ?? last;
        await sleep(100);
        continue;
      }
      if (transfers.at(-1) !== id) transfers.push(id);
      // A crash of the database may have lost it before it was confirmed.
      if (await this.confirm(order)) return;
    }
    throw new Error(`An order on ${network} could not be made: ${JSON.stringify(last)}`);
  }

  /** Creates a batch for orders of one wallet in the coin of one network, and confirms it as `pay` does. */
  async payTogether(orders: readonly [Order, ...Order[]]): Promise<void> {
    const [first] = orders;
    const { wallet, network } = first;
    const items = orders.map(({ dest }) => ({ dest, source_amount: AMOUNT }));
    const wanted = { source: wallet.id, source_currency: network, items };
    do {
      const batch = await this.insist('POST', '/v1/transfers/create_batch', wallet.key, wanted);
      for (const [index, { id }] of (batch['transfers'] as { id: string }[]).entries()) {
        orders[index]!.transfers.push(id);
        this.batches.set(id, String(batch['batch_id']));
      }
      // A crash of the database may have lost it before it was confirmed.
    } while (!(await this.confirm(first)));
  }

  /**
   * Resolves when one of four simultaneous callers receives a confirmed or final transfer; false if it does not exist. A transfer of a
   * batch is confirmed with its batch.
   */
  async confirm({ wallet, network, transfers }: Order): Promise<boolean> {
    const id = transfers.at(-1)!;
    const batch_id = this.batches.get(id);
    const path = `/v1/transfers/${batch_id ? 'confirm_batch' : `${id}/confirm`}`;
    const wanted = batch_id ? { batch_id } : {};
    let last: Answer | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => this.call('POST', path, wallet.key, wanted)));
      const types = answers.map((answer) => answer?.body['error_type']);
      if (answers.some((answer) => answer?.status === 200)) return true;
      if (types.includes('transfer_expired') || types.includes('transfer_cancelled')) return true;
      if (types.includes('transfer_not_found') || types.includes('batch_not_found')) return false;
      last = answers.find((answer) => answer !== null) ?? last;
      await sleep(200);
    }
    throw new Error(`A transfer on ${network} could not be confirmed: ${JSON.stringify(last)}`);
  }

  /** Ignores the response. */
  async cancel({ wallet, transfers }: Order): Promise<void> {
    await this.call('POST', `/v1/transfers/${transfers.at(-1)}/cancel`, wallet.key, {});
  }

  /** The body of the first response with status 200. A call whose response was lost is repeated with its `Idempotency-Key`. */
  async insist(method: Method, path: string, key: string, body?: object): Promise<Record<string, unknown>> {
    let last: Answer | null = null;
    let idempotencyKey = randomUUID();
    for (let refused = 0; refused < MOST_TRIES; await sleep(100)) {
      const answer = await this.call(method, path, key, body, { 'idempotency-key': idempotencyKey });
      if (answer?.status === 200) return answer.body;
      // No response says nothing: all replicas may be starting.
      if (!answer) continue;
      refused += 1;
      last = answer;
      idempotencyKey = randomUUID();
    }
    throw new Error(`${path} never succeeded: ${JSON.stringify(last)}`);
  }

  /** Null if there was no response. */
  async call(
    method: Method,
    path: string,
    key: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | null> {
    const replica = this.anyOf(this.replicas.filter(({ url }) => url !== undefined));
    if (!replica?.url) return null;
    try {
      const response = await fetch(replica.url + path, {
        method,
        headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    } catch {
      return null;
    }
  }

  private anyOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.random() * all.length)];
  }
}

/** The transfer that was created now or earlier under the same custom id. */
function idIn(answer: Answer | null): string | null {
  if (answer?.status === 200) return String(answer.body['id']);
  if (answer?.body['error_type'] !== 'duplicate_custom_id') return null;
  return /transfer_[0-9a-z]+/.exec(String(answer.body['error_message']))![0];
}

/** Wallets of each type, of one app, or alternately of two, which may pay on all networks. */
export async function makeWallets(client: Client, walletsPerType: number, appCount: 1 | 2): Promise<Wallet[]> {
  const apps: Record<string, unknown>[] = [];
  for (let i = 0; i < appCount; i++) {
    const wanted = { name: `Chaos ${i}`, mode: 'test' };
    const app = await client.insist('POST', '/management/v1/apps', MANAGEMENT_KEY, wanted);
    await client.insist('PATCH', `/management/v1/apps/${app['id']}`, MANAGEMENT_KEY, { networks: NETWORKS });
    apps.push(app);
  }
  const wallets: Wallet[] = [];
  for (const chain of WALLET_TYPES) {
    for (let i = 0; i < walletsPerType; i++) {
      const app = apps[(i >> 1) % appCount]!;
      const owner = { appId: String(app['id']), key: String(app['secret_key']) };
      wallets.push(await makeWallet(client, chain, owner, `${chain}${i}@example.com`));
    }
  }
  return wallets;
}

export async function makeWallet(
  client: Client,
  chain: WalletType,
  { appId, key }: Pick<Wallet, 'appId' | 'key'>,
  email: string,
): Promise<Wallet> {
  const user = await client.insist('POST', '/v1/auth/users/create', key, { email, wallet_type: 'none' });
  const userId = String(user['user_id']);
  const wallet = await client.insist('POST', '/v1/wallets/create', key, { user_id: userId, wallet_type: chain });
  return { chain, id: String(wallet['id']), address: String(wallet['public_address']), key, appId, userId };
}

type Method = 'GET' | 'POST' | 'PATCH';
