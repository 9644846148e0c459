/** Expiry is decided by the database's clock, never by this one. */
export abstract class Clock {
  abstract now(): Date;
}

/** The form of times on the wire; `0` stands for null. */
export function epochSeconds(time: Date | null | undefined): number {
  return time ? Math.floor(time.getTime() / 1000) : 0;
}
