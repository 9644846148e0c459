import {
  type FetchGetUrlFunc,
  FetchRequest,
  type JsonRpcError,
  type JsonRpcPayload,
  JsonRpcProvider,
  type JsonRpcResult,
  Network,
} from 'ethers';
import type { HostNames } from '../../../services/outbound/host-names.js';
import { OperatorEndpoint } from '../../../services/outbound/operator-endpoint.js';
import { NodeAnswerUnreadable, NodeFault } from './chain-node.js';

export interface EthereumNodeSettings {
  readonly url: string;
  readonly chainId: number;
  /** From the call to the last byte of the answer. */
  readonly timeoutMs?: number;
}

export interface Block {
  readonly number: number;
  readonly hash: string;
  readonly baseFeePerGas: bigint;
}

/** A block as a link of the chain. */
export interface LinkedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

export interface BlockTransaction {
  readonly hash: string;
  /** In lower case. */
  readonly from: string;
  readonly nonce: number;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly succeeded: boolean;
  /** What the chain took for it. */
  readonly fee: bigint;
  readonly logs: readonly Log[];
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The node carried a call out, and it failed: whoever was called refuses. Anything else a node cannot do is another error. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** Codes by which nodes say that; the rest say it in words, under the codes they use for everything. */
const FAILED_CODES = [3, -32_015];
const FAILED_WORDS =
  /revert|insufficient funds|exceeds allowance|out of gas|invalid (?:op ?code|jump)|stack (?:under|over)flow|\bE?VM\b.*\berror|always fail/i;

/** What any transaction takes at least. */
const LEAST_GAS = 21_000n;

/**
 * What the service asks of an Ethereum node. Every answer is read strictly: one of the wrong form throws, for a
 * misread "no" could pay twice. Nothing is cached, tried again or decided here.
 */
export class EthereumNode {
  private readonly provider: Provider;
  private checkedNetwork: Promise<void> | null = null;

  constructor(
    private readonly settings: EthereumNodeSettings,
    names?: HostNames,
  ) {
    const request = new FetchRequest(settings.url);
    request.getUrlFunc = transportTo(new OperatorEndpoint(settings.url, names));
    request.timeout = settings.timeoutMs ?? 10_000;
    // One try: a repetition within the call would make its time unbounded.
    request.setThrottleParams({ maxAttempts: 1 });
    const network = Network.from(settings.chainId);
    // Batching holds each request back for 10 ms.
    this.provider = new Provider(request, network, { staticNetwork: network, batchMaxCount: 1 });
  }

  latestBlock(): Promise<Block> {
    return this.existing('eth_getBlockByNumber', ['latest', false]);
  }

  /** The block for a tag, with the hashes of its transactions. */
  async taggedBlock(tag: 'latest' | 'finalized'): Promise<LinkedBlock & { readonly transactions: readonly string[] }> {
    const block = recordOf(await this.call('eth_getBlockByNumber', [tag, false]));
    return { ...linkOf(block), transactions: listOf(block['transactions']).map(hash32Of) };
  }

  /** A block by its hash, with the hashes of its transactions; null when the node does not have it. */
  async blockOf(hash: string): Promise<(LinkedBlock & { readonly transactions: readonly string[] }) | null> {
    const answer = await this.call('eth_getBlockByHash', [hash, false]);
    if (answer === null) return null;
    return { ...linkAt(hash, answer), transactions: listOf(recordOf(answer)['transactions']).map(hash32Of) };
  }

  /** Likewise, with the transactions themselves. */
  async fullBlockOf(
    hash: string,
  ): Promise<(LinkedBlock & { readonly transactions: readonly BlockTransaction[] }) | null> {
    const answer = await this.call('eth_getBlockByHash', [hash, true]);
    if (answer === null) return null;
    const transactions = listOf(recordOf(answer)['transactions']).map((transaction) => {
      const { hash: name, from, nonce } = recordOf(transaction);
      return { hash: hash32Of(name), from: bytesOf(from), nonce: smallOf(nonce) };
    });
    return { ...linkAt(hash, answer), transactions };
  }

  /** The hash of the block that has this number in the chain as the node now sees it; null when there is none. */
  async canonicalHash(number: number): Promise<string | null> {
    const answer = await this.call('eth_getBlockByNumber', [hexOf(number), false]);
    return answer === null ? null : linkOf(recordOf(answer)).hash;
  }

  /** How many transactions of the account are in the chain up to the newest block, or with those that wait. */
  async transactionCount(address: string, block: 'latest' | 'pending'): Promise<number> {
    return smallOf(await this.call('eth_getTransactionCount', [address, block]));
  }

