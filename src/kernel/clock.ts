/** The time of this process. Expiry is never decided by it: that is the database's clock. */
export abstract class Clock {
  abstract now(): Date;
}

/** Wire form of a time: whole epoch seconds, `0` when unset. */
export function epochSeconds(time: Date | null | undefined): number {
  return time ? Math.floor(time.getTime() / 1000) : 0;
}
