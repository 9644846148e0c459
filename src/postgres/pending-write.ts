/** Awaiting it sends the write. Otherwise it is sent with the next statement or COMMIT, and its failure makes the transaction fail. */
export class PendingWrite<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'PendingWrite';

  constructor(
    private readonly answer: Promise<T>,
    private readonly send: () => void,
  ) {
    // The transaction reports the failure of a write that is not awaited.
    answer.catch(() => undefined);
  }

  map<U>(convert: (result: T) => U): PendingWrite<U> {
    return new PendingWrite(this.answer.then(convert), this.send);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- A write must know whether its result is awaited.
  then<A = T, B = never>(
    onFulfilled?: ((result: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.send();
    return this.answer.then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onSettled?: (() => void) | null): Promise<T> {
    this.send();
    return this.answer.finally(onSettled);
  }
}
