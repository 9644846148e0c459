import type { ChainProxy } from '../../support/chain-proxy.js';
import { MACHINES } from '../../support/machine-pool.js';
import { SolanaRuntime } from '../../support/solana-runtime.js';
import type { Pace } from '../pace.js';
import { type Has, Network, type TimedTrouble } from './network.js';

const FINALIZED_AFTER = 8;

export class SolanaNetwork extends Network {
  readonly decimals = 9;
  protected readonly blockMs = 40;

  private constructor(
    readonly runtime: SolanaRuntime,
    proxies: readonly ChainProxy[],
    random: () => number,
    pace: Pace,
  ) {
    super('solana', proxies, runtime, random, pace);
  }

  static async start(endpoints: number, random: () => number, pace: Pace): Promise<SolanaNetwork> {
    const runtime = await SolanaRuntime.start({ finalizedAfter: FINALIZED_AFTER });
    const network = new SolanaNetwork(runtime, await Network.proxiesOf(runtime, endpoints), random, pace);
    network.begin();
    return network;
  }

  async balance(account: string, token?: string): Promise<bigint> {
    return token ? this.runtime.tokenBalance(token, account) : this.runtime.balance(account);
  }

  async fund(account: string, units: bigint): Promise<void> {
    const lacking = units - this.runtime.balance(account);
    if (lacking > 0n) this.runtime.fund(account, lacking);
  }

  protected own(has: Has): readonly TimedTrouble[] {
    const { runtime, random } = this;
    if (has('held')) {
      runtime.fate = () => {
        const drawn = random();
        return drawn < 0.15 ? 'forget' : drawn < 0.45 ? 'hold' : 'land';
      };
    }
    return [
      ['forks', 2_000, () => runtime.fork(this.upTo(FINALIZED_AFTER - 2))],
      ['forks', 300, () => runtime.skip(this.upTo(3))],
      // Longer than the pause between two checks, shorter than the lifetime of a blockhash: signing again too early
      // pays twice.
      ['held', 2_500, () => runtime.release()],
      ['expiries', 8_000, () => runtime.expireBlockhashes()],
      ['mempools', 5_000, () => runtime.drop()],
      ['history', 3_000, () => runtime.restartFromSnapshot(this.upTo(200), ['restored'])],
    ];
  }

  override lift(): void {
    this.runtime.fate = () => 'land';
    super.lift();
    this.runtime.release();
  }

  /** Makes the nodes hold accepted transactions while slots stop. */
  async hide(): Promise<void> {
    this.runtime.fate = () => 'hold';
    this.runtime.isFrozen = true;
  }

  /** Executes the transactions that the nodes hold, in a block that every machine loses before it can be read. */
  loseLanded(): void {
    this.runtime.advance();
    this.runtime.release();
    this.runtime.restartFromSnapshot(1);
    this.runtime.expireBlockhashes();
    this.runtime.isFrozen = false;
  }

  protected async loseHistory(): Promise<void> {
    this.runtime.restartFromSnapshot(100, MACHINES);
  }

  protected restore(): void {
    this.runtime.fillHoles();
  }

  protected rejoin(): void {
    this.runtime.rejoin();
  }

  protected async pass(): Promise<void> {
    if (!this.runtime.isFrozen) this.runtime.advance();
  }

  protected end(): Promise<void> {
    return this.runtime.stop();
  }
}
