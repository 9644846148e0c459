import { Chain, type SendReport } from '../../../kernel/chain/chain.js';
import { ChainUnavailable } from '../../../kernel/chain/chain.errors.js';
import type { SignedAttempt, PaymentStatus, ProofProgress } from '../../../kernel/chain/payment.js';
import { compareEndpoints, type EndpointQuestions, type NodeWatch } from './endpoint-comparison.js';
import type { Endpoints } from './endpoints.js';
import { AnotherChain, describeFault, isRefusal, NodeFault } from './node-faults.js';

/** The part of every chain that maps failures of its nodes to the port's results and to the log. */
export abstract class NodeChain extends Chain {
  constructor(
    /** The chain's name in messages. */
    private readonly title: string,
    protected readonly watch: NodeWatch | undefined,
  ) {
    super();
  }

  async send({ raw, hash }: SignedAttempt): Promise<SendReport> {
    try {
      const answer = await this.broadcast(raw);
      return { accepted: answer === hash, detail: answer };
    } catch (error) {
      return { accepted: false, detail: describeFault(error) };
    }
  }

  async status(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null = null,
  ): Promise<PaymentStatus> {
    try {
      const status = await this.observe(source, attempts, progress);
      this.watch?.answered();
      return status;
    } catch (error) {
      this.watch?.failed(error);
      const stuckReason = error instanceof AnotherChain ? 'another_chain' : 'sequencer_or_node_down';
      return { is: 'unknown', reason: describeFault(error), stuckReason };
    }
  }

  async checkEndpoints(): Promise<void> {
    await this.answered(this.check()).catch(() => undefined);
  }

  /** Compares every endpoint by `compared`. Throws when none is on the configured network. */
  protected abstract check(): Promise<void>;

  protected compared<Node>(nodes: Endpoints<Node>, questions: EndpointQuestions<Node>): Promise<void> {
    return compareEndpoints(nodes, questions, (states) => this.watch?.compared(states));
  }

  /** Sends the bytes, and returns the hash under which the node accepted them. */
  protected abstract broadcast(raw: Uint8Array): Promise<string>;

  /** As `status`, but throws when the node fails. */
  protected abstract observe(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus>;

  /** Passes on refusals by the chain's rules, and replaces every other error by `ChainUnavailable`. */
  protected async answered<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work;
      this.watch?.answered();
      return answer;
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.watch?.failed(error);
      const cause = error instanceof NodeFault ? error : new NodeFault(describeFault(error), { cause: error });
      throw new ChainUnavailable(this.title, { cause });
    }
  }
}
