/** The result of one batch, and the app after which the next one begins. */
export interface Batch {
  /** The number of events that got positions. */
  readonly sequenced: number;
  /** Whether events that this batch saw still wait. */
  readonly hasMore: boolean;
  /** Whether deliveries to webhooks were queued. */
  readonly hasQueued?: boolean;
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
}

/** The daily partitions of the log, and those of ended deliveries. */
export abstract class EventPartitions {
  /** Creates the missing partitions of today and the next days. */
  abstract create(): Promise<void>;

  /** Drops the partitions of events that are older than this many days. Their positions have expired. */
  abstract drop(olderThanDays: number): Promise<void>;

  /** Drops the partitions of deliveries that ended more than this many days ago. */
  abstract dropDeliveries(olderThanDays: number): Promise<void>;
}
