import { randomBytes } from 'node:crypto';
import { SealBroken } from '../../kernel/vault.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { Keyring } from './keyring.js';

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

const LABEL = 'data key wrapping v1';
const SALT_BYTES = 16;

/**
 * Wraps by the keyring: `salt (16) | AES-256-GCM under HMAC-SHA256(master key, label, salt)`. Because each wrapping has its own
 * key, the bound of 2^32 random nonces per key does not limit the number of seals under a master key.
 */
export class KeyringKeyWrapper extends KeyWrapper {
  constructor(private readonly keyring: Keyring) {
    super();
  }

  get currentKeyId(): string {
    return this.keyring.currentId;
  }

  wrap(dataKey: Uint8Array, boundTo: Uint8Array): WrappedKey {
    const keyId = this.keyring.currentId;
    const salt = randomBytes(SALT_BYTES);
    const wrappingKey = this.keyring.derive(keyId, LABEL, salt);
    try {
      return { keyId, bytes: Buffer.concat([salt, encrypt(wrappingKey, dataKey, boundTo)]) };
    } finally {
      wrappingKey.fill(0);
    }
  }

  unwrap({ keyId, bytes }: WrappedKey, boundTo: Uint8Array): Buffer {
    if (!this.keyring.has(keyId))
      throw new SealBroken(`Sealed under master key "${keyId}", which is not in the keyring.`);
    const wrappingKey = this.keyring.derive(keyId, LABEL, bytes.subarray(0, SALT_BYTES));
    try {
      return decrypt(wrappingKey, bytes.subarray(SALT_BYTES), boundTo);
    } finally {
      wrappingKey.fill(0);
    }
  }
}
