import type { ChainName } from '../../src/kernel/chain/chain-name.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { newAddress } from '../support/money.js';
import type { Replica } from './replica.js';

export const AMOUNT = '0.01';
export const MANAGEMENT_KEY = `mk_${'chaos'.repeat(8)}`;
const CHAINS: readonly ChainName[] = ['ethereum', 'solana'];
/** The client's timeout: a later response counts as none. */
const TIMEOUT_MS = 8_000;

export interface Wallet {
  readonly chain: ChainName;
  readonly id: string;
  readonly address: string;
  readonly key: string;
}

/** A payment to make exactly once, to its own address, with as many transfers as that takes. */
export interface Order {
  readonly wallet: Wallet;
  readonly dest: string;
  /** The last one may be pending; the earlier ones have failed and were safe to repeat. */
  readonly transfers: string[];
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

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
    const { wallet, dest, transfers } = order;
    const custom_id = `order-${(this.count += 1)}`;
    const wanted = { source: wallet.id, dest, source_amount: AMOUNT, source_currency: wallet.chain, custom_id };
    let last: Answer | null = null;
    for (let tries = 0; tries < 3_000; tries++) {
      const created = await this.call('/v1/transfers/create', wallet.key, wanted);
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
    for (let tries = 0; tries < 3_000; tries++) {
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => this.call(`/v1/transfers/${transfers.at(-1)}/confirm`, wallet.key, {})),
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
    await this.call(`/v1/transfers/${transfers.at(-1)}/cancel`, wallet.key, {});
  }

  /** Null if there was no response. */
  private async call(path: string, key: string, body: unknown): Promise<Answer | null> {
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

/** The transfer that was created now or earlier under the same custom id. */
function idIn(answer: Answer | null): string | null {
  if (answer?.status === 200) return String(answer.body['id']);
  if (answer?.body['error_type'] !== 'duplicate_custom_id') return null;
  return /transfer_[0-9a-z]+/.exec(String(answer.body['error_message']))![0];
}

export async function makeWallets(url: string, walletsPerChain: number): Promise<Wallet[]> {
  const post = async (path: string, key: string, body: unknown): Promise<Record<string, string>> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const app = await post('/management/v1/apps', MANAGEMENT_KEY, { name: 'Chaos', mode: 'test' });
  const key = app['secret_key']!;
  const wallets: Wallet[] = [];
  for (const chain of CHAINS) {
    for (let i = 0; i < walletsPerChain; i++) {
      const user = await post('/v1/auth/users/create', key, { email: `${chain}${i}@example.com`, wallet_type: 'none' });
      const wallet = await post('/v1/wallets/create', key, { user_id: user['user_id'], wallet_type: chain });
      wallets.push({ chain, id: wallet['id']!, address: wallet['public_address']!, key });
    }
  }
  return wallets;
}
