import { Transaction } from 'ethers';
import { Anvil } from './anvil.js';
import { type RpcAnswer, type RpcRequest, serveRpc } from './rpc-server.js';
import { send } from './send.js';

const GWEI = 10n ** 9n;

/** The rules of a kind of network that Anvil does not have. */
interface Rules {
  /** The base fee of each block, in wei. */
  readonly baseFee: bigint;
  /** The lowest tip that nodes accept, in wei; null: they accept none. */
  readonly leastTip: bigint | null;
  /** Fields of its blocks. */
  readonly block: object;
}

const RULES = {
  // A block's limit of gas is a sentinel, which bounds nothing.
  arbitrum: { baseFee: GWEI / 100n, leastTip: null, block: { gasLimit: `0x${(1n << 50n).toString(16)}` } },
  polygon: { baseFee: 100n * GWEI, leastTip: 25n * GWEI, block: {} },
  bnb: { baseFee: 0n, leastTip: GWEI / 20n, block: {} },
} as const satisfies Record<string, Rules>;

/**
 * Anvil with the rules of another kind of network. What Anvil does not know, the proxy before it enforces: estimates, refused
 * transactions, and which blocks are safe and final.
 */
export class RuledNode {
  /** The blocks by which the tags are behind the newest block. */
  lag = { safe: 0, finalized: 0 };
  /** Whether the sequencer accepts transactions and includes none. */
  isStalled = false;
  /** The gas that the data costs on the chain below. It is part of estimates, and a transaction with less is refused. */
  l1Gas = 0n;
  /** The tip that nodes suggest. */
  suggestedTip = 1n;
  private readonly stalled = new Map<string, string>();
  private readonly rules: Rules;
  private server!: Awaited<ReturnType<typeof serveRpc>>;

  private constructor(
    readonly anvil: Anvil,
    kind: keyof typeof RULES,
  ) {
    this.rules = RULES[kind];
  }

  static async start(kind: keyof typeof RULES, chainId: number): Promise<RuledNode> {
    const node = new RuledNode(await Anvil.start({ chainId, blockTime: 'never' }), kind);
    node.server = await serveRpc((request) => node.answer(request));
    await node.mine();
    return node;
  }

  get url(): string {
    return this.server.url;
  }

  get chainId(): number {
    return this.anvil.chainId;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.anvil.stop();
  }

  fund(address: string, wei: bigint): Promise<void> {
    return this.anvil.fund(address, wei);
  }

  balance(address: string): Promise<bigint> {
    return this.anvil.balance(address);
  }

  async mine(blocks = 1): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      await this.anvil.call('anvil_setNextBlockBaseFeePerGas', hex(this.rules.baseFee));
      await this.anvil.mine();
    }
  }

  /** The sequencer includes everything that it has accepted. */
  async resume(): Promise<void> {
    this.isStalled = false;
    for (const raw of this.stalled.values()) await this.anvil.call('eth_sendRawTransaction', raw);
    this.stalled.clear();
    await this.mine();
  }

  private async answer({ method, params }: RpcRequest): Promise<RpcAnswer> {
    switch (method) {
      case 'eth_sendRawTransaction':
        return this.take(params[0] as string);
      case 'eth_getTransactionByHash':
        if (this.stalled.has(params[0] as string)) return { result: { hash: params[0] } };
        break;
      case 'eth_maxPriorityFeePerGas':
        return { result: hex(this.suggestedTip) };
      case 'eth_getBlockByNumber': {
        const block = await this.forward(method, [await this.numberOf(params[0]), params[1]]);
        return { result: block.result && { ...block.result, ...this.rules.block } };
      }
      case 'eth_estimateGas': {
        const { result, ...rest } = await this.forward(method, params);
        return result === undefined ? rest : { result: hex(BigInt(result as string) + this.l1Gas) };
      }
    }
    return this.forward(method, params);
  }

  private take(raw: string): Promise<RpcAnswer> {
    const transaction = Transaction.from(raw);
    const { maxPriorityFeePerGas, gasLimit } = transaction;
    const refuse = (message: string) => Promise.resolve({ error: { code: -32_000, message } });
    const { leastTip } = this.rules;
    if (leastTip === null && maxPriorityFeePerGas! > 0n) return refuse('the sequencer takes no tips');
    if (leastTip !== null && maxPriorityFeePerGas! < leastTip) return refuse('transaction underpriced');
    if (gasLimit < 21_000n + this.l1Gas) return refuse('intrinsic gas too low');
    if (!this.isStalled) return this.forward('eth_sendRawTransaction', [raw]);
    this.stalled.set(transaction.hash!, raw);
    return Promise.resolve({ result: transaction.hash });
  }

  private async numberOf(tag: unknown): Promise<unknown> {
    if (tag !== 'safe' && tag !== 'finalized') return tag;
    const newest = Number(await this.anvil.call<string>('eth_blockNumber'));
    return hex(BigInt(Math.max(0, newest - this.lag[tag])));
  }

  private async forward(method: string, params: readonly unknown[]): Promise<RpcAnswer> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse((await send(this.anvil.url, { method: 'POST', headers, body })).text) as RpcAnswer;
  }
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
