import { hexlify } from 'ethers/utils';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostNames } from '../../../../services/outbound/host-names.js';
import { blockTimeOf } from '../block-time.js';
import { AnotherChain, NodeAnswerUnreadable } from '../node-faults.js';
import { isAt, type Place } from './block-links.js';
import {
  type Block,
  blockOf,
  blockAt,
  blockTransactionOf,
  type Execution,
  executionOf,
  hash32Of,
  hexOf,
  linkAt,
  type LinkedBlock,
  linkOf,
  listOf,
  type MinedTransaction,
  minedTransactionsOf,
  type PayingBlock,
  payingBlockOf,
  type PlacedLog,
  placedLogOf,
  numberIn,
  placeOf,
  quantityOf,
  type Receipt,
  receiptOf,
  recordOf,
  smallOf,
  type SearchedBlock,
  type Tag,
  transactionsIn,
} from './ethereum-answers.js';
import { CallRefused } from './call-failed.js';
import { type EthereumNodeSettings, EthereumRpc } from './ethereum-rpc.js';

const LEAST_GAS = 21_000n;
/** A pool whose machines differ by a block responds after a few reads. */
const MOST_READS = 6;
/** Forks of machines are rarely longer. A deeper final block is not linked to the newest one. */
const MOST_LINKS = 64;
const PAUSE_MS = 30;
/** Blocks that are asked for in one request. */
const MOST_PLACES = 100;
/** A node that takes its time to refuse is not asked again. */
const LONGEST_MS = 5_000;

interface View {
  readonly to: string;
  readonly data: string;
}

/** Takes the number of the newest block, and returns where a final one is below it. */
export type FinalAt = (newest: number) => number | 'finalized';

export interface Holdings {
  readonly block: Block;
  readonly coin: bigint;
  readonly viewed: readonly bigint[];
  readonly final: Place | null;
}

/** Nothing is cached or decided here, and only `holdings` repeats a call. */
export class EthereumNode {
  private readonly rpc: EthereumRpc;

  constructor(settings: EthereumNodeSettings, names?: HostNames) {
    this.rpc = new EthereumRpc(settings, names);
  }

  assertNetwork(): Promise<void> {
    return this.rpc.assertNetwork();
  }

  async height(): Promise<number> {
    const [chain, first] = await this.rpc.identityCalls();
    const [chainId, block, newest] = await this.rpc.callTogether([chain, first, ['eth_blockNumber', []]]);
    this.rpc.assertStillThere(chainId, block);
    return smallOf(newest);
  }

  async latestBlock(): Promise<Block> {
    return blockOf(await this.rpc.call('eth_getBlockByNumber', ['latest', false]));
  }

  /** The calls of `assertHas` are in the same request. */
  async taggedBlock(
    tag: Tag,
    known: readonly Place[] = [],
  ): Promise<LinkedBlock & { readonly transactions: readonly string[] }> {
    const [answer, ...places] = await this.rpc.callTogether([
      blockAt(tag),
      ...known.map(({ number }) => blockAt(number)),
    ]);
    assertAre(known, places);
    const block = recordOf(answer);
    return { ...linkOf(block), transactions: listOf(block['transactions']).map(hash32Of) };
  }

  async blockOf(hash: string): Promise<(LinkedBlock & { readonly transactions: readonly string[] }) | null> {
    const answer = await this.rpc.call('eth_getBlockByHash', [hash, false]);
    if (answer === null) return null;
    return { ...linkAt(hash, answer), transactions: listOf(recordOf(answer)['transactions']).map(hash32Of) };
  }

  /** Only transactions that can use a nonce of the account: its own, and those with authorisations. */
  async fullBlockOf(hash: string, account: string): Promise<SearchedBlock | null> {
    const answer = await this.rpc.call('eth_getBlockByHash', [hash, true]);
    if (answer === null) return null;
    const transactions = transactionsIn(answer).map((each) => blockTransactionOf(each, account.toLowerCase()));
    const searched = transactions.filter(
      ({ from, authorizations }) => from === account.toLowerCase() || authorizations.length > 0,
    );
    return { ...linkAt(hash, answer), transactions: searched };
  }

  async payingBlock(hash: string): Promise<PayingBlock | null> {
    const answer = await this.rpc.call('eth_getBlockByHash', [hash, true]);
    return answer === null ? null : payingBlockOf(hash, answer);
  }

  async logsIn(blockHash: string, address: readonly string[], topic: string): Promise<PlacedLog[]> {
    const answer = await this.rpc.call('eth_getLogs', [{ blockHash, address, topics: [topic] }]);
    if (listOf(answer).some((log) => hash32Of(recordOf(log)['blockHash']) !== blockHash))
      throw new NodeAnswerUnreadable('the logs of the block asked for');
    return listOf(answer).map(placedLogOf);
  }

