/** A version byte and an HMAC-SHA-256. */
export type TokenHash = Buffer & { readonly __tokenHash: true };

/** Secrets that the service must recognise later but never return. */
export abstract class SecretTokens {
  /** 48 random base62 characters (285 bits), safe in URLs, in headers and behind a key's prefix. */
  abstract mint(): string;

  /** A client that can only write to the database cannot compute it. It covers the purpose, so no token serves another purpose. */
  abstract hash(purpose: string, token: string): TokenHash;
}

/** Its hashes outlive an update of the service. */
export interface TokenHashColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  readonly inUse: string;
}

const declared: TokenHashColumn[] = [];

/** Releases before 1.0 made these hashes without a key. They get it before modules start, so declare columns while modules load. */
export const TokenHashColumns = {
  declare(column: TokenHashColumn): void {
    declared.push(column);
  },

  get declared(): readonly TokenHashColumn[] {
    return declared;
  },
};
