import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Anvil } from './anvil.js';

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}
interface Block {
  readonly number: string;
  readonly hash: string;
  readonly transactions: readonly { readonly hash: string; readonly nonce: string; readonly from: string }[];
}

/** The newest block of a machine that is on an abandoned fork, and what that machine knows of it. */
export interface AbandonedBlock {
  readonly block: Block;
  readonly receipts: ReadonlyMap<string, unknown>;
}

/**
 * The view of one machine: the whole chain, the chain up to a number, or one abandoned block instead of the newer ones.
 */
export type Machine = 'head' | { readonly lagsAt: number } | AbandonedBlock;

/**
 * One URL with several machines. `route` chooses the machine of every call, also within a batch, except for blocks by number there.
 * Sends reach the chain only through `head`.
 */
export class ScriptedPool {
  route: () => Machine = () => 'head';
  /** Whether all machines have lost their receipts. */
  receiptsLost = false;
  /** The number of calls of each method. */
  readonly calls = new Map<string, number>();

  private constructor(
    private readonly anvil: Anvil,
    private readonly server: Server,
  ) {}

  static async start(anvil: Anvil): Promise<ScriptedPool> {
    const server = createServer();
    const pool = new ScriptedPool(anvil, server);
    server.on('request', async (request, response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const asked = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call | Call[];
        const answers = [];
        let machine: Machine | undefined;
        for (const { id, method, params } of [asked].flat()) {
          pool.calls.set(method, (pool.calls.get(method) ?? 0) + 1);
          // A block by its number, which ties the other calls of its request to a chain, comes from the machine of the call before; all
          // machines have the first block.
          const isTie = method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x');
          machine = (isTie && (machine ?? (params[0] === '0x0' && 'head'))) || pool.route();
          answers.push({ jsonrpc: '2.0', id, result: await pool.answer(machine, method, params) });
        }
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
      } catch {
        response.destroy();
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return pool;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Stores the newest block for a forked machine, and replaces it in the chain by an empty one. */
  async abandonNewestBlock(): Promise<AbandonedBlock> {
    const block = await this.anvil.call<Block>('eth_getBlockByNumber', 'latest', true);
    const receipts = new Map<string, unknown>();
    for (const { hash } of block.transactions) {
      receipts.set(hash, await this.anvil.call('eth_getTransactionReceipt', hash));
    }
    await this.anvil.reorganise(1);
    return { block, receipts };
  }

  /** State after a block that is named by its hash (EIP-1898), if the machine has that block. */
  private async atBlock(
    named: unknown,
    isKnown: (number: string | undefined) => boolean,
    ask: () => Promise<unknown>,
  ): Promise<unknown> {
    const { blockHash } = named as { readonly blockHash?: string };
    const block = blockHash && (await this.anvil.call<Block | null>('eth_getBlockByHash', blockHash, false));
    if (!block || !isKnown(block.number)) throw new Error('This machine does not have the state of that block.');
    return ask();
  }

  private async answer(machine: Machine, method: string, params: readonly unknown[]): Promise<unknown> {
    if (this.receiptsLost && method === 'eth_getTransactionReceipt') return null;
    const ask = <T>(): Promise<T> => this.anvil.call<T>(method, ...params);
    if (machine === 'head') return ask();
    const abandoned = 'block' in machine ? machine : null;
    // The newest block the machine shares with the chain.
    const newest = 'block' in machine ? Number(machine.block.number) - 1 : machine.lagsAt;
    const [first, second] = params as [string, unknown];
    const isKnown = (number: string | undefined): boolean => number !== undefined && Number(number) <= newest;
    switch (method) {
      case 'eth_blockNumber':
        return abandoned?.block.number ?? `0x${newest.toString(16)}`;
      case 'eth_getBlockByNumber': {
        const isTag = ['latest', 'pending', 'finalized'].includes(first);
        const number = isTag ? (abandoned?.block.number ?? `0x${newest.toString(16)}`) : first;
        if (abandoned && Number(number) === Number(abandoned.block.number)) return form(abandoned.block, second);
        return isKnown(number) ? this.anvil.call(method, number, second) : null;
      }
      case 'eth_getBlockByHash': {
        if (first === abandoned?.block.hash) return form(abandoned.block, second);
        const block = await ask<Block | null>();
        return isKnown(block?.number) ? block : null;
      }
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash': {
        const receipt = abandoned?.receipts.get(first);
        if (receipt) return method === 'eth_getTransactionReceipt' ? receipt : { hash: first };
        const answer = await ask<{ readonly blockNumber?: string } | null>();
        return isKnown(answer?.blockNumber) ? answer : null;
      }
      case 'eth_getTransactionCount': {
        if (typeof second !== 'string') return this.atBlock(second, isKnown, ask);
        const count = Number(await this.anvil.call(method, first, `0x${newest.toString(16)}`));
        const own = abandoned?.block.transactions.filter(({ from }) => from === first.toLowerCase()).length ?? 0;
        return `0x${(count + own).toString(16)}`;
      }
      case 'eth_getBalance':
      case 'eth_call': {
        return typeof second === 'string' ? ask() : this.atBlock(second, isKnown, ask);
      }
      case 'eth_sendRawTransaction':
        throw new Error('This machine is cut off.');
      default:
        return ask();
    }
  }
}

/** A block with its transactions, or with their hashes alone. */
function form(block: Block, isFull: unknown): unknown {
  return isFull === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
}

/** Pseudo-random numbers in [0, 1) that are deterministic for a seed. */
export function seeded(seed: number): () => number {
  let state = seed + 0x6d_2b_79_f5;
  return () => {
    state = Math.imul(state ^ (state >>> 15), state | 1);
    state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
    return ((state ^ (state >>> 14)) >>> 0) / 2 ** 32;
  };
}
