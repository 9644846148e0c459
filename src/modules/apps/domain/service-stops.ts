/** The stop of the keys of all apps, which an operator makes with the database alone. */
export abstract class ServiceStops {
  /** Marks the stop as recorded. Returns whether there is one that was not. */
  abstract record(): Promise<boolean>;
}
