import { Injectable } from '@nestjs/common';
import { Chains } from '../../../../kernel/chain/chain.js';
import { Config } from '../../../../services/config/config.js';
import { HttpMetrics, tableGauge } from '../../../../services/observability/metrics.js';
import { DepositScanRepository } from '../domain/deposit-scan.js';

/** Reads the database, since any process may do the search. */
@Injectable()
export class DepositMetrics {
  constructor(scans: DepositScanRepository, { all: chains }: Chains, config: Config, metrics: HttpMetrics) {
    const values = chains.map(({ name }) => name).filter(config.depositsOn);
    const states = async (numberOf: (state: Awaited<ReturnType<typeof scans.states>>[number]) => number) =>
      Object.fromEntries((await scans.states()).map((state) => [state.chain, numberOf(state)]));
    tableGauge(
      metrics,
      {
        name: 'deposits_behind_blocks',
        help: 'Final blocks (Solana: slots) of a chain that were seen and are not yet searched for deposits.',
        label: 'chain',
        values,
      },
      () => states(({ behindBlocks }) => behindBlocks),
    );
    tableGauge(
      metrics,
      {
        name: 'deposits_stopped',
        help: '1 if the search for deposits on a chain has stopped, because the chain does not contain its last block; else 0.',
        label: 'chain',
        values,
      },
      () => states(({ isStopped }) => Number(isStopped)),
    );
  }
}
