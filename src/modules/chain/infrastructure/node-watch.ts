import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { Log } from '../../../kernel/log.js';
import type { EndpointState } from './endpoint-comparison.js';
import type { EndpointMetrics } from './endpoint-metrics.js';
import { describeFault } from './node-faults.js';

/** A node must have no fault for this long before it counts as available: a rate-limited node still carries out some calls. */
const AVAILABLE_AFTER_MS = 60_000;

/** Logs when a node fails, once for each reason, and when it is available again, and measures its endpoints. */
export class NodeWatch {
  private readonly reasons = new Set<string>();
  private failedAt = 0;
  private endpoints = 0;

  constructor(
    private readonly chain: ChainName,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly now: () => number = () => performance.now(),
    private readonly metrics?: EndpointMetrics,
  ) {}

  /** To be called once, with the number of endpoints. */
  expect(endpoints: number): void {
    this.endpoints = endpoints;
    this.metrics?.expect(this.chain, endpoints);
  }

  failed(error: unknown): void {
    this.note({ reason: describeFault(error) }, 'chain unavailable');
  }

  /**
   * An endpoint failed, named by its position in the configuration: its URL may hold a key. The failure of an only endpoint is
   * logged as one of the chain.
   */
  endpointFailed(error: unknown, endpoint: number): void {
    this.metrics?.failed(this.chain, endpoint);
    if (this.endpoints === 1) return;
    this.note({ endpoint, reason: describeFault(error) }, 'chain endpoint unavailable');
  }

  compared(states: readonly EndpointState[]): void {
    this.metrics?.compared(this.chain, states);
  }

  answered(): void {
    if (this.reasons.size === 0 || this.now() - this.failedAt < AVAILABLE_AFTER_MS) return;
    this.reasons.clear();
    this.log.info({ chain: this.chain }, 'chain available again');
  }

  private note(fields: { readonly reason: string; readonly endpoint?: number }, message: string): void {
    const key = JSON.stringify(fields);
    if (!this.reasons.has(key)) this.log.warn({ chain: this.chain, ...fields }, message);
    this.reasons.add(key);
    this.failedAt = this.now();
  }
}
