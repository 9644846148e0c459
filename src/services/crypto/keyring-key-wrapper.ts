import { randomBytes } from 'node:crypto';
import { SealBroken } from '../../kernel/vault.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { KeyWrapper, type WrappedKey } from './key-wrapper.js';
import { Keyring } from './keyring.js';

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
