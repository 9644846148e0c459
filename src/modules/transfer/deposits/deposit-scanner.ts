import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Chains } from '../../../kernel/chain/chain.js';
import { Log } from '../../../kernel/log.js';
import { WorkerLoop } from '../../../postgres/worker-loop.js';
import { Config } from '../../../services/config/config.js';
import { ScanDeposits } from './application/scan-deposits.js';
import type { DepositScan } from './domain/deposit-scan.js';
import { described } from '../tracking/tracker.js';

const POLL_MS = 1_000;
/** Another process can repeat the part that runs. */
const DRAIN_MS = 5_000;

/** Runs in every process that does background work, and uses none of the slots for transfers. */
@Injectable()
export class DepositScanner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private loops: readonly WorkerLoop<DepositScan>[] = [];

  constructor(
    private readonly scanDeposits: ScanDeposits,
    private readonly chains: Chains,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.hasWorkers) return;
    this.loops = this.chains.all
      .map(({ name }) => name)
      .filter(this.config.depositsOn)
      .map(
        (chain) =>
          new WorkerLoop({
            slots: 1,
            pollMs: POLL_MS,
            drainMs: DRAIN_MS,
            claim: async () => {
              const due = await this.scanDeposits.claim(chain);
              return due ? [due] : [];
            },
            perform: (scan) => this.scanDeposits.execute(scan).catch((error: unknown) => this.report(chain, error)),
            report: (error) => this.report(chain, error),
          }),
      );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private report(chain: string, error: unknown): void {
    this.log.warn({ chain, err: described(error) }, 'deposits cannot be searched for');
  }
}
