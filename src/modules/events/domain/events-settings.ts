/** The operator's settings of the log. */
export abstract class EventsSettings {
  /** The number of days after which an event is removed. */
  abstract readonly eventRetentionDays: number;
}
