/** A code as authenticator apps show it; anything else is none, whatever a parser of numbers makes of it. */
export const ONE_TIME_CODE = /^[0-9]{6}$/;

/** The arithmetic of time-based one-time passwords (RFC 6238). */
export abstract class OneTimeCodes {
  /** The step the code is of, if that is the current, the previous or the next one at that time; null otherwise. */
  abstract stepOf(code: string, secret: Buffer, at: Date): number | null;
}
