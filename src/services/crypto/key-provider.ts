import type { KeyOwner } from '../../kernel/app-keys.js';
import type { ProviderName } from '../config/key-providers.js';

/** The provider opens the key only for the same owner and generation. */
export interface KeyPlace {
  readonly owner: KeyOwner;
  readonly generation: number;
}

export interface Wrapped {
  readonly wrappedKey: Buffer;
  /** The provider's name of the key that wrapped, which may differ from the one in the settings. */
  readonly keyRef: string;
}

/** An adapter throws `SealBroken` only for a malformed key, or one that the working provider calls altered; else `ProviderFailed`. */
export interface KeyProvider {
  readonly name: ProviderName;
  wrap(key: Uint8Array, place: KeyPlace, signal: AbortSignal): Promise<Wrapped>;
  /** The caller must wipe the key. */
  unwrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Buffer>;
  /** Returns the same key under the newest version of the configured key of the provider. */
  rewrap(wrapped: Wrapped, place: KeyPlace, signal: AbortSignal): Promise<Wrapped>;
  health(signal: AbortSignal): Promise<void>;
  close(): void;
}

export const PROVIDER_FAULTS = ['unreachable', 'timeout', 'throttled', 'denied', 'failed'] as const;
export type ProviderFault = (typeof PROVIDER_FAULTS)[number];

/** The failure says nothing about the wrapped key. The message contains no key and no credential. */
export class ProviderFailed extends Error {
  override readonly name: string = 'ProviderFailed';
  constructor(
    readonly fault: ProviderFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The working provider refuses one key: it may open those of other apps, so the circuit breaker does not count it. */
export class KeyRefused extends ProviderFailed {
  override readonly name = 'KeyRefused';
}

export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
