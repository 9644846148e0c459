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
