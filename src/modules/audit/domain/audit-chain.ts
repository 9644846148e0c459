/** The result of one batch, and the app after which the next one begins. */
export interface ChainedBatch {
  /** The number of entries that were chained. */
  readonly sequenced: number;
  /** Whether entries that this batch saw still wait. */
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; null: the first app. */
  readonly after: string;
}

/** Appends committed entries to the chains of their apps. */
export abstract class AuditChain {
  /**
   * Appends a batch of waiting entries, in the order of their ids. A crash leaves all of it or nothing. An app whose chain another
   * caller extends now is skipped.
   */
  abstract advance(after: string): Promise<ChainedBatch>;

  /** Whether any entry waits. Costs less than a batch. */
  abstract hasWaiting(): Promise<boolean>;
}
