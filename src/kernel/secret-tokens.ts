/** The SHA-256 of a token: all that is ever stored of it. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** What a token is good for. The purpose is part of the hash, so a token of one purpose can never serve another. */
export type TokenPurpose =
  | 'secret_key'
  | 'public_token'
  | 'management_key'
  | 'oauth_state'
  | 'oauth_browser'
  | 'oauth_token'
  | 'magic_link'
  | 'session_token';

/** Secrets that must be recognised later but never given back: only their hash is kept. */
export abstract class SecretTokens {
  /** A fresh token of 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /** The lookup key of a token: SHA-256 over purpose and token. Unkeyed is enough, a token has more than 256 bits of its own. */
  abstract hash(purpose: TokenPurpose, token: string): TokenHash;
}
