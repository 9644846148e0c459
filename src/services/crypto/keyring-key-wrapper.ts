import { AppKeys, type KeyOwner } from '../../kernel/app-keys.js';
import { publicRandom } from '../../kernel/random.js';
import { SealKeyGone } from '../../kernel/vault.js';
import type { Condition } from '../../postgres/conditions.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { Keyring } from './keyring.js';

export interface WrappedKey {
  readonly keyId: string;
  readonly bytes: Buffer;
  /** Must hold in each transaction that stores the data key. */
  readonly condition?: Condition;
}

/** It is called inside transactions and for every signature, so it must not wait. */
export abstract class KeyWrapper extends AppKeys {
  /** With the id of a key, it waits for that key too. */
  abstract override ready(owner: KeyOwner, keyId?: string): Promise<void>;

  abstract currentKeyId(owner: KeyOwner): string;

  abstract wrap(dataKey: Uint8Array, boundTo: Uint8Array, owner: KeyOwner): WrappedKey;

  /** The caller must wipe the data key. Throws `SealBroken` when the key id is unknown or anything was altered. */
  abstract unwrap(wrapped: WrappedKey, boundTo: Uint8Array, owner: KeyOwner): Buffer;
}

export const DATA_KEY_LABEL = 'data key wrapping v1';
const SALT_BYTES = 16;

type Derive = (salt: Uint8Array) => Buffer;

/** `salt (16) | AES-256-GCM under HMAC-SHA256(key, label, salt)`: each wrapping has its own key, so 2^32 nonces per key are no limit. */
export function wrapBy(derive: Derive, dataKey: Uint8Array, boundTo: Uint8Array): Buffer {
  const salt = publicRandom(SALT_BYTES);
  const wrappingKey = derive(salt);
  try {
    return Buffer.concat([salt, encrypt(wrappingKey, dataKey, boundTo)]);
  } finally {
    wrappingKey.fill(0);
  }
}

export function unwrapBy(derive: Derive, bytes: Buffer, boundTo: Uint8Array): Buffer {
  const wrappingKey = derive(bytes.subarray(0, SALT_BYTES));
  try {
    return decrypt(wrappingKey, bytes.subarray(SALT_BYTES), boundTo);
  } finally {
    wrappingKey.fill(0);
  }
}

export class KeyringKeyWrapper extends KeyWrapper {
  constructor(private readonly keyring: Keyring) {
    super();
  }

  async ready(): Promise<void> {}

  currentKeyId(): string {
    return this.keyring.currentId;
  }

  wrap(dataKey: Uint8Array, boundTo: Uint8Array): WrappedKey {
    const keyId = this.keyring.currentId;
    return { keyId, bytes: wrapBy((salt) => this.keyring.derive(keyId, DATA_KEY_LABEL, salt), dataKey, boundTo) };
  }

  unwrap({ keyId, bytes }: WrappedKey, boundTo: Uint8Array): Buffer {
    if (!this.keyring.has(keyId))
      throw new SealKeyGone(`Sealed under master key "${keyId}", which is not in the keyring.`);
    return unwrapBy((salt) => this.keyring.derive(keyId, DATA_KEY_LABEL, salt), bytes, boundTo);
  }
}
