import { createCipheriv, createDecipheriv } from 'node:crypto';
import { publicRandom } from '../../kernel/random.js';
import { SealBroken } from '../../kernel/vault.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Node accepts tags truncated to four bytes by default, which can be guessed. */
const TAG_BYTES = 16;

/** Memory outside the heap: the garbage collector moves buffers of up to 64 bytes with the heap and leaves a copy behind. */
export function secretBuffer(bytes: number): Buffer {
  return Buffer.from(new ArrayBuffer(bytes));
}

/** `nonce (12) | ciphertext | tag (16)`, bound to `associated`. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, associated: Uint8Array): Buffer {
  const nonce = publicRandom(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

export function decrypt(key: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Buffer {
  const body = sealed.length - NONCE_BYTES - TAG_BYTES;
  if (body < 0) throw new SealBroken('The seal is too short.');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES + body));
  // One update without concat leaves no second copy of the plaintext in memory. In GCM, final() only checks the tag.
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, NONCE_BYTES + body));
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    throw new SealBroken('The seal was altered, or belongs elsewhere.');
  }
}
