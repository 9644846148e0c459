import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Anvil } from './anvil.js';
import { send, textOf } from './send.js';

/**
 * The machines behind one URL: `head` follows the chain; `lagging` is a few blocks behind; `forked` stays on the blocks
 * of the last reorganisation until it rejoins; `restored` follows the chain but has lost a part of its history.
 */
export const MACHINES = ['head', 'lagging', 'forked', 'restored'] as const;
export type Machine = (typeof MACHINES)[number];

/** Chooses the machine that answers a call. Each element of a batch is routed by itself, as gateways do. */
export type Route = (method: string, params: readonly unknown[]) => Machine;

/** Routes calls to random machines; `stickiness` is the part of them that goes to the machine of the previous call. */
export function randomRoute(random: () => number, machines: readonly Machine[] = MACHINES, stickiness = 0): Route {
  let last: Machine | undefined;
  return () => {
    if (last === undefined || random() >= stickiness) last = machines[Math.floor(random() * machines.length)]!;
    return last;
  };
}

/** Random numbers that are deterministic for a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Json = Record<string, unknown>;
/** A block that a reorganisation dropped, with full transactions, and its receipts. */
interface DroppedBlock {
  readonly number: number;
  readonly hash: string;
  readonly block: Json;
  readonly transactions: readonly Json[];
  readonly receipts: readonly Json[];
}

/** The chain of a machine: up to `shared` it is anvil's, above that the dropped blocks. */
interface View {
  readonly head: number;
  readonly shared: number;
  readonly dropped: readonly DroppedBlock[];
}

/** The position of the block among the parameters of the methods that read an account's state. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getProof: 2,
  eth_getStorageAt: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
};

/**
 * Several Ethereum machines behind one URL, all views of one anvil. Reorganise the chain with this class: anvil forgets
 * dropped blocks, so they are read before. The forked machine returns state other than balances and nonces as of the
 * last shared block.
 */
export class EthereumPool {
  route: Route = () => 'head';
  /** The number of blocks by which the lagging machine is behind. */
  lag = 3;
  /** The number of calls that each machine answered. */
  readonly answered: Record<Machine, number> = { head: 0, lagging: 0, forked: 0, restored: 0 };
  private fork: { readonly shared: number; readonly dropped: readonly DroppedBlock[] } | null = null;
  private lost: { readonly from: number; readonly to: number } | null = null;

  private constructor(
    private readonly anvil: Anvil,
    private readonly server: Server,
    /** Blocks on top of the `finalized` block; absent: as in anvil. */
    private readonly finalizedAfter: number | undefined,
  ) {}

