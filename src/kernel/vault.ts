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
