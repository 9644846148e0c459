export interface Batch {
  readonly sequenced: number;
  /** Whether events that this batch saw still wait. */
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; empty: the first app. */
  readonly after: string;
}

export abstract class EventSequence {
  /** One statement: a crash leaves all of it or nothing. Skips apps that another caller handles now; apps share the batch evenly. */
  abstract advance(after: string): Promise<Batch>;

  /** Whether any event waits. Costs less than a batch. */
  abstract hasWaiting(): Promise<boolean>;

  /**
   * One other module queues events by the same statement. `insert` reads the rows `numbered` of app $1 and returns a row for each one it
   * adds; `onQueued` runs after a batch of this process that added some.
   */
  abstract queueBy(insert: string, onQueued: () => void): void;

  /** Drops partitions older than this; positions in them expire. Creates those of the next days. */
  abstract renewPartitions(olderThanDays: number): Promise<void>;
}