  static async start(anvil: Anvil, { finalizedAfter }: { finalizedAfter?: number } = {}): Promise<EthereumPool> {
    const server = createServer();
    const pool = new EthereumPool(anvil, server, finalizedAfter);
    server.on('request', (request, response) => {
      pool.serve(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return pool;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get isForked(): boolean {
    return this.fork !== null;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /**
   * Replaces the newest blocks by the same number of empty ones. The forked machine stays on the replaced ones, or on
   * its earlier fork unless the chain is replaced from below it.
   */
  async reorganise(blocks: number): Promise<void> {
    const shared = (await this.height()) - blocks;
    const isBelow = this.fork !== null && shared < this.fork.shared;
    const dropped = this.fork === null || isBelow ? await this.newest(blocks) : null;
    await this.anvil.reorganise(blocks);
    if (dropped) this.fork = { shared, dropped };
  }

  /** The forked machine follows the chain again. */
  rejoin(): void {
    this.fork = null;
  }

  /** The restored machine loses the receipts and the transaction index of these blocks; it keeps the blocks. */
  async loseReceipts(from = 0, to?: number): Promise<void> {
    this.lost = { from, to: to ?? (await this.height()) };
  }

  restoreReceipts(): void {
    this.lost = null;
  }

  private async newest(blocks: number): Promise<DroppedBlock[]> {
    const height = await this.height();
    return Promise.all(
      Array.from({ length: blocks }, async (_, index) => {
        const number = height - blocks + 1 + index;
        const full = await this.read<Json>('eth_getBlockByNumber', [hexOf(number), true]);
        const transactions = full['transactions'] as Json[];
        const receipts = await Promise.all(
          transactions.map(({ hash }) => this.read<Json>('eth_getTransactionReceipt', [hash])),
        );
        const block = { ...full, transactions: transactions.map(({ hash }) => hash) };
        return { number, hash: full['hash'] as string, block, transactions, receipts };
      }),
    );
  }

  private async viewOf(machine: Machine): Promise<View> {
    if (machine === 'forked' && this.fork) {
      const { shared, dropped } = this.fork;
      return { head: shared + dropped.length, shared, dropped };
    }
    const head = Math.max(0, (await this.height()) - (machine === 'lagging' ? this.lag : 0));
    return { head, shared: head, dropped: [] };
  }

  private async answer(method: string, params: readonly unknown[]): Promise<Reply> {
    const machine = this.route(method, params);
    this.answered[machine] += 1;
    const isFollowing = machine === 'head' || (machine === 'forked' && !this.fork);
    if (isFollowing && !(this.finalizedAfter !== undefined && namesTag(params))) return this.ask(method, params);
    const view = await this.viewOf(machine);
    const [first] = params;
    switch (method) {
      case 'eth_blockNumber':
        return { result: hexOf(view.head) };
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash':
        return { result: await this.block(view, first as string, params[1] === true) };
      case 'eth_getBlockReceipts': {
        const block = await this.block(view, blockIdOf(first), false);
        if (block === null || this.hasLost(machine, block)) return { result: null };
        const dropped = view.dropped.find(({ hash }) => hash === block['hash']);
        return dropped ? { result: dropped.receipts } : this.ask(method, [block['hash']]);
      }
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return { result: await this.transaction(machine, view, method, first as string) };
      default:
        return this.stateAt(view, method, params);
    }
  }

  private async block(view: View, id: string, isFull: boolean): Promise<Json | null> {
    const number = id.length === 66 ? null : await this.numberOf(view, id);
    const dropped = view.dropped.find((block) => (number === null ? block.hash === id : block.number === number));
    if (dropped) return isFull ? { ...dropped.block, transactions: dropped.transactions } : dropped.block;
    if (number !== null && number > view.shared) return null;
    const block =
      number === null
        ? await this.read<Json | null>('eth_getBlockByHash', [id, isFull])
        : await this.read<Json | null>('eth_getBlockByNumber', [hexOf(number), isFull]);
    return block === null || Number(block['number']) > view.shared ? null : block;
  }

  private async transaction(machine: Machine, view: View, method: string, hash: string): Promise<Json | null> {
    const isReceipt = method === 'eth_getTransactionReceipt';
    const dropped = view.dropped
      .flatMap(({ receipts, transactions }) => [...(isReceipt ? receipts : transactions)])
      .find((found) => found[isReceipt ? 'transactionHash' : 'hash'] === hash);
    if (dropped) return dropped;
    const found = await this.read<Json | null>(method, [hash]);
    if (found === null || found['blockNumber'] === null) return found;
    if (this.hasLost(machine, found)) return null;
    if (Number(found['blockNumber']) <= view.shared) return found;
    // Still in the machine's pool: transactions spread faster than blocks.
    return isReceipt ? null : { ...found, blockHash: null, blockNumber: null, transactionIndex: null };
  }

  private hasLost(machine: Machine, { number, blockNumber = number }: Json): boolean {
    const at = Number(blockNumber);
    return machine === 'restored' && this.lost !== null && at >= this.lost.from && at <= this.lost.to;
  }

  /** State at the named block, as far as the machine has it. */
  private async stateAt(view: View, method: string, params: readonly unknown[]): Promise<Reply> {
    const position = BLOCK_PARAMETER[method];
    const id = blockIdOf((position === undefined ? undefined : params[position]) ?? 'latest');
    // The machines share their pools, so pending transactions are the same on all.
    if (position === undefined || (method === 'eth_getTransactionCount' && id === 'pending')) {
      return this.ask(method, params);
    }
    const block = await this.block(view, id, false);
    if (block === null) return { error: { code: -32_000, message: 'header not found' } };
    const number = Number(block['number']);
    const above = view.dropped.filter((dropped) => dropped.number <= number);
    const at = params.with(position, hexOf(number - above.length));
    if (above.length === 0) return this.ask(method, params.length > position ? at : [...params, hexOf(number)]);
    const account = String(params[0]).toLowerCase();
    const transactions = above.flatMap((dropped) => dropped.transactions);
    const sent = transactions.filter(({ from }) => from === account);
    if (method === 'eth_getTransactionCount') {
      return { result: hexOf(BigInt(await this.read<string>(method, at)) + BigInt(sent.length)) };
    }
    if (method !== 'eth_getBalance') return this.ask(method, at);
    const receipts = above.flatMap((dropped) => dropped.receipts);
    const succeeded = new Set(receipts.filter(({ status }) => status === '0x1').map((each) => each['transactionHash']));
    let balance = BigInt(await this.read<string>(method, at));
    for (const { hash, from, to, value } of transactions) {
      if (!succeeded.has(hash)) continue;
      if (from === account) balance -= BigInt(value as string);
      if (to === account) balance += BigInt(value as string);
    }
    for (const { from, gasUsed, effectiveGasPrice } of receipts) {
      if (from === account) balance -= BigInt(gasUsed as string) * BigInt(effectiveGasPrice as string);
    }
    return { result: hexOf(balance) };
  }

  private async numberOf({ head }: View, id: string): Promise<number> {
    switch (id) {
      case 'latest':
      case 'pending':
        return head;
      case 'earliest':
        return 0;
      case 'safe':
      case 'finalized':
        // As in anvil: two epochs of 32 blocks.
        return Math.max(0, head - (this.finalizedAfter ?? 64));
      default:
        return Number(id);
    }
  }

  private async height(): Promise<number> {
    return Number(await this.read<string>('eth_blockNumber', []));
  }

  private async read<T>(method: string, params: readonly unknown[]): Promise<T> {
    const reply = await this.ask(method, params);
    if ('error' in reply) throw new Error(`anvil refused ${method}: ${JSON.stringify(reply.error)}`);
    return reply.result as T;
  }

  private async ask(method: string, params: readonly unknown[]): Promise<Reply> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { text } = await send(this.anvil.url, { method: 'POST', headers, body });
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
    return error === undefined ? { result: result ?? null } : { error };
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = JSON.parse(await textOf(request)) as Call | Call[];
    const answers = await Promise.all(
      [asked].flat().map(async ({ id, method, params = [] }) => ({
        jsonrpc: '2.0',
        id,
        ...(await this.answer(method, params)),
      })),
    );
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
  }
}

type Reply = { readonly result: unknown } | { readonly error: unknown };

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

function namesTag(params: readonly unknown[]): boolean {
  return params.some((param) => param === 'finalized' || param === 'safe');
}

/** A block as calls name it: a tag, a number, a hash, or an object with one of the last two (EIP-1898). */
function blockIdOf(param: unknown): string {
  if (typeof param === 'string') return param;
  const { blockHash, blockNumber } = param as { blockHash?: string; blockNumber?: string };
  return blockHash ?? blockNumber ?? 'latest';
}

function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