  async executionIn(blockHash: string, hash: string): Promise<Execution | null> {
    const [transaction, receipt] = await this.rpc.callTogether(
      ['eth_getTransactionByHash', 'eth_getTransactionReceipt'].map((method) => [method, [hash]] as const),
    );
    if (transaction === null || receipt === null) return null;
    const named = [recordOf(transaction)['hash'], recordOf(receipt)['transactionHash']];
    if (named.some((each) => hash32Of(each) !== hash)) throw new NodeAnswerUnreadable('the transaction asked for');
    const isThere = [transaction, receipt].every((each) => hash32Of(recordOf(each)['blockHash']) === blockHash);
    return isThere ? executionOf(transaction, receipt) : null;
  }

  /** Throws `AnotherChain` unless the node's current chain has these blocks. */
  async assertHas(known: readonly Place[]): Promise<void> {
    if (known.length > 0) assertAre(known, await this.rpc.callTogether(known.map(({ number }) => blockAt(number))));
  }

  async canonicalBlock(number: number): Promise<LinkedBlock | null> {
    const answer = await this.rpc.call(...blockAt(number));
    return answer === null ? null : linkOf(recordOf(answer));
  }

  /** Null where it has no such block. */
  async hashesAt(numbers: readonly number[]): Promise<(string | null)[]> {
    const places: (Place | null)[] = [];
    for (let at = 0; at < numbers.length; at += MOST_PLACES)
      places.push(...(await this.rpc.callTogether(numbers.slice(at, at + MOST_PLACES).map(blockAt))).map(placeOf));
    return places.map((place, index) => (place?.number === numbers[index] ? place!.hash : null));
  }

  async transactionCount(address: string, block = 'latest'): Promise<number> {
    return smallOf(await this.rpc.call('eth_getTransactionCount', [address, block]));
  }

  async transactionsIn(
    block: number,
    account: string,
  ): Promise<{
    readonly hash: string | null;
    readonly time: Date | null;
    readonly transactions: readonly MinedTransaction[];
  }> {
    const answer = await this.rpc.call('eth_getBlockByNumber', [hexOf(block), true]);
    if (answer === null) return { hash: null, time: null, transactions: [] };
    const { hash, timestamp, transactions } = recordOf(answer);
    return {
      hash: hash32Of(hash),
      time: blockTimeOf(Number(timestamp ?? NaN)) ?? null,
      transactions: minedTransactionsOf(transactions, account.toLowerCase()),
    };
  }

  /** Returns only those in the next block that the node would make. */
  async pendingTransactions(account: string): Promise<readonly MinedTransaction[]> {
    const answer = await this.rpc.call('eth_getBlockByNumber', ['pending', true]);
    if (answer === null) return [];
    return minedTransactionsOf(recordOf(answer)['transactions'], account.toLowerCase());
  }

  /** Few nodes have the method. Null when the node does not have the transaction. */
  async transactionWith(account: string, nonce: number): Promise<MinedTransaction | null> {
    const answer = await this.rpc.call('eth_getTransactionBySenderAndNonce', [account, hexOf(nonce)]);
    return answer === null ? null : (minedTransactionsOf([answer], account.toLowerCase())[0] ?? null);
  }

  async accountAt(address: string, blockHash: string): Promise<{ readonly nonce: number; readonly coin: bigint }> {
    const [nonce, coin] = await this.rpc.callTogether(
      ['eth_getTransactionCount', 'eth_getBalance'].map((method) => [method, [address, { blockHash }]] as const),
    );
    return { nonce: smallOf(nonce), coin: quantityOf(coin) };
  }

  /** Throws `CallRefused` when the node does not have the state, or the block is not canonical. */
  async transactionCountAt(address: string, blockHash: string): Promise<number> {
    const at = { blockHash, requireCanonical: true };
    return smallOf(await this.rpc.call('eth_getTransactionCount', [address, at]));
  }

  /** The chain is compared in the same request: if the URL were moved, a nonce of another chain would block the account on this one. */
  async transactionCounts(address: string): Promise<{ readonly latest: number; readonly pending: number }> {
    const [chain, first] = await this.rpc.identityCalls();
    const [chainId, latest, pending, block] = await this.rpc.callTogether([
      chain,
      ['eth_getTransactionCount', [address, 'latest']],
      ['eth_getTransactionCount', [address, 'pending']],
      first,
    ]);
    this.rpc.assertStillThere(chainId, block);
    return { latest: smallOf(latest), pending: smallOf(pending) };
  }

  async receipt(hash: string): Promise<Receipt | null> {
    const answer = await this.rpc.call('eth_getTransactionReceipt', [hash]);
    if (answer === null) return null;
    const receipt = receiptOf(answer);
    if (receipt.transactionHash !== hash) throw new NodeAnswerUnreadable('the receipt asked for');
    return receipt;
  }

