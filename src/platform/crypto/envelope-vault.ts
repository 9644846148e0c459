import { Injectable } from '@nestjs/common';
import { randomBytes } from '../../kernel/random.js';
import { SealBroken, Vault, type SealContext, type Sealed } from '../../kernel/vault.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { KeyWrapper, type WrappedKey } from './key-wrapper.js';

const VERSION = 1;
const DATA_KEY_BYTES = 32;

/**
 * Envelope encryption. Every value has a data key of its own, wrapped by the current master key:
 *
 *     version (1) = 1
 *     length of the master key's id (1) | id, ASCII
 *     length of the wrapped data key (2, big-endian) | wrapped data key
 *     nonce (12) | ciphertext | tag (16)                         AES-256-GCM under the data key
 *
 * Both encryptions are bound to version and context, so no part opens in another place. In SQL the master key's id is
 * `convert_from(substring(sealed from 3 for get_byte(sealed, 1)), 'UTF8')`.
 */
@Injectable()
export class EnvelopeVault extends Vault {
  constructor(private readonly wrapper: KeyWrapper) {
    super();
  }

  seal(plaintext: Uint8Array, context: SealContext): Sealed {
    const boundTo = encodeContext(context);
    const dataKey = randomBytes(DATA_KEY_BYTES);
    try {
      return write(this.wrapper.wrap(dataKey, boundTo), encrypt(dataKey, plaintext, boundTo));
    } finally {
      dataKey.fill(0);
    }
  }

  open(sealed: Uint8Array, context: SealContext): Buffer {
    const boundTo = encodeContext(context);
    const { wrapped, body } = read(sealed);
    const dataKey = this.wrapper.unwrap(wrapped, boundTo);
    try {
      return decrypt(dataKey, body, boundTo);
    } finally {
      dataKey.fill(0);
    }
  }

  rewrap(sealed: Uint8Array, context: SealContext): Sealed | null {
    const { wrapped, body } = read(sealed);
    if (wrapped.keyId === this.wrapper.currentKeyId) return null;
    const boundTo = encodeContext(context);
    const dataKey = this.wrapper.unwrap(wrapped, boundTo);
    try {
      return write(this.wrapper.wrap(dataKey, boundTo), body);
    } finally {
      dataKey.fill(0);
    }
  }
}

function write({ keyId, bytes }: WrappedKey, body: Uint8Array): Sealed {
  const id = Buffer.from(keyId, 'ascii');
  const sealed = Buffer.concat([Buffer.from([VERSION, id.length]), id, Buffer.alloc(2), bytes, body]);
  sealed.writeUInt16BE(bytes.length, 2 + id.length);
  return sealed as Sealed;
}

function read(sealed: Uint8Array): { wrapped: WrappedKey; body: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes[0] !== VERSION) throw new SealBroken('The seal has an unknown version.');
  const idEnd = 2 + (bytes[1] ?? 0);
  if (bytes.length < idEnd + 2) throw new SealBroken('The seal is too short.');
  const keyEnd = idEnd + 2 + bytes.readUInt16BE(idEnd);
  const keyId = bytes.toString('latin1', 2, idEnd);
  // Altered bytes must not reach a log line as they are.
  if (!/^[\w.-]+$/.test(keyId)) throw new SealBroken('The seal names no master key.');
  return { wrapped: { keyId, bytes: bytes.subarray(idEnd + 2, keyEnd) }, body: bytes.subarray(keyEnd) };
}

/** Version, number of parts, each part with its length in front: no two contexts have the same encoding. */
function encodeContext(context: SealContext): Buffer {
  const parts = [Buffer.from([VERSION, context.length])];
  for (const part of context) {
    const text = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    parts.push(length, text);
  }
  return Buffer.concat(parts);
}
