/** Ciphertext of the vault. Branded, so that plaintext cannot be passed where a seal is wanted. */
export type Sealed = Buffer & { readonly __sealed: true };

/**
 * What a sealed value belongs to: bound into the seal as associated data, so that a ciphertext moved to another row,
 * app or column cannot be opened there. Order matters; the first part names the kind of value.
 */
export type SealContext = readonly [kind: string, ...parts: string[]];

/** Secrets that must be given back or used later: envelope encryption under the keyring. */
export abstract class Vault {
  abstract seal(plaintext: Uint8Array, context: SealContext): Sealed;

  /** The plaintext. Throws `SealBroken` when the seal was tampered with, belongs elsewhere, or its master key is not in the keyring. */
  abstract open(sealed: Uint8Array, context: SealContext): Buffer;

  /** The same value with its data key wrapped by the current master key, or null when it already is. The value itself is not opened. */
  abstract rewrap(sealed: Uint8Array, context: SealContext): Sealed | null;
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
  readonly context: (row: Readonly<Record<string, unknown>>) => SealContext;
}

/** All sealed columns there are, so that their values can be re-wrapped under a new master key while the service runs. */
export abstract class SealedColumns {
  /** To be called by every module that keeps sealed values, when it starts: a master key whose values nobody names would be retired too early. */
  abstract register(column: SealedColumn): void;
}
