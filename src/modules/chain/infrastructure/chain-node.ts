import { FeeTooHigh } from '../../../kernel/fee-too-high.js';
import type { Log } from '../../../kernel/log.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { Chain, type SendReport } from '../../../kernel/chain/chain.js';
import type { SignedAttempt } from '../../../kernel/chain/payment.js';
import type { PaymentStatus, ProofProgress } from '../../../kernel/chain/payment-status.js';
import {
  ChainUnavailable,
  FeesAboveQuote,
  isShortage,
  PaymentRefusedByChain,
} from '../../../kernel/chain/chain.errors.js';

/** Something is wrong with a node, in words of our own. */
export class NodeFault extends Error {
  override readonly name: string = 'NodeFault';
}

/** Anything but what the method is specified to answer. */
export class NodeAnswerUnreadable extends NodeFault {
  override readonly name = 'NodeAnswerUnreadable';
  constructor(what: string) {
    super(`The node answered something that is not ${what}.`);
  }
}

/**
 * What went wrong with a node, for logs only, and never to decide by. In words of our own: those of libraries and nodes
 * carry the node's URL, and with it its password or key.
 */
export function wordsOf(error: unknown): string {
  if (error instanceof NodeFault) return error.message;
  const { name, code, cause, info, context } = error as Troubled;
  const status = context?.statusCode ?? Number.parseInt(info?.responseStatus ?? '', 10);
  if (status) return `The node answered with HTTP status ${status}.`;
  if (name === 'TimeoutError' || code === 'TIMEOUT') return 'The node did not answer in time.';
  const reason = [code, cause?.code].find(
    (each): each is string => typeof each === 'string' && /^E[A-Z_]+$/.test(each),
  );
  if (reason !== undefined) return `The node cannot be reached: ${reason}.`;
  return 'The node refused the call, or answered something that is no answer.';
}

/** What errors of ethers, of @solana/kit and of Node's own clients may say of themselves. */
interface Troubled {
  readonly name?: string;
  readonly code?: unknown;
  readonly cause?: { readonly code?: unknown };
  readonly info?: { readonly responseStatus?: string };
  readonly context?: { readonly statusCode?: number };
}

/** A refusal of the payment, by the rules of the chain or the bounds of its fees, rather than a failure of the node. */
export function isRefusal(error: unknown): boolean {
  return (
    [PaymentRefusedByChain, FeesAboveQuote, FeeTooHigh].some((Refusal) => error instanceof Refusal) || isShortage(error)
  );
}

/** For so long a node has to do without a fault until it counts as well again: one at its limit answers every other call. */
const WELL_AFTER_MS = 60_000;

/** Tells the log when a node fails, once for each way it does so, and when it is well again. */
export class NodeWatch {
  private readonly reasons = new Set<string>();
  private failedAt = 0;

  constructor(
    private readonly chain: ChainName,
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  failed(error: unknown): void {
    this.note({ reason: wordsOf(error) }, 'chain unavailable');
  }

  /** One of several endpoints failed, named by its position in the configuration: its URL may hold a key. */
  endpointFailed(error: unknown, endpoint: number): void {
    this.note({ endpoint, reason: wordsOf(error) }, 'chain endpoint unavailable');
  }

  answered(): void {
    if (this.reasons.size === 0 || this.now() - this.failedAt < WELL_AFTER_MS) return;
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

/** What is the same of every chain that is asked through a node: how its failures are told, to callers and to the log. */
export abstract class NodeChain extends Chain {
  constructor(
    /** As people write it. */
    private readonly title: string,
    private readonly watch: NodeWatch | undefined,
  ) {
    super();
  }

  async send({ raw, hash }: SignedAttempt): Promise<SendReport> {
    try {
      const answer = await this.hand(raw);
      return { accepted: answer === hash, detail: answer };
    } catch (error) {
      return { accepted: false, detail: wordsOf(error) };
    }
  }

  async status(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null = null,
  ): Promise<PaymentStatus> {
    try {
      const standing = await this.standing(source, attempts, progress);
      this.watch?.answered();
      return standing;
    } catch (error) {
      this.watch?.failed(error);
      return { is: 'unknown', reason: wordsOf(error), stuckReason: 'sequencer_or_node_down' };
    }
  }

  /** Hands the bytes to the node, and answers what it calls them. */
  protected abstract hand(raw: Uint8Array): Promise<string>;

  /** As `status`, but throws when the node fails. */
  protected abstract standing(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus>;

  /** What the chain's own rules refuse is told to the caller; whatever else fails is the node being away. */
  protected async answered<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work;
      this.watch?.answered();
      return answer;
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.watch?.failed(error);
      throw new ChainUnavailable(this.title, { cause: error });
    }
  }
}