  /** Null when the transaction is in no block the node has. */
  async receipt(hash: string): Promise<Receipt | null> {
    const answer = await this.call('eth_getTransactionReceipt', [hash]);
    if (answer === null) return null;
    const receipt = receiptOf(answer);
    if (receipt.transactionHash !== hash) throw new NodeAnswerUnreadable('the receipt asked for');
    return receipt;
  }

  /** Whether the node has the transaction, in a block or waiting for one. */
  async holds(hash: string): Promise<boolean> {
    const answer = await this.call('eth_getTransactionByHash', [hash]);
    if (answer === null) return false;
    if (hash32Of(recordOf(answer)['hash']) !== hash) throw new NodeAnswerUnreadable('the transaction asked for');
    return true;
  }

  /**
   * What an account holds of the coin and, when `view` is the call of a contract that tells, of something else; and a block
   * that all of it tells of. In one request, that block first: a machine that lags behind says so. Throws `CallFailed` when
   * the contract refuses.
   */
  async holdings(
    address: string,
    view?: { readonly to: string; readonly data: string },
  ): Promise<{ readonly block: number; readonly coin: bigint; readonly viewed: bigint | null }> {
    const [block, coin, viewed] = await this.callTogether([
      ['eth_blockNumber', []],
      ['eth_getBalance', [address, 'latest']],
      ...(view ? [['eth_call', [view, 'latest']] as const] : []),
    ]);
    return { block: smallOf(block), coin: quantityOf(coin), viewed: view ? numberIn(viewed) : null };
  }

  /** What a call of a contract answers, as a number. Throws `CallFailed` when the contract refuses. */
  async callForNumber(to: string, data: string): Promise<bigint> {
    return numberIn(await this.call('eth_call', [{ to, data }, 'latest']));
  }

  /** Throws `CallFailed` when the transaction would fail. */
  async estimateGas(transaction: { from: string; to: string; value: bigint; data: string }): Promise<bigint> {
    const request = { ...transaction, value: hexOf(transaction.value) };
    const gas = quantityOf(await this.call('eth_estimateGas', [request, 'latest']));
    // Signed with less it could never be carried out, and would hold up all that is signed after it.
    if (gas < LEAST_GAS) throw new NodeAnswerUnreadable('what a transaction takes');
    return gas;
  }

  async priorityFee(): Promise<bigint> {
    return quantityOf(await this.call('eth_maxPriorityFeePerGas', []));
  }

  /** What transactions of the last 20 blocks paid as a tip: of each block that of the median transaction by gas. */
  async recentTips(): Promise<bigint[]> {
    const { reward } = recordOf(await this.call('eth_feeHistory', ['0x14', 'latest', [50]]));
    if (!Array.isArray(reward)) throw new NodeAnswerUnreadable('a history of fees');
    return reward.map((block: unknown) => quantityOf((block as readonly unknown[] | null)?.[0]));
  }

  /** The hash under which the node took the bytes. Whatever it throws, the transaction may be on its way. */
  async sendRaw(raw: string): Promise<string> {
    return hash32Of(await this.call('eth_sendRawTransaction', [raw]));
  }

  /** Resolves once the node is known to be on the chain the service is configured for. */
  assertNetwork(): Promise<void> {
    this.checkedNetwork ??= this.checkNetwork().catch((error: unknown) => {
      this.checkedNetwork = null;
      throw error;
    });
    return this.checkedNetwork;
  }

  private async checkNetwork(): Promise<void> {
    const chainId = quantityOf(await this.provider.send('eth_chainId', []));
    if (chainId !== BigInt(this.settings.chainId)) {
      throw new NodeFault(`The node is on chain ${chainId}; the service is configured for ${this.settings.chainId}.`);
    }
  }

  private async existing(method: string, params: unknown[]): Promise<Block> {
    return blockOf(await this.call(method, params));
  }

  private async call(method: string, params: unknown[]): Promise<unknown> {
    await this.assertNetwork();
    return this.provider.send(method, params) as Promise<unknown>;
  }

