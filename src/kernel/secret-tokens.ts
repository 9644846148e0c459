/** The SHA-256 of a token. Nothing else of a token is stored. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** Secrets that the service must recognise later but never return: only their hash is stored. */
export abstract class SecretTokens {
  /** A fresh token of 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /**
   * The lookup key of a token: SHA-256 over purpose and token. It needs no key, because a token has at least 256 random bits. The
   * purpose, such as `magic_link`, is part of the hash, so a token of one purpose is never accepted for another.
   */
  abstract hash(purpose: string, token: string): TokenHash;
}
