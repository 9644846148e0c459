/** Ciphertext of the vault. Branded, so that plaintext cannot be passed where a seal is wanted. */
export type Sealed = Buffer & { readonly __sealed: true };

/**
 * What a sealed value belongs to: bound into the seal as associated data, so that a ciphertext moved to another row,
 * app or column cannot be opened there. Order matters; the first part names the kind of value.
 */
export type SealContext = readonly [kind: string, ...parts: string[]];

/** A context that gained parts after values were sealed: those open in the former context until `Vault.rewrap` re-seals them. */
export interface ExtendedSealContext {
  readonly current: SealContext;
  readonly former: SealContext;
}

export type SealBinding = SealContext | ExtendedSealContext;

/** Secrets that must be given back or used later: envelope encryption under the keyring. */
export abstract class Vault {
  abstract seal(plaintext: Uint8Array, binding: SealBinding): Sealed;

  /**
   * Returns the plaintext. Throws `SealBroken` when the seal was altered, belongs elsewhere, or its master key is not in
   * the keyring; each failure is counted and logged.
   */
  abstract open(sealed: Uint8Array, binding: SealBinding): Buffer;

  /**
   * Returns the same value under the current master key and the current context, or null when it already is. The value is
   * opened only when it is sealed in a former context.
   */
  abstract rewrap(sealed: Uint8Array, binding: SealBinding): Sealed | null;
}

/** A seal that does not open. Never a client's fault: an alarm for the operator. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** A column that holds sealed values, and how to tell from its row what each is bound to. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Whatever else of the row the context is made of. */
  readonly reads?: readonly string[];
  readonly context: (row: Readonly<Record<string, unknown>>) => SealBinding;
  /** Whether `context` returns an `ExtendedSealContext`, so that values in the former one are looked for. */
  readonly isExtended?: boolean;
}

/** All sealed columns there are, so that their values can be re-wrapped under a new master key while the service runs. */
export abstract class SealedColumns {
  /** To be called by every module that keeps sealed values, when it starts: a master key whose values nobody names would be retired too early. */
  abstract register(column: SealedColumn): void;
}
