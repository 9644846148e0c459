import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from '@hpke/core';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { combine, split } from 'shamir-secret-sharing';

export interface Recipient {
  readonly name: string;
  /** X25519, base64 of 32 bytes. */
  readonly public_key: string;
}

export interface SealedShare extends Recipient {
  readonly enc: string;
  readonly share: string;
}

const SUITE = new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
const INFO = Buffer.from('share of a key escrow v1');
const KEY_BYTES = 32;

/** Splits the key by Shamir's scheme, and seals one share to each recipient by HPKE (RFC 9180, base mode). */
export async function shareKey(
  key: Buffer,
  threshold: number,
  recipients: readonly Recipient[],
): Promise<SealedShare[]> {
  const shares = await split(plain(key), recipients.length, threshold);
  try {
    return await Promise.all(recipients.map((recipient, index) => seal(shares[index]!, recipient)));
  } finally {
    for (const share of shares) share.fill(0);
  }
}

export async function openKey(
  threshold: number,
  shares: readonly SealedShare[],
  privateKeys: readonly KeyObject[],
): Promise<Buffer> {
  const held = new Map<SealedShare, KeyObject>();
  for (const privateKey of privateKeys) {
    const own = publicKeyOf(privateKey).toString('base64');
    const share = shares.find(({ public_key }) => public_key === own);
    if (!share) throw new EscrowRefused('A private key belongs to none of the recipients of the file.');
    held.set(share, privateKey);
  }
  if (held.size < threshold)
    throw new EscrowRefused(`The file opens with ${threshold} of ${shares.length} private keys. Given: ${held.size}.`);
  const opened = await Promise.all([...held].map(([share, privateKey]) => open(share, privateKey)));
  try {
    return Buffer.from(await combine(opened));
  } finally {
    for (const share of opened) share.fill(0);
  }
}

export function privateKeyIn(pem: Buffer): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // The message of the error may contain parts of the key.
  }
  if (key?.asymmetricKeyType !== 'x25519') throw new EscrowRefused('--key must be a file with an X25519 key in PEM.');
  return key;
}

/** HPKE refuses the points of small order. */
export async function isPublicKey(text: unknown): Promise<boolean> {
  if (typeof text !== 'string' || Buffer.from(text, 'base64').toString('base64') !== text) return false;
  try {
    await seal(new Uint8Array(KEY_BYTES), { name: '', public_key: text });
    return true;
  } catch {
    return false;
  }
}

async function seal(share: Uint8Array, { name, public_key }: Recipient): Promise<SealedShare> {
  const recipientPublicKey = await SUITE.kem.deserializePublicKey(exact(Buffer.from(public_key, 'base64')));
  const { enc, ct } = await SUITE.seal({ recipientPublicKey, info: exact(INFO) }, exact(share));
  return {
    name,
    public_key,
    enc: Buffer.from(enc).toString('base64'),
    share: Buffer.from(ct).toString('base64'),
  };
}

async function open({ name, enc, share }: SealedShare, privateKey: KeyObject): Promise<Uint8Array> {
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  try {
    const recipientKey = await SUITE.kem.deserializePrivateKey(exact(der.subarray(-KEY_BYTES)));
    const sealed = { recipientKey, enc: exact(Buffer.from(enc, 'base64')), info: exact(INFO) };
    return new Uint8Array(await SUITE.open(sealed, exact(Buffer.from(share, 'base64'))));
  } catch {
    throw new EscrowRefused(`The share of ${name} does not open.`);
  } finally {
    der.fill(0);
  }
}

function publicKeyOf(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

/** The library takes no subclass. The view has the same memory. */
function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The library reads the whole buffer behind a view. */
function exact(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

export class EscrowRefused extends Error {
  override readonly name = 'EscrowRefused';
}
