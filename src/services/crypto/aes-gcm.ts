import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SealBroken } from '../../kernel/vault.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Stated everywhere: left to itself Node accepts tags cut down to four bytes, which can be guessed. */
const TAG_BYTES = 16;

/** `nonce (12) | ciphertext | tag (16)`, bound to `associated`. */
export function encrypt(key: Uint8Array, plaintext: Uint8Array, associated: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** What `encrypt` was given. Throws `SealBroken` when a bit of it, of the key or of `associated` differs. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Buffer {
  const body = sealed.length - NONCE_BYTES - TAG_BYTES;
  if (body < 0) throw new SealBroken('The seal is too short.');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associated);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES + body));
  // One update and no concat, so that no second copy of the plaintext stays behind: in GCM, final() only checks the tag.
  const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, NONCE_BYTES + body));
  try {
    decipher.final();
    return plaintext;
  } catch {
    plaintext.fill(0);
    throw new SealBroken('The seal was altered, or belongs elsewhere.');
  }
}
