/** The result of one batch, and the app after which the next one begins. */
export interface Batch {
  /** The number of events that got positions. */
  readonly sequenced: number;
  /** Whether events that this batch saw still wait. */
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; empty: the first app. */
  readonly after: string;
}

/** Gives positions to committed events. */
export abstract class EventSequence {
  /**
   * Gives the next positions of their apps to a batch of waiting events, in the order of their numbers, by one statement. A crash
   * leaves all of it or nothing. An app whose events another caller handles now is skipped. The events of the batch are shared
   * evenly between the apps.
   */
  abstract advance(after: string): Promise<Batch>;

  /** Whether any event waits. Costs less than a batch. */
  abstract hasWaiting(): Promise<boolean>;

  /**
   * Lets one other module queue events by the statement that gives them their positions. `insert` is SQL over the rows `numbered` of the
   * app $1 and returns a row for each one that it adds; `onQueued` is called after each batch of this process that added some.
   */
  abstract queueBy(insert: string, onQueued: () => void): void;

  /** Creates the daily partitions of the next days, and drops those of events that are older than this. Their positions have expired. */
  abstract renewPartitions(olderThanDays: number): Promise<void>;
}
