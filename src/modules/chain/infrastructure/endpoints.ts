export interface Answers<T> {
  /** The responses that came in time, in no order; never empty. */
  readonly of: readonly T[];
  readonly configured: number;
}

/** A search waits this long for further endpoints. Its results are hints, so a late one may be missed. */
const GRACE_MS = 1_000;

/** Each node checks by itself that it is on the right network. After a failure the next one is asked, but not after `isRefusal`. */
export class Endpoints<Node> {
  private preferred = 0;

  constructor(
    private readonly nodes: readonly Node[],
    private readonly isRefusal: (error: unknown) => boolean = () => false,
    /** Gets each failure, except of `toAll`, and the endpoint's position in the configuration, from 1. */
    private readonly failed: (error: unknown, position: number) => void = () => {},
  ) {}

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

  /** A negative conclusion needs all responses: a slow endpoint may be the only one with contrary evidence. Throws when none responds. */
  async every<T>(ask: (node: Node) => Promise<T>): Promise<Answers<T>> {
    const { of } = await this.gather(this.order(), ask, Infinity);
    return { of, configured: this.nodes.length };
  }

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

  /** Asks one endpoint, and the rest only if that is not enough. It misses late ones, so no negative conclusion may rest on the result. */
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

  /** Returns the first acceptance; throws the error of the first endpoint when none accepts. */
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

/** Supports a negative conclusion, never replaces a proof: all say so, at least two if several are configured. */
export function agreed<T>({ of, configured }: Answers<T>, saysNo: (answer: T) => boolean): boolean {
  return of.length >= Math.min(2, configured) && of.every(saysNo);
}

/** Whether enough say so for a conclusion that credits money: two of several. Late and lagging endpoints do not prevent it. */
export function attested<T>({ of, configured }: Answers<T>, says: (answer: T) => boolean): boolean {
  return of.filter(says).length >= Math.min(2, configured);
}
