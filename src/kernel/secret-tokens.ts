/** The SHA-256 of a token. Nothing else of a token is stored. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** The purpose of a token. It is part of the hash, so a token of one purpose is never accepted for another. */
export type TokenPurpose =
  | 'secret_key'
  | 'public_token'
  | 'management_key'
  | 'oauth_state'
  | 'oauth_browser'
  | 'oauth_token'
  | 'magic_link'
  | 'session_token';

/** Secrets that the service must recognise later but never return: only their hash is stored. */
export abstract class SecretTokens {
  /** A fresh token of 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /** The lookup key of a token: SHA-256 over purpose and token. It needs no key, because a token has more than 256 random bits. */
  abstract hash(purpose: TokenPurpose, token: string): TokenHash;
}
