import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import type { Endpoints } from './endpoints.js';
import { WrongNetwork, describeFault } from './node-faults.js';
import type { ChainEndpoint } from '../../../kernel/chain/chain.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { RecentlyUsed } from '../../../kernel/recently-used.js';
import { HttpMetrics } from '../../../services/observability/metrics.js';
import type { Log } from '../../../kernel/log.js';

export interface EndpointState extends Pick<ChainEndpoint, 'height' | 'fault'> {
  /** Whether it is on the network and the fork of the majority; null when it did not respond. */
  readonly agrees: boolean | null;
}

export interface EndpointQuestions<Node> {
  /** Throws `WrongNetwork` on another network than the configured one. */
  readonly height: (node: Node) => Promise<number>;
  readonly hashAt: (node: Node, height: number) => Promise<string | null>;
}

/** At the lowest common height more than half must agree: two that differ both do not. Throws after the report when none responds. */
export async function compareEndpoints<Node>(
  nodes: Endpoints<Node>,
  { height, hashAt }: EndpointQuestions<Node>,
  report: (states: readonly EndpointState[]) => void,
): Promise<void> {
  const heights = await nodes.each(height);
  const known = heights.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const common = Math.min(...known);
  const hashes = await nodes.each(async (node, index) =>
    known.length > 1 && heights[index]!.status === 'fulfilled' ? hashAt(node, common) : undefined,
  );
  const answers = hashes.flatMap((each) =>
    each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
  );
  const isMajority = (hash: string | null): boolean =>
    2 * answers.filter((each) => each === hash).length > answers.length;
  report(
    heights.map((each, index) => {
      if (each.status === 'rejected') {
        const agrees = each.reason instanceof WrongNetwork ? false : null;
        return { height: null, agrees, fault: describeFault(each.reason) };
      }
      const hash = hashes[index]!;
      if (hash.status === 'rejected') return { height: each.value, agrees: null, fault: describeFault(hash.reason) };
      const agrees = hash.value === undefined || isMajority(hash.value);
      return { height: each.value, agrees, fault: agrees ? null : `It has another block ${common} than most nodes.` };
    }),
  );
  if (known.length === 0) throw (heights[0] as PromiseRejectedResult).reason;
}

const LABELS = ['chain', 'endpoint'] as const;

/** Endpoints are named by their position, from 1: a URL may hold a key. A scrape waits for no node. */
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

  /** An alert sees the first change, because each endpoint has samples from the start. */
  expect(chain: ChainName, endpoints: number): void {
    const unknown = Array.from({ length: endpoints }, () => ({ height: 0, agrees: true, fault: null }));
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

/** A rate-limited node still carries out some calls, so a node must have no fault for this long. */
const AVAILABLE_AFTER_MS = 60_000;
/** A remark may name a transaction, so there is no end to them. */
const MOST_REMARKS = 1_000;

/** Logs a failure of a node once for each reason, and when it is available again. */
export class NodeWatch {
  private readonly reasons = new Set<string>();
  private readonly remarks = new RecentlyUsed<string, true>(MOST_REMARKS);
  private failedAt = 0;
  private endpoints = 0;

  constructor(
    private readonly chain: ChainName,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly now: () => number = () => performance.now(),
    private readonly metrics?: EndpointMetrics,
  ) {}

  expect(endpoints: number): void {
    this.endpoints = endpoints;
    this.metrics?.expect(this.chain, endpoints);
  }

  failed(error: unknown): void {
    this.note({ reason: describeFault(error) }, 'chain unavailable');
  }

  /** The URL may hold a key, so the position names the endpoint. The failure of an only endpoint is logged as one of the chain. */
  endpointFailed(error: unknown, endpoint: number): void {
    this.metrics?.failed(this.chain, endpoint);
    if (this.endpoints === 1) return;
    this.note({ endpoint, reason: describeFault(error) }, 'chain endpoint unavailable');
  }

  compared(states: readonly EndpointState[]): void {
    this.metrics?.compared(this.chain, states);
  }

  /** Each remark is logged once while it is among the latest. */
  noteOnce(fields: Readonly<Record<string, string>>, message: string): void {
    const key = JSON.stringify([fields, message]);
    if (!this.remarks.get(key)) this.log.warn({ chain: this.chain, ...fields }, message);
    this.remarks.set(key, true);
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
