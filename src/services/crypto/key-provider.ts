import type { KeyOwner } from '../../kernel/app-keys.js';

export const PROVIDERS = ['vault', 'aws-kms'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The owner and generation of a wrapped key. The provider opens the key only for the same ones. */
export interface KeyPlace {
  readonly owner: KeyOwner;
  readonly generation: number;
}

/**
 * Encrypts the wrapping keys of apps by a key that never leaves the operator's module. An adapter throws `ProviderFailed` for each failure
 * of the provider, and `SealBroken` only if the provider works and says that the wrapped key was altered or belongs elsewhere.
 */
export interface KeyProvider {
  readonly name: ProviderName;
  wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Buffer>;
  /** Returns the key, which the caller must wipe. */
  unwrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer>;
  /** Returns the same key under the newest version of the provider's key. */
  rewrap(wrapped: Buffer, place: KeyPlace, signal: AbortSignal): Promise<Buffer>;
  /** Resolves when the provider is reachable and lets this service use its key. */
  health(signal: AbortSignal): Promise<void>;
  close(): void;
}

export type ProviderFault = 'unreachable' | 'timeout' | 'throttled' | 'denied' | 'failed';

/** The provider did not do its work. It says nothing about the wrapped key. The message contains no key and no credential. */
export class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
  constructor(
    readonly fault: ProviderFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
