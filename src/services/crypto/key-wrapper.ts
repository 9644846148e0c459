/** A data key in the form in which it may be stored. Only the wrapper that made it can unwrap it. */
export interface WrappedKey {
  /** The master key that wrapped it. */
  readonly keyId: string;
  readonly bytes: Buffer;
}

/**
 * Wraps and unwraps data keys by a master key. It is called inside transactions and for every signature, so it must not
 * wait: an adapter for a KMS unlocks the wrapping keys at start, and an adapter for an HSM keeps its session open.
 */
export abstract class KeyWrapper {
  /** The master key that wraps now. */
  abstract readonly currentKeyId: string;

  /** Wraps a data key by the current master key. Only the same `boundTo` unwraps it. */
  abstract wrap(dataKey: Uint8Array, boundTo: Uint8Array): WrappedKey;

  /** Returns the data key, which the caller must wipe. Throws `SealBroken` when the key id is unknown or anything was altered. */
  abstract unwrap(wrapped: WrappedKey, boundTo: Uint8Array): Buffer;
}
