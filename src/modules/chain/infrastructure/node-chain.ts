import { Chain, type ChainEndpoint, type ChainHealth, type SendReport } from '../../../kernel/chain/chain.js';
import { ChainUnavailable } from '../../../kernel/chain/chain.errors.js';
import type { BlockPlace, SignedAttempt, PaymentStatus, ProofProgress } from '../../../kernel/chain/payment.js';
import type { ConfiguredNetwork } from '../../../kernel/chain/networks.js';
import { compareEndpoints, type EndpointQuestions, type EndpointState, type NodeWatch } from './endpoint-comparison.js';
import { Endpoints } from './endpoints.js';
import { AnotherChain, describeFault, isRefusal, NodeFault } from './node-faults.js';

export interface NodeUrls {
  /** They are asked in this order and share the time limit. */
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
}

/** `send` returns the hash under which the node accepted the bytes. */
interface Sender {
  send(raw: Uint8Array): Promise<string>;
}

export abstract class NodeChain<Node extends Sender> extends Chain {
  protected readonly nodes: Endpoints<Node>;
  private states: readonly EndpointState[] = [];
  private isUnavailable = false;

  constructor(
    configured: ConfiguredNetwork,
    { urls, timeoutMs = 10_000 }: NodeUrls,
    nodeAt: (url: string, timeoutMs: number) => Node,
    isRefusalOf: (error: unknown) => boolean,
    protected readonly watch: NodeWatch | undefined,
    /** An endpoint that is this many blocks behind lags. */
    private readonly lagBlocks: number,
  ) {
    super(configured);
    watch?.expect(urls.length);
    this.nodes = new Endpoints(
      urls.map((url) => nodeAt(url, Math.floor(timeoutMs / urls.length))),
      isRefusalOf,
      (error, endpoint) => watch?.endpointFailed(error, endpoint),
    );
  }

  get health(): ChainHealth {
    const states = this.endpoints.map(({ health }) => health);
    const isUsable = states.includes('ok') && !this.isUnavailable;
    if (!isUsable) return 'unavailable';
    return states.every((state) => state === 'ok') ? 'ok' : 'degraded';
  }

  get endpoints(): readonly ChainEndpoint[] {
    const usable = this.states.filter(({ agrees }) => agrees === true);
    const highest = Math.max(...usable.map(({ height }) => height ?? 0));
    return this.states.map(({ agrees, ...state }) => {
      if (agrees === null) return { ...state, health: 'unavailable' };
      if (!agrees) return { ...state, health: 'differs' };
      return { ...state, health: highest - state.height! > this.lagBlocks ? 'lags' : 'ok' };
    });
  }

  async send({ raw, hash }: SignedAttempt): Promise<SendReport> {
    try {
      const answer = await this.nodes.toAll((node) => node.send(raw));
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
      this.responded();
      return status;
    } catch (error) {
      this.watch?.failed(error);
      const stuckReason = error instanceof AnotherChain ? 'another_chain' : 'sequencer_or_node_down';
      return { is: 'unknown', reason: describeFault(error), stuckReason };
    }
  }

  async hasLost(hash: string, block: BlockPlace): Promise<boolean> {
    return this.answered(this.isLost(hash, block)).catch(() => false);
  }

  async checkEndpoints(): Promise<void> {
    const compared = compareEndpoints(this.nodes, this.questions, (states) => {
      this.states = states;
      this.watch?.compared(states);
    });
    await this.answered(compared).catch(() => undefined);
  }

  protected abstract readonly questions: EndpointQuestions<Node>;

  /** As `status`, but throws when the node fails. */
  protected abstract observe(
    source: string,
    attempts: readonly SignedAttempt[],
    progress: ProofProgress | null,
  ): Promise<PaymentStatus>;

  /** As `hasLost`, but throws when no endpoint responds. */
  protected abstract isLost(hash: string, block: BlockPlace): Promise<boolean>;

  /** Passes on refusals by the chain's rules, and replaces every other error by `ChainUnavailable`. */
  protected async answered<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work;
      this.responded();
      return answer;
    } catch (error) {
      if (isRefusal(error)) throw error;
      this.isUnavailable = true;
      this.watch?.failed(error);
      const cause = error instanceof NodeFault ? error : new NodeFault(describeFault(error), { cause: error });
      throw new ChainUnavailable(this.name, { cause });
    }
  }

  private responded(): void {
    this.isUnavailable = false;
    this.watch?.answered();
  }
}
