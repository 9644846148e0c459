/** A version byte and an HMAC-SHA-256. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** Secrets that the service must recognise later but never return. */
export abstract class SecretTokens {
  /** 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /**
   * An HMAC under a key of the service: a client that can only write to the database cannot insert a row that is found. The purpose, such
   * as `magic_link`, is part of the hash, so a token of one purpose is never accepted for another.
   */
  abstract hash(purpose: string, token: string): TokenHash;
}

/** Its hashes outlive an update of the service. */
export interface TokenHashColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  /** SQL for rows whose token may still be used. */
  readonly inUse: string;
}

const declared: TokenHashColumn[] = [];

/**
 * Hashes that releases before 1.0 made without a key. Declared when modules are loaded, because the hashes get their key before the modules
 * start. Later tables need no line here.
 */
export const TokenHashColumns = {
  declare(column: TokenHashColumn): void {
    declared.push(column);
  },

  get declared(): readonly TokenHashColumn[] {
    return declared;
  },
};
