/** A code as authenticator apps show it. Number parsers accept more, so the form is checked first. */
export const ONE_TIME_CODE = /^[0-9]{6}$/;

/** The arithmetic of time-based one-time passwords (RFC 6238). */
export abstract class OneTimeCodes {
  /** The time step of the code, if it is the current, the previous or the next step at that time; null otherwise. */
  abstract stepOf(code: string, secret: Buffer, at: Date): number | null;
}
