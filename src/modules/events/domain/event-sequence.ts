export interface Batch {
  readonly sequenced: number;
  readonly hasMore: boolean;
  /** The app after which the next batch begins, so that every app is reached; empty: the first app. */
  readonly after: string;
}

export abstract class EventSequence {
  /** Runs as one statement, so a crash leaves all of it or nothing. It skips apps that another caller handles now. */
  abstract advance(after: string): Promise<Batch>;

  abstract hasWaiting(): Promise<boolean>;

  /** `insert` reads the rows `numbered` of app $1 and returns a row for each one it adds. `onQueued` runs after a batch that added some. */
  abstract queueBy(insert: string, onQueued: () => void): void;

  /** Drops partitions older than this; positions in them expire. Creates those of the next days. */
  abstract renewPartitions(olderThanDays: number): Promise<void>;
}
