import { parseUnits } from 'ethers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Anvil } from '../support/anvil.js';
import { ChainProxy, type Fault, FAULTS } from '../support/chain-proxy.js';
import { EthereumPool, type Machine, MACHINES, randomRoute } from '../support/machine-pool.js';
import { SolanaRuntime } from '../support/solana-runtime.js';
import type { ForeignTransaction } from './books.js';
import { AMOUNT, type Order } from './client.js';
import type { Pace } from './pace.js';
import type { Trouble } from './settings.js';

/** The depth at which an Ethereum block is final; reorganisations are shallower. */
export const FINALITY_DEPTH = 3;
const FINALIZED_AFTER = 8;
const BLOCK_MS = 150;
const SLOT_MS = 40;
const GWEI = 10n ** 9n;
/** The service's maximum fee per gas; half of the base-fee spikes exceed it. */
const CEILING_GWEI = 30;
/** The longest spike in blocks: longer than the delay before a fee bump. */
const SPIKE_BLOCKS = 80;
/** Usually the same machine answers two successive calls, but rarely three. */
const STICKINESS = 0.4;
/** The number of blocks before a reorganisation, so that it drops a transaction. */
const PATIENCE = 20;

/** Both chains, the machines that answer for them, and their faults. */
export class Chains {
  /**
   * The transactions of the wallets' accounts that the service did not sign, on Ethereum, by hash: after a reorganisation the other
   * holder of a key may send the same transaction again.
   */
  readonly foreign = new Map<string, ForeignTransaction>();
  private isStormy = true;
  /** A base fee that the next blocks have, independent of their contents. */
  private spike: { readonly wei: bigint; blocks: number } | null = null;
  private isOver = false;
  private clocks: Promise<unknown> = Promise.resolve();
  /**
   * Mining and reorganising run one after the other, so that the blocks that are read are the blocks that are replaced.
   */
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly anvil: Anvil,
    readonly solana: SolanaRuntime,
    readonly pool: EthereumPool,
    readonly proxies: { readonly ethereum: readonly ChainProxy[]; readonly solana: readonly ChainProxy[] },
    private readonly random: () => number,
    private readonly pace: Pace,
  ) {}

  static async start(endpoints: number, random: () => number, pace: Pace): Promise<Chains> {
    // At the end, the troubles are counted in the states of their blocks: a long run makes ten thousand.
    const anvil = await Anvil.start({ blockTime: 'never', states: 50_000 });
    const solana = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    const pool = await EthereumPool.start(anvil, { finalizedAfter: FINALITY_DEPTH });
    const proxiesOf = ({ url }: { url: string }) =>
      Promise.all(Array.from({ length: endpoints }, () => ChainProxy.start(url, 200)));
    const proxies = { ethereum: await proxiesOf(pool), solana: await proxiesOf(solana) };
    const chains = new Chains(anvil, solana, pool, proxies, random, pace);
    chains.clocks = Promise.all([chains.mine(), chains.passSlots()]);
    return chains;
  }

  /** The configuration of a replica for these chains, with a finality depth or the `finalized` tag. */
  env(finality: 'depth' | 'tag'): Record<string, string> {
    return {
      ETHEREUM_RPC_URL: this.proxies.ethereum.map(({ url }) => url).join(','),
      ETHEREUM_CHAIN_ID: String(this.anvil.chainId),
      ETHEREUM_MAX_FEE_PER_GAS: String(CEILING_GWEI),
      ...(finality === 'depth' && { ETHEREUM_FINALITY_DEPTH: String(FINALITY_DEPTH) }),
      SOLANA_RPC_URL: this.proxies.solana.map(({ url }) => url).join(','),
    };
  }

  get faults(): number {
    return [...this.proxies.ethereum, ...this.proxies.solana].reduce((sum, { spoilt }) => sum + spoilt, 0);
  }

  /** The number of calls that a machine answered which was behind or on a fork. */
  get answeredByOthers(): number {
    return [this.pool, this.solana].reduce((sum, { answered }) => sum + answered.lagging + answered.forked, 0);
  }

  /** The number of payments that the destination of an order received. */
  async paymentsOf({ wallet, dest, token }: Order): Promise<bigint> {
    const { anvil, solana } = this;
    if (!token) {
      const received = wallet.chain === 'ethereum' ? await anvil.balance(dest) : solana.balance(dest);
      return received / parseUnits(AMOUNT, wallet.chain === 'ethereum' ? 18 : 9);
    }
    const received =
      wallet.chain === 'ethereum'
        ? BigInt(await anvil.call<string>('eth_call', { to: token.address, data: balanceOf(dest) }, 'latest'))
        : await solana.tokenBalance(token.address, dest);
    return received / parseUnits(AMOUNT, token.decimals);
  }

  /** The payments of an order that another holder of the key made. */
  async landedForeign(order: Order): Promise<ForeignTransaction[]> {
    return this.landedOf([...this.foreign.values()].filter((each) => each.order === order));
  }

  /** Those of these transactions that Ethereum has carried out. */
  async landedOf<T extends { readonly hash: string }>(all: readonly T[]): Promise<T[]> {
    const receipts = await Promise.all(all.map(({ hash }) => this.anvil.provider.getTransactionReceipt(hash)));
    return all.filter((_, index) => receipts[index]?.status === 1);
  }

  /** The faults, with the milliseconds between two of them. */
  troubles(
    has: (trouble: Trouble) => boolean,
  ): readonly (readonly [trouble: Trouble, everyMs: number, work: () => Promise<void>])[] {
    const { random, solana, pool, anvil } = this;
    this.begin(has);
    const upTo = (most: number): number => 1 + Math.floor(random() * most);
    const all = [
      ['calls', 1500, () => void (this.isStormy = random() < 0.4)],
      ['forks', 1500, () => this.reorganise(upTo(FINALITY_DEPTH - 1))],
      ['forks', 2000, () => solana.fork(upTo(FINALIZED_AFTER - 2))],
      ['forks', 4000, () => (random() < 0.5 ? pool : solana).rejoin()],
      ['forks', 300, () => solana.skip(upTo(3))],
      // Longer than the pause between two checks, shorter than the lifetime of a blockhash: signing again too early
      // pays twice.
      ['held', 2500, () => solana.release()],
      ['expiries', 8000, () => solana.expireBlockhashes()],
      ['mempools', 3000, () => anvil.call<void>('anvil_dropAllTransactions')],
      ['mempools', 5000, () => solana.drop()],
      [
        'fees',
        8000,
        () => void (this.spike = { wei: GWEI * BigInt(upTo(2 * CEILING_GWEI)), blocks: upTo(SPIKE_BLOCKS) }),
      ],
      ['history', 2500, () => pool.loseReceipts()],
      ['history', 3000, () => solana.restartFromSnapshot(upTo(200), ['restored'])],
      ['history', 5000, () => (random() < 0.5 ? pool.restoreReceipts() : solana.fillHoles())],
      ['history', 7000, () => this.onlyRestored(has)],
    ] as const satisfies readonly (readonly [Trouble, number, () => unknown])[];
    return all
      .filter(([trouble]) => has(trouble))
      .map(
        ([trouble, everyMs, work]) =>
          [
            trouble,
            everyMs,
            async () => {
              await work();
            },
          ] as const,
      );
  }

  /** Ends the faults of chains and nodes. */
  lift(): void {
    for (const proxy of [...this.proxies.ethereum, ...this.proxies.solana]) proxy.fault = () => null;
    this.solana.fate = () => 'land';
    this.pool.route = this.solana.route = () => 'head';
    this.pool.rejoin();
    this.pool.restoreReceipts();
    this.solana.rejoin();
    this.solana.fillHoles();
    this.solana.release();
    this.spike = { wei: GWEI, blocks: 1 };
  }

  /**
   * Removes all receipts from Ethereum's machines, and makes Solana's nodes hold accepted transactions while slots
   * stop.
   */
  async hide(): Promise<void> {
    await this.pool.loseReceipts(0, Number.MAX_SAFE_INTEGER);
    this.pool.route = () => 'restored';
    this.solana.fate = () => 'hold';
    this.solana.isFrozen = true;
  }

  /** Executes the transactions that Solana's nodes hold, in a block that every machine loses before it can be read. */
  loseLanded(): void {
    this.solana.advance();
    this.solana.release();
    this.solana.restartFromSnapshot(1);
    this.solana.expireBlockhashes();
    this.solana.isFrozen = false;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.clocks.catch(() => {});
    await Promise.all([...this.proxies.ethereum, ...this.proxies.solana].map((proxy) => proxy.stop()));
    await this.pool.stop();
    await this.anvil.stop();
    await this.solana.stop();
  }

  private begin(has: (trouble: Trouble) => boolean): void {
    const { random, solana } = this;
    const kinds: readonly Fault[] = [...FAULTS, 'stale'];
    // In storms with calm between them: if every call failed with the same probability, operations of several calls
    // would rarely succeed.
    const fault = (): Fault | null =>
      this.isStormy && random() < 0.4 ? kinds[Math.floor(random() * kinds.length)]! : null;
    if (has('calls')) for (const proxy of [...this.proxies.ethereum, ...this.proxies.solana]) proxy.fault = fault;
    if (has('held')) {
      solana.fate = () => {
        const drawn = random();
        return drawn < 0.15 ? 'forget' : drawn < 0.45 ? 'hold' : 'land';
      };
    }
    this.routeToSome(has);
  }

  private routeToSome(has: (trouble: Trouble) => boolean): void {
    const machines: Machine[] = ['head'];
    if (has('machines')) machines.push('lagging', 'forked');
    if (has('history')) machines.push('restored');
    this.pool.route = randomRoute(this.random, machines, STICKINESS);
    this.solana.route = randomRoute(this.random, machines, STICKINESS);
  }

  /** For a while every machine of a chain lacks what the restored one lacks. */
  private async onlyRestored(has: (trouble: Trouble) => boolean): Promise<void> {
    if (this.random() < 0.5) {
      await this.pool.loseReceipts();
      this.pool.route = () => 'restored';
    } else {
      this.solana.restartFromSnapshot(100, MACHINES);
    }
    await sleep(2_000);
    this.solana.fillHoles();
    this.pool.restoreReceipts();
    this.routeToSome(has);
  }

  /** Makes blocks until everything has stopped, so that the last transactions become final. */
  private async mine(): Promise<void> {
    while (!this.isOver) {
      await this.inTurn(async () => {
        if (this.spike && this.spike.blocks-- > 0) await this.setBaseFee(this.spike.wei);
        await this.anvil.mine();
      });
      await sleep(BLOCK_MS * this.pace.factor);
    }
  }

  private async passSlots(): Promise<void> {
    while (!this.isOver) {
      if (!this.solana.isFrozen) this.solana.advance();
      await sleep(SLOT_MS * this.pace.factor);
    }
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
      await sleep(BLOCK_MS);
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

  private async setBaseFee(wei: bigint): Promise<void> {
    await this.anvil.call('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
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
