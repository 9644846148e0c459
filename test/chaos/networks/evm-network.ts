import { setTimeout as sleep } from 'node:timers/promises';
import { Anvil } from '../../support/anvil.js';
import type { ChainProxy } from '../../support/chain-proxy.js';
import { EthereumPool } from '../../support/machine-pool.js';
import type { ForeignTransaction } from '../books.js';
import type { Pace } from '../pace.js';
import type { EvmName } from './names.js';
import { Network, type TimedTrouble } from './network.js';

/** The depth at which a block is final; reorganisations are shallower. */
export const FINALITY_DEPTH = 3;
const GWEI = 10n ** 9n;
/** The service's maximum fee per gas; half of the base-fee spikes exceed it. */
export const CEILING_GWEI = 30;
/** The longest spike in blocks: longer than the delay before a fee bump. */
const SPIKE_BLOCKS = 80;
/** The number of blocks before a reorganisation, so that it drops a transaction. */
const PATIENCE = 20;
const CHAIN_IDS: Readonly<Record<EvmName, number>> = { ethereum: 31_337, sidechain: 31_338 };

export class EvmNetwork extends Network {
  readonly decimals = 18;
  protected readonly blockMs = 150;
  /**
   * The transactions of the wallets' accounts that the service did not sign, by hash: after a reorganisation the other holder of a
   * key may send the same transaction again.
   */
  readonly foreign = new Map<string, ForeignTransaction>();
  /** A base fee that the next blocks have, independent of their contents. */
  private spike: { readonly wei: bigint; blocks: number } | null = null;
  /**
   * Mining and reorganising run one after the other, so that the blocks that are read are the blocks that are replaced.
   */
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(
    override readonly name: EvmName,
    readonly anvil: Anvil,
    private readonly pool: EthereumPool,
    proxies: readonly ChainProxy[],
    random: () => number,
    pace: Pace,
  ) {
    super(name, proxies, pool, random, pace);
  }

  static async start(name: EvmName, endpoints: number, random: () => number, pace: Pace): Promise<EvmNetwork> {
    // At the end, the troubles are counted in the states of their blocks: a long run makes ten thousand.
    const anvil = await Anvil.start({ blockTime: 'never', states: 50_000, chainId: CHAIN_IDS[name] });
    const pool = await EthereumPool.start(anvil, { finalizedAfter: FINALITY_DEPTH });
    const network = new EvmNetwork(name, anvil, pool, await Network.proxiesOf(pool, endpoints), random, pace);
    network.begin();
    return network;
  }

  /** The CAIP-2 name. */
  get id(): string {
    return `eip155:${this.anvil.chainId}`;
  }

  async balance(account: string, token?: string): Promise<bigint> {
    if (!token) return this.anvil.balance(account);
    return BigInt(await this.anvil.call<string>('eth_call', { to: token, data: balanceOf(account) }, 'latest'));
  }

  async fund(account: string, units: bigint): Promise<void> {
    if ((await this.balance(account)) < units) await this.anvil.fund(account, units);
  }

  /** Those of these transactions that the network has carried out. */
  async landedOf<T extends { readonly hash: string }>(all: readonly T[]): Promise<T[]> {
    const receipts = await Promise.all(all.map(({ hash }) => this.anvil.provider.getTransactionReceipt(hash)));
    return all.filter((_, index) => receipts[index]?.status === 1);
  }

  protected own(): readonly TimedTrouble[] {
    const { anvil, pool } = this;
    return [
      ['forks', 1_500, () => this.reorganise(this.upTo(FINALITY_DEPTH - 1))],
      ['mempools', 3_000, () => anvil.call('anvil_dropAllTransactions')],
      [
        'fees',
        8_000,
        () => (this.spike = { wei: GWEI * BigInt(this.upTo(2 * CEILING_GWEI)), blocks: this.upTo(SPIKE_BLOCKS) }),
      ],
      ['history', 2_500, () => pool.loseReceipts()],
    ];
  }

  override lift(): void {
    super.lift();
    this.spike = { wei: GWEI, blocks: 1 };
  }

  /** Removes all receipts from the machines. */
  async hide(): Promise<void> {
    await this.pool.loseReceipts(0, Number.MAX_SAFE_INTEGER);
    this.route(() => 'restored');
  }

  loseLanded(): void {}

  protected async loseHistory(): Promise<void> {
    await this.pool.loseReceipts();
    this.route(() => 'restored');
  }

  protected restore(): void {
    this.pool.restoreReceipts();
  }

  protected rejoin(): void {
    this.pool.rejoin();
  }

  protected async pass(): Promise<void> {
    await this.inTurn(async () => {
      if (this.spike && this.spike.blocks-- > 0)
        await this.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${this.spike.wei.toString(16)}`);
      await this.anvil.mine();
    });
  }

  protected async end(): Promise<void> {
    await this.pool.stop();
    await this.anvil.stop();
  }

  /** Drops blocks as soon as they contain a transaction. */
  private async reorganise(blocks: number): Promise<void> {
    for (let waited = 0; ; waited++) {
      const isDone = await this.inTurn(async () => {
        if (waited < PATIENCE && !(await this.holdTransactions(blocks))) return false;
        await this.pool.reorganise(blocks);
        return true;
      });
      if (isDone) break;
      await sleep(this.blockMs);
    }
  }

  private async holdTransactions(blocks: number): Promise<boolean> {
    const height = await this.anvil.provider.getBlockNumber();
    for (let number = height; number > height - blocks; number--) {
      const { transactions } = await this.anvil.call<{ transactions: string[] }>(
        'eth_getBlockByNumber',
        `0x${number.toString(16)}`,
        false,
      );
      if (transactions.length > 0) return true;
    }
    return false;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }
}

/** The data of a call to a token. */
function balanceOf(owner: string): string {
  return `0x70a08231${owner.slice(2).padStart(64, '0')}`;
}
