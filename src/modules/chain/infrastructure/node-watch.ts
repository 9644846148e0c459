import type { ChainName } from '../../../kernel/chain/chain-name.js';
import type { Log } from '../../../kernel/log.js';
import { describeFault } from './node-faults.js';

/** A node must have no fault for this long before it counts as available: a rate-limited node still answers some calls. */
const AVAILABLE_AFTER_MS = 60_000;

/** Logs when a node fails, once for each reason, and when it is available again. */
export class NodeWatch {
  private readonly reasons = new Set<string>();
  private failedAt = 0;

  constructor(
    private readonly chain: ChainName,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  failed(error: unknown): void {
    this.note({ reason: describeFault(error) }, 'chain unavailable');
  }

  /** One of several endpoints failed, named by its position in the configuration: its URL may hold a key. */
  endpointFailed(error: unknown, endpoint: number): void {
    this.note({ endpoint, reason: describeFault(error) }, 'chain endpoint unavailable');
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
