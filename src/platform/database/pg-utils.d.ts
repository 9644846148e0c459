declare module 'pg/lib/utils.js' {
  /** A value as the protocol wants it: null, text or bytes. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
