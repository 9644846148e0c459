/** The keyed hash of a token: a version byte and an HMAC-SHA-256. Nothing else of a token is stored. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** Secrets that the service must recognise later but never return: only their hash is stored. */
export abstract class SecretTokens {
  /** A fresh token of 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /**
   * The lookup key of a token: an HMAC over purpose and token, under a key of the service. A client that can only write to the
   * database cannot compute it, so a row that it inserts for a token of its own is never found. The purpose, such as `magic_link`,
   * is part of the hash, so a token of one purpose is never accepted for another.
   */
  abstract hash(purpose: string, token: string): TokenHash;
}