  async holds(hash: string): Promise<boolean> {
    const answer = await this.rpc.call('eth_getTransactionByHash', [hash]);
    if (answer === null) return false;
    if (hash32Of(recordOf(answer)['hash']) !== hash) throw new NodeAnswerUnreadable('the transaction asked for');
    return true;
  }

  /** Read again if a machine lacks the newest block. The chain is compared: a final block of another one would block the nonce. */
  async holdings(address: string, views: readonly View[] = [], finalAt?: FinalAt): Promise<Holdings> {
    const deadline = performance.now() + LONGEST_MS;
    for (let tries = 1; ; tries++) {
      const block = await this.latestBlock();
      // The hash is used (EIP-1898): by number, a machine on a fork would report the state after another block.
      const at = { blockHash: block.hash, requireCanonical: true };
      try {
        // A chain that has no final block yet refuses the last call at each try.
        const finals = finalAt && tries < MOST_READS ? numbersFrom(finalAt(block.number), block.number) : [];
        const identity = finals.length > 0 ? await this.rpc.identityCalls() : [];
        const [coin, ...answers] = await this.rpc.callTogether([
          ['eth_getBalance', [address, at]],
          ...views.map((view) => ['eth_call', [view, at]] as const),
          ...identity,
          ...finals.map(blockAt),
        ]);
        const [chainId, first] = answers.slice(views.length);
        if (finals.length > 0) this.rpc.assertStillThere(chainId, first);
        return {
          block,
          coin: quantityOf(coin),
          viewed: answers.slice(0, views.length).map(numberIn),
          final: finalBelow(block, answers.slice(views.length + identity.length)),
        };
      } catch (error) {
        if (tries === MOST_READS || !(error instanceof CallRefused) || performance.now() > deadline) throw error;
        await pause(PAUSE_MS * tries);
      }
    }
  }

  /** Absent `block`: the newest one of the machine that responds. Throws `CallFailed` when the transaction would fail. */
  async estimateGas(
    transaction: { from: string; to: string; value: bigint; data: string },
    block?: number,
  ): Promise<bigint> {
    const request = { ...transaction, value: hexOf(transaction.value) };
    const at = block === undefined ? 'latest' : hexOf(block);
    const gas = quantityOf(await this.rpc.call('eth_estimateGas', [request, at]));
    // With less gas no block could include it, and it would block every later nonce.
    if (gas < LEAST_GAS) throw new NodeAnswerUnreadable('the gas of a transaction');
    return gas;
  }

  /** The contract of the network exists, so an answer of another form is a fault of the node. Throws `CallFailed` when it refuses. */
  async view(view: View): Promise<bigint> {
    return BigInt(hash32Of(await this.rpc.call('eth_call', [view, 'latest'])));
  }

  /** Null for a node without the method, which the specification does not have. */
  async priorityFee(): Promise<bigint | null> {
    try {
      return quantityOf(await this.rpc.call('eth_maxPriorityFeePerGas', []));
    } catch (error) {
      if (error instanceof CallRefused) return null;
      throw error;
    }
  }

  /** The tip of the median transaction by gas in each of the last 20 blocks. */
  async recentTips(): Promise<bigint[]> {
    const { reward } = recordOf(await this.rpc.call('eth_feeHistory', ['0x14', 'latest', [50]]));
    if (!Array.isArray(reward)) throw new NodeAnswerUnreadable('a history of fees');
    return reward.map((block: unknown) => quantityOf((block as readonly unknown[] | null)?.[0]));
  }

  /** After an error the transaction may have been sent too. */
  async send(raw: Uint8Array): Promise<string> {
    return hash32Of(await this.rpc.call('eth_sendRawTransaction', [hexlify(raw)]));
  }
}

/** All blocks from the final one to the newest; the final one only, if they are many or the node knows which it is. */
function numbersFrom(final: number | 'finalized', newest: number): (number | 'finalized')[] {
  if (final === 'finalized' || newest - final > MOST_LINKS) return [final];
  return Array.from({ length: newest - final + 1 }, (_, above) => final + above);
}

/** The parents of the newest block must lead to it: an attempt that kept a block of an abandoned fork could never be proven final. */
function finalBelow(newest: Block, answers: readonly unknown[]): Place | null {
  if (answers.length < 2) return placeOf(answers[0] ?? null);
  let child: string = newest.hash;
  for (const answer of answers.toReversed()) {
    const link = answer === null ? null : linkOf(recordOf(answer));
    if (link?.hash !== child) throw new CallRefused('The machines of the node are on different forks.');
    child = link.parentHash;
  }
  return placeOf(answers[0]);
}

function assertAre(known: readonly Place[], answers: readonly unknown[]): void {
  for (const [index, block] of known.entries()) {
    const found = placeOf(answers[index]);
    if (found && isAt(found, block)) continue;
    const instead = found === null ? 'none' : found.hash;
    throw new AnotherChain(
      `The node is on another chain than at a signing: block ${block.number} was ${block.hash}, and now it has ${instead}.`,
    );
  }
}