  /** The results of several calls sent as one request: behind a load balancer too they come from one machine. */
  private async callTogether(calls: readonly Call[]): Promise<unknown[]> {
    await this.assertNetwork();
    return this.provider.sendTogether(calls);
  }
}

/** In place of ethers' own client, which leaves look-ups to libuv's threads, and a connection open whose answer it gave up. */
function transportTo(endpoint: OperatorEndpoint): FetchGetUrlFunc {
  return async ({ body, timeout }) => {
    const answer = await endpoint.post(body ?? '', { signal: AbortSignal.timeout(timeout) });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return {
      statusCode: answer.status,
      statusMessage: answer.statusText,
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: answer.body,
    };
  };
}

type Call = readonly [method: string, params: readonly unknown[]];

class Provider extends JsonRpcProvider {
  /** Throws unless each call has a result. */
  async sendTogether(calls: readonly Call[]): Promise<unknown[]> {
    const payloads = calls.map(([method, params], id): JsonRpcPayload => ({
      jsonrpc: '2.0',
      id,
      method,
      params: [...params],
    }));
    const answers: readonly (JsonRpcResult | JsonRpcError)[] = await this._send(payloads);
    return payloads.map((payload, index) => {
      const [answer, ...others] = answers.filter(({ id }) => id === index);
      if (answer && 'error' in answer) throw this.getRpcError(payload, answer);
      if (answer?.result === undefined || others.length > 0) throw new NodeAnswerUnreadable('an answer to each call');
      return answer.result;
    });
  }

  /**
   * ethers would guess from the wording what went wrong. Only what is known to say that a call failed is taken for that: a
   * node that is overloaded, behind or at its limit says so in the same form, and must end no transfer.
   */
  override getRpcError(_payload: JsonRpcPayload, { error }: JsonRpcError): Error {
    const words = typeof error?.message === 'string' ? error.message.slice(0, 200) : 'no reason given';
    const hasFailed = FAILED_CODES.includes(error?.code) || FAILED_WORDS.test(words);
    return hasFailed ? new CallFailed(words) : new Error(words);
  }
}

function blockOf(answer: unknown): Block {
  const block = recordOf(answer);
  return {
    number: smallOf(block['number']),
    hash: hash32Of(block['hash']),
    baseFeePerGas: quantityOf(block['baseFeePerGas']),
  };
}

function linkOf(block: Readonly<Record<string, unknown>>): LinkedBlock {
  return {
    number: smallOf(block['number']),
    hash: hash32Of(block['hash']),
    parentHash: hash32Of(block['parentHash']),
  };
}

function linkAt(hash: string, answer: unknown): LinkedBlock {
  const link = linkOf(recordOf(answer));
  if (link.hash !== hash) throw new NodeAnswerUnreadable('the block asked for');
  return link;
}

function receiptOf(answer: unknown): Receipt {
  const receipt = recordOf(answer);
  const status = quantityOf(receipt['status']);
  if (status > 1n || !Array.isArray(receipt['logs'])) throw new NodeAnswerUnreadable('a receipt');
  return {
    transactionHash: hash32Of(receipt['transactionHash']),
    blockNumber: smallOf(receipt['blockNumber']),
    blockHash: hash32Of(receipt['blockHash']),
    succeeded: status === 1n,
    fee: quantityOf(receipt['gasUsed']) * quantityOf(receipt['effectiveGasPrice']),
    logs: receipt['logs'].map(logOf),
  };
}

function logOf(answer: unknown): Log {
  const log = recordOf(answer);
  if (!Array.isArray(log['topics'])) throw new NodeAnswerUnreadable('a log');
  return {
    address: bytesOf(log['address']),
    topics: log['topics'].map(hash32Of),
    data: bytesOf(log['data']),
  };
}

function recordOf(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null) throw new NodeAnswerUnreadable('an object');
  return answer as Record<string, unknown>;
}

function listOf(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new NodeAnswerUnreadable('a list');
  return answer;
}

function quantityOf(answer: unknown): bigint {
  if (typeof answer !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(answer)) throw new NodeAnswerUnreadable('a number');
  return BigInt(answer);
}

function smallOf(answer: unknown): number {
  const value = Number(quantityOf(answer));
  if (!Number.isSafeInteger(value)) throw new NodeAnswerUnreadable('a number of this size');
  return value;
}

function bytesOf(answer: unknown): string {
  if (typeof answer !== 'string' || !/^0x([0-9a-fA-F]{2})*$/.test(answer)) throw new NodeAnswerUnreadable('bytes');
  return answer.toLowerCase();
}

/** What a contract's view answered. */
function numberIn(answer: unknown): bigint {
  const bytes = bytesOf(answer);
  if (bytes.length !== 66) throw new CallFailed('The contract answered something that is not a number.');
  return BigInt(bytes);
}

function hash32Of(answer: unknown): string {
  const bytes = bytesOf(answer);
  if (bytes.length !== 66) throw new NodeAnswerUnreadable('a hash');
  return bytes;
}

function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
