import { AppKeys, type KeyOwner } from './app-keys.js';
import { type AppId, isId } from './ids.js';

/** Ciphertext of the vault. Branded, so that plaintext cannot be passed in its place. */
export type Sealed = Buffer & { readonly __sealed: true };

/**
 * Where a sealed value belongs. It is bound into the seal as associated data, so that a ciphertext that is moved to another row,
 * app or column cannot be opened there. The order matters; the first part names the kind of value.
 */
export type SealContext = readonly [kind: string, ...parts: string[]];

/** A context that gained parts after values were sealed. Those values open in the former context until `Vault.rewrap` re-seals them. */
export interface ExtendedSealContext {
  readonly current: SealContext;
  readonly former: SealContext;
  /**
   * Stated by the release that extends the context: its predecessor, which may run beside it or again after a rollback, opens the
   * former context alone. The release after it removes this.
   */
  readonly seals?: 'former';
}

/** A context whose parts do not say whose key seals the value. */
export interface OwnedSealContext {
  readonly context: SealContext;
  readonly owner: KeyOwner;
}

export type SealBinding = SealContext | ExtendedSealContext | OwnedSealContext;

/** The context in which a value is sealed now. */
export function contextIn(binding: SealBinding): SealContext {
  if ('context' in binding) return binding.context;
  return 'current' in binding ? binding.current : binding;
}

/** The app that the context names, unless the binding names the owner. */
export function ownerOf(binding: SealBinding): KeyOwner {
  if ('owner' in binding) return binding.owner;
  return contextIn(binding).find((part): part is AppId => isId('app', part)) ?? 'service';
}

/**
 * Secrets that the service must return or use later: envelope encryption under the keyring or, with a key provider, under keys that only
 * the provider opens. Then `seal`, `open` and `rewrap` throw `KeyNotReady` while the owner's key is not in memory, see `AppKeys.ready`.
 */
export abstract class Vault extends AppKeys {
  /** With a sealed value of the owner, resolves when that value can be opened too, or throws why its key does not open. */
  abstract override ready(owner: KeyOwner, sealed?: Uint8Array): Promise<void>;

  abstract seal(plaintext: Uint8Array, binding: SealBinding): Sealed;

  /**
   * Returns the plaintext. Throws `SealBroken` when the seal was altered or belongs elsewhere, or when its master key is not in
   * the keyring. Each failure is counted and logged.
   */
  abstract open(sealed: Uint8Array, binding: SealBinding): Buffer;

  /**
   * Returns the same value under the current master key and the current context, or null when it already has both. The
   * value is opened only when it is sealed in a former context.
   */
  abstract rewrap(sealed: Uint8Array, binding: SealBinding): Sealed | null;
}

/** A seal does not open. This is never the client's fault: it is an alarm for the operator. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** A seal under a key provider does not open. The key is the right one, because its check value was compared, so the value was altered. */
export class SealAltered extends SealBroken {}

/** The key that sealed a value is gone. The value may be whole: it opens once the key is restored from a backup or an escrow. */
export class SealKeyGone extends SealBroken {}

/** A column with sealed values, and the context of each value as a function of its row. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Further columns that `context` reads. */
  readonly reads?: readonly string[];
  /** The column of the app whose key seals the value, if the value is not bound to it. */
  readonly owner?: string;
  readonly context: (row: Readonly<Record<string, unknown>>) => SealBinding;
  /** Whether `context` returns an `ExtendedSealContext`, so that values in the former context are looked for. */
  readonly isExtended?: boolean;
}

/** All sealed columns, so that their values can be re-wrapped under a new master key while the service runs. */
export abstract class SealedColumns {
  /** Every module with sealed values must call this when it starts. Otherwise the master key of its values is retired too early. */
  abstract register(column: SealedColumn): void;
}
