import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { HttpMetrics } from '../../../services/observability/metrics.js';
import type { EndpointState } from './endpoint-comparison.js';

const LABELS = ['chain', 'endpoint'] as const;

/**
 * The endpoints of each chain, named by their position in the configuration, from 1: a URL may hold a key. Values are set when the
 * endpoints are compared, so that a scrape waits for no node.
 */
@Injectable()
export class EndpointMetrics {
  private readonly heights = new Map<ChainName, number[]>();
  private readonly height: Gauge<(typeof LABELS)[number]>;
  private readonly lag: Gauge<(typeof LABELS)[number]>;
  private readonly agrees: Gauge<(typeof LABELS)[number]>;
  private readonly errors: Counter<(typeof LABELS)[number]>;

  constructor({ registry }: HttpMetrics) {
    const registers = [registry];
    const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: LABELS, registers });
    this.height = gauge(
      'chain_endpoint_height',
      'Number of the newest block that an endpoint has reported (Solana: slot of the newest final one); 0 before its first answer.',
    );
    this.lag = gauge(
      'chain_endpoint_lag_blocks',
      'Blocks (Solana: slots) by which an endpoint is behind the highest one of its chain.',
    );
    this.agrees = gauge(
      'chain_endpoint_agrees',
      '0 if an endpoint is on another network, or if no majority of the endpoints has its block at the lowest common height; else 1.',
    );
    this.errors = new Counter({
      name: 'chain_endpoint_errors_total',
      help: 'Questions to an endpoint that failed. Transactions that it did not accept are not counted.',
      labelNames: LABELS,
      registers,
    });
  }

  /** Gives each endpoint its samples, so that an alert sees the first change. */
  expect(chain: ChainName, endpoints: number): void {
    const unknown = Array.from({ length: endpoints }, () => ({ height: 0, agrees: true }));
    this.heights.set(chain, []);
    this.compared(chain, unknown);
    for (const index of unknown.keys()) this.errors.inc(labels(chain, index), 0);
  }

  failed(chain: ChainName, position: number): void {
    this.errors.inc(labels(chain, position - 1));
  }

  /** An endpoint that did not respond keeps its height, and falls behind the highest one. */
  compared(chain: ChainName, states: readonly EndpointState[]): void {
    const earlier = this.heights.get(chain)!;
    const heights = states.map(({ height }, index) => height ?? earlier[index]!);
    this.heights.set(chain, heights);
    for (const [index, { agrees }] of states.entries()) {
      this.height.set(labels(chain, index), heights[index]!);
      this.lag.set(labels(chain, index), Math.max(...heights) - heights[index]!);
      if (agrees !== null) this.agrees.set(labels(chain, index), Number(agrees));
    }
  }
}

function labels(chain: ChainName, index: number): { readonly chain: ChainName; readonly endpoint: number } {
  return { chain, endpoint: index + 1 };
}
