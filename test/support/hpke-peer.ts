import { createCipheriv, createDecipheriv, createECDH, createHmac, type ECDH } from 'node:crypto';

// HPKE (RFC 9180) in base mode over P-256, HKDF-SHA256 and AES-GCM, on Node's primitives: the peer of an import or
// export. It shares no code with the library that the service uses.

const KEM = 0x0010;
const KDF = 0x0001;
/** The algorithms by key length. */
const AEADS = { 16: 0x0001, 32: 0x0002 } as const;

export interface Sealed {
  readonly enc: Buffer;
  readonly ct: Buffer;
}

export interface Choices {
  readonly keyLength?: 16 | 32;
  readonly info?: Buffer;
  readonly aad?: Buffer;
}

const NONE = Buffer.alloc(0);

export function keyPair(privateKey?: Buffer): ECDH {
  const pair = createECDH('prime256v1');
  if (privateKey) pair.setPrivateKey(privateKey);
  else pair.generateKeys();
  return pair;
}

export function seal(
  to: Buffer,
  plaintext: Buffer,
  { keyLength = 32, info = NONE, aad = NONE }: Choices = {},
  ephemeral = keyPair(),
): Sealed {
  const enc = ephemeral.getPublicKey();
  const { key, nonce } = schedule(sharedSecret(ephemeral.computeSecret(to), enc, to), keyLength, info);
  const cipher = createCipheriv(`aes-${keyLength === 32 ? 256 : 128}-gcm`, key, nonce);
  cipher.setAAD(aad);
  return { enc, ct: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]) };
}

export function open(by: ECDH, { enc, ct }: Sealed, { keyLength = 32, info = NONE, aad = NONE }: Choices = {}): Buffer {
  const { key, nonce } = schedule(sharedSecret(by.computeSecret(enc), enc, by.getPublicKey()), keyLength, info);
  const decipher = createDecipheriv(`aes-${keyLength === 32 ? 256 : 128}-gcm`, key, nonce);
  decipher.setAAD(aad);
  decipher.setAuthTag(ct.subarray(-16));
  return Buffer.concat([decipher.update(ct.subarray(0, -16)), decipher.final()]);
}

function sharedSecret(dh: Buffer, enc: Buffer, to: Buffer): Buffer {
  const suite = Buffer.concat([Buffer.from('KEM'), int16(KEM)]);
  return expand(suite, extract(suite, NONE, 'eae_prk', dh), 'shared_secret', Buffer.concat([enc, to]), 32);
}

function schedule(secret: Buffer, keyLength: 16 | 32, info: Buffer): { key: Buffer; nonce: Buffer } {
  const suite = Buffer.concat([Buffer.from('HPKE'), int16(KEM), int16(KDF), int16(AEADS[keyLength])]);
  const hashes = [extract(suite, NONE, 'psk_id_hash', NONE), extract(suite, NONE, 'info_hash', info)];
  const context = Buffer.concat([Buffer.from([0]), ...hashes]);
  const prk = extract(suite, secret, 'secret', NONE);
  return {
    key: expand(suite, prk, 'key', context, keyLength),
    nonce: expand(suite, prk, 'base_nonce', context, 12),
  };
}

function extract(suite: Buffer, salt: Buffer, label: string, ikm: Buffer): Buffer {
  const labelled = Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), ikm]);
  return createHmac('sha256', salt.length === 0 ? Buffer.alloc(32) : salt)
    .update(labelled)
    .digest();
}

/** All outputs fit into one block of SHA-256. */
function expand(suite: Buffer, prk: Buffer, label: string, info: Buffer, length: number): Buffer {
  const labelled = Buffer.concat([int16(length), Buffer.from('HPKE-v1'), suite, Buffer.from(label), info]);
  return createHmac('sha256', prk)
    .update(Buffer.concat([labelled, Buffer.from([1])]))
    .digest()
    .subarray(0, length);
}

function int16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
