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

/** A column with hashes of `SecretTokens` that outlive an update of the service. */
export interface TokenHashColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** A condition for the rows whose token may still be used. */
  readonly inUse: string;
}

const declared: TokenHashColumn[] = [];

/**
 * The columns whose hashes were made without a key by releases before 1.0. They are declared when modules are loaded, because the
 * hashes get their key before the modules start. A table that no such release had needs no line here.
 */
export const TokenHashColumns = {
  declare(column: TokenHashColumn): void {
    declared.push(column);
  },

  get declared(): readonly TokenHashColumn[] {
    return declared;
  },
};
