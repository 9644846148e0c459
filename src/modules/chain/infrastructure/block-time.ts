/** The last second whose date has a year of four digits. */
const LAST_SECOND = 253_402_300_799;

/** Undefined where a node reports none. No conclusion rests on it, so a wrong one fails nothing. */
export function blockTimeOf(seconds: number): Date | undefined {
  return seconds >= 0 && seconds <= LAST_SECOND ? new Date(seconds * 1000) : undefined;
}
