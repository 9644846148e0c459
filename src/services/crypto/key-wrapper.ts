/** A data key as it may be stored: only the wrapper that made it can tell what it was. */
export interface WrappedKey {
  /** The master key it was wrapped by. */
  readonly keyId: string;
  readonly bytes: Buffer;
}

/**
 * Wraps and unwraps data keys by a master key. It is called inside transactions and for every signature, so it must not
 * wait: an adapter for a KMS has it unlock the wrapping keys at start, one for an HSM holds its session open.
 */
export abstract class KeyWrapper {
  /** The master key that wraps now. */
  abstract readonly currentKeyId: string;

  /** Wraps a data key by the current master key. Only the same `boundTo` unwraps it. */
  abstract wrap(dataKey: Uint8Array, boundTo: Uint8Array): WrappedKey;

  /** The data key, which the caller wipes. Throws `SealBroken` when the key id is unknown or anything was altered. */
  abstract unwrap(wrapped: WrappedKey, boundTo: Uint8Array): Buffer;
}
