/** The responses of several endpoints to the same call. */
export interface Answers<T> {
  /** The responses that came in time, in no particular order; never empty. */
  readonly of: readonly T[];
  readonly configured: number;
}

/** How long a search waits for further endpoints after the first response. Its results are hints, so a late one may be missed. */
const GRACE_MS = 1_000;

/**
 * The endpoints of one chain. Each node checks by itself that it is on the right network, and fails otherwise. After a
 * failure the next endpoint is asked, but not after a refusal by the chain (`isRefusal`).
 */
export class Endpoints<Node> {
  /** The endpoint with the last successful response is asked first. */
  private preferred = 0;

  constructor(
    private readonly nodes: readonly Node[],
    private readonly isRefusal: (error: unknown) => boolean = () => false,
    /** Called with each failure, except of `toAll`, and the position of the endpoint in the configuration, from 1. */
    private readonly failed: (error: unknown, position: number) => void = () => {},
  ) {}

  /** The response of the first endpoint that does not fail. Throws the error of the first one when all fail. */
  async read<T>(ask: (node: Node) => Promise<T>): Promise<T> {
    let first: unknown;
    for (const index of this.order()) {
      try {
        const answer = await ask(this.nodes[index]!);
        this.preferred = index;
        return answer;
      } catch (error) {
        if (this.isRefusal(error)) throw error;
        this.failed(error, index + 1);
        first ??= error;
      }
    }
    throw first;
  }

  /**
   * The responses of all endpoints that respond within their own time limits, as a negative conclusion needs them: a slow endpoint may be
   * the only one with contrary evidence. Throws when none responds.
   */
  async every<T>(ask: (node: Node) => Promise<T>): Promise<Answers<T>> {
    const { of } = await this.gather(this.order(), ask, Infinity);
    return { of, configured: this.nodes.length };
  }

  /** The result of each endpoint, in the order of the configuration, within its own time limit. */
  each<T>(ask: (node: Node, index: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> {
    return Promise.allSettled(
      this.nodes.map(async (node, index) => {
        try {
          return await ask(node, index);
        } catch (error) {
          this.failed(error, index + 1);
          throw error;
        }
      }),
    );
  }

  /**
   * Asks one endpoint, and the rest only when its response is not enough. Late responses are left out, so no negative conclusion may rest
   * on the result. Throws when none responds.
   */
  async search<T>(ask: (node: Node) => Promise<T>, isEnough: (answer: T) => boolean): Promise<Answers<T>> {
    const configured = this.nodes.length;
    const [preferred = 0, ...rest] = this.order();
    if (rest.length === 0) return this.every(ask);
    const { of } = await this.gather([preferred], ask, GRACE_MS).catch(() => ({ of: [] }));
    if (of.some(isEnough)) return { of, configured };
    const more = await this.gather(rest, ask, GRACE_MS).catch((error: unknown) => {
      if (of.length === 0) throw error;
      return { of: [], first: preferred };
    });
    // The next questions of this observation must not wait for the silent endpoint first.
    if (of.length === 0) this.preferred = more.first;
    return { of: [...of, ...more.of], configured };
  }

  /** Sends to all endpoints. Returns the response of the first that accepts; throws the error of the first one when none does. */
  async toAll<T>(send: (node: Node) => Promise<T>): Promise<T> {
    try {
      return await Promise.any(this.order().map((index) => send(this.nodes[index]!)));
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
  }

  private order(): number[] {
    const indexes = [...this.nodes.keys()];
    return [this.preferred, ...indexes.filter((index) => index !== this.preferred)];
  }

  /** Gathers responses; `first` is the endpoint that responded first, and the rest have `graceMs` after it. */
  private async gather<T>(
    indexes: readonly number[],
    ask: (node: Node) => Promise<T>,
    graceMs: number,
  ): Promise<{ readonly of: readonly T[]; readonly first: number }> {
    const of: T[] = [];
    let first: number | undefined;
    let failure: unknown;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      const asked = indexes.map(async (index) => {
        try {
          of.push(await ask(this.nodes[index]!));
          first ??= index;
          if (graceMs !== Infinity) timer ??= setTimeout(resolve, graceMs);
        } catch (error) {
          this.failed(error, index + 1);
          failure ??= error;
        }
      });
      void Promise.all(asked).then(() => resolve());
    });
    clearTimeout(timer);
    if (first === undefined) throw failure;
    return { of: [...of], first };
  }
}

/**
 * Whether the endpoints support a negative conclusion (not there, expired, nonce used): every endpoint that responded says so, and where
 * several are configured at least two did. Agreement supports a proof and never replaces one.
 */
export function agreed<T>({ of, configured }: Answers<T>, saysNo: (answer: T) => boolean): boolean {
  return of.length >= Math.min(2, configured) && of.every(saysNo);
}

/** Whether enough endpoints say so for a conclusion that credits money: two where several are configured. Late and lagging ones do not prevent it. */
export function attested<T>({ of, configured }: Answers<T>, says: (answer: T) => boolean): boolean {
  return of.filter(says).length >= Math.min(2, configured);
}
