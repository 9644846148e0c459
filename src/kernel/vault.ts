import { AppKeys, type KeyOwner } from './app-keys.js';
import { type AppId, isId } from './ids.js';

/** Branded, so that plaintext cannot be passed in its place. */
export type Sealed = Buffer & { readonly __sealed: true };

/** It is bound into the seal as associated data, so a ciphertext that is moved to another row, app or column cannot be opened there. */
export type SealContext = readonly [kind: string, ...parts: string[]];

/** A context that gained parts. Earlier values open in the former context until `Vault.rewrap` re-seals them. */
export interface ExtendedSealContext {
  readonly current: SealContext;
  readonly former: SealContext;
  /** The release that extends the context sets this: its predecessor, which may run beside it, opens the former context alone. */
  readonly seals?: 'former';
}

/** Its parts do not say whose key seals the value. */
export interface OwnedSealContext {
  readonly context: SealContext;
  readonly owner: KeyOwner;
}

export type SealBinding = SealContext | ExtendedSealContext | OwnedSealContext;

export function contextIn(binding: SealBinding): SealContext {
  if ('context' in binding) return binding.context;
  return 'current' in binding ? binding.current : binding;
}

export function ownerOf(binding: SealBinding): KeyOwner {
  if ('owner' in binding) return binding.owner;
  return contextIn(binding).find((part): part is AppId => isId('app', part)) ?? 'service';
}

/** With a key provider, `seal`, `open` and `rewrap` throw `KeyNotReady` while the owner's key is not in memory, see `AppKeys.ready`. */
export abstract class Vault extends AppKeys {
  /** Resolves when the sealed value can be opened too, or throws why its key does not open. */
  abstract override ready(owner: KeyOwner, sealed?: Uint8Array): Promise<void>;

  abstract seal(plaintext: Uint8Array, binding: SealBinding): Sealed;

  /** Throws `SealBroken` for an altered or moved seal, or a missing master key. Each failure is counted and logged. */
  abstract open(sealed: Uint8Array, binding: SealBinding): Buffer;

  /** Null when the value has the current key and context. It is opened only when it is sealed in a former context. */
  abstract rewrap(sealed: Uint8Array, binding: SealBinding): Sealed | null;
}

/** This is never the client's fault: it is an alarm for the operator. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

/** The check value of the key was compared, so the value was altered. */
export class SealAltered extends SealBroken {}

/** The value may be whole: it opens once the key is restored from a backup or an escrow. */
export class SealKeyGone extends SealBroken {}

export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly key: readonly string[];
  readonly reads?: readonly string[];
  /** The app whose key seals the value, if the value is not bound to it. */
  readonly owner?: string;
  readonly context: (row: Readonly<Record<string, unknown>>) => SealBinding;
  /** `context` returns an `ExtendedSealContext`, so values in the former context are looked for. */
  readonly isExtended?: boolean;
}

/** Values are re-wrapped under a new master key while the service runs. */
export abstract class SealedColumns {
  /** Every module with sealed values must call this when it starts: otherwise their master key is retired too early. */
  abstract register(column: SealedColumn): void;
}
