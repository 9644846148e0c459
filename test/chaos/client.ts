import { randomUUID } from 'node:crypto';
import type { WalletType } from '../../src/kernel/chain/chain-name.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../support/money.js';
import type { Replica } from './replica.js';

export const AMOUNT = '0.01';
export const MANAGEMENT_KEY = `mk_${'chaos'.repeat(8)}`;
const CHAINS: readonly WalletType[] = ['ethereum', 'solana'];
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

/** A payment to make exactly once, to its own address, with as many transfers as that takes. */
export interface Order {
  readonly wallet: Wallet;
  readonly dest: string;
  /** Absent: it is paid in the chain's coin. */
  readonly token?: PaidToken;
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

  constructor(
    private readonly replicas: readonly Replica[],
    private readonly random: () => number,
  ) {}

  orderOf(wallet: Wallet): Order {
    return { wallet, dest: newAddress(wallet.chain), transfers: [] };
  }

  /** Creates a transfer for the order and lets four callers confirm it at once, until one receives the confirmation. */
  async pay(order: Order): Promise<void> {
    const { wallet, dest, token, transfers } = order;
    const custom_id = `order-${(this.count += 1)}`;
    const source_currency = token?.name ?? wallet.chain;
    const wanted = { source: wallet.id, dest, source_amount: AMOUNT, source_currency, custom_id };
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
    throw new Error(`An order of ${wallet.chain} could not be made: ${JSON.stringify(last)}`);
  }

  /**
   * Resolves when one of four simultaneous callers receives a confirmed or final transfer; false if it does not exist.
   */
  async confirm({ wallet, transfers }: Order): Promise<boolean> {
    let last: Answer | null = null;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => this.call('POST', `/v1/transfers/${transfers.at(-1)}/confirm`, wallet.key, {})),
      );
      const types = answers.map((answer) => answer?.body['error_type']);
      if (answers.some((answer) => answer?.status === 200)) return true;
      if (types.includes('transfer_expired') || types.includes('transfer_cancelled')) return true;
      if (types.includes('transfer_not_found')) return false;
      last = answers.find((answer) => answer !== null) ?? last;
      await sleep(200);
    }
    throw new Error(`A transfer of ${wallet.chain} could not be confirmed: ${JSON.stringify(last)}`);
  }

  /** Ignores the response. */
  async cancel({ wallet, transfers }: Order): Promise<void> {
    await this.call('POST', `/v1/transfers/${transfers.at(-1)}/cancel`, wallet.key, {});
  }

  /** The body of the first response with status 200. A call whose response was lost is repeated with its `Idempotency-Key`. */
  async insist(method: Method, path: string, key: string, body?: object): Promise<Record<string, unknown>> {
    let last: Answer | null = null;
    let idempotencyKey = randomUUID();
    for (let refused = 0; refused < MOST_TRIES / 10; await sleep(100)) {
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
    const ready = this.replicas.filter(({ url }) => url !== undefined);
    const replica = ready[Math.floor(this.random() * ready.length)];
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
}

/** The transfer that was created now or earlier under the same custom id. */
function idIn(answer: Answer | null): string | null {
  if (answer?.status === 200) return String(answer.body['id']);
  if (answer?.body['error_type'] !== 'duplicate_custom_id') return null;
  return /transfer_[0-9a-z]+/.exec(String(answer.body['error_message']))![0];
}

/** Wallets on each chain, of one app, or alternately of two. */
export async function makeWallets(client: Client, walletsPerChain: number, appCount: 1 | 2): Promise<Wallet[]> {
  const apps: Record<string, unknown>[] = [];
  for (let i = 0; i < appCount; i++) {
    const wanted = { name: `Chaos ${i}`, mode: 'test' };
    apps.push(await client.insist('POST', '/management/v1/apps', MANAGEMENT_KEY, wanted));
  }
  const wallets: Wallet[] = [];
  for (const chain of CHAINS) {
    for (let i = 0; i < walletsPerChain; i++) {
      const app = apps[(i >> 1) % appCount]!;
      const key = String(app['secret_key']);
      const person = { email: `${chain}${i}@example.com`, wallet_type: 'none' };
      const userId = String((await client.insist('POST', '/v1/auth/users/create', key, person))['user_id']);
      const wallet = await client.insist('POST', '/v1/wallets/create', key, { user_id: userId, wallet_type: chain });
      const [id, address] = [String(wallet['id']), String(wallet['public_address'])];
      wallets.push({ chain, id, address, key, appId: String(app['id']), userId });
    }
  }
  return wallets;
}

type Method = 'GET' | 'POST' | 'PATCH';
