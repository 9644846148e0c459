import { SigningKey } from 'ethers/crypto';
import { getBytes } from 'ethers/utils';
import { hash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Log } from '../../../../kernel/log.js';

export interface RecoverableSignature {
  /** r and s, 32 bytes each. */
  readonly compact: Uint8Array;
  /** Which of the possible public keys it is: the parity of the nonce point's y. */
  readonly recovery: number;
}

/** ECDSA over secp256k1 as Ethereum has it: deterministic nonces (RFC 6979), s in the lower half. */
export abstract class Secp256k1 {
  abstract readonly name: string;
  /** Throws when the key is not a number from 1 to the order of the curve, exclusive. */
  abstract sign(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature;
  /** The public key of the signer, 65 bytes. Throws when no key could have made the signature, or its s is in the upper half. */
  abstract recover(digest: Uint8Array, signature: RecoverableSignature): Uint8Array;
  /** 65 bytes. Throws when the key is out of range, as `sign` does. */
  abstract publicKey(privateKey: Uint8Array): Uint8Array;
}

/** Loading fails where the platform lacks a required feature. */
export interface Secp256k1Backend {
  readonly name: string;
  readonly load: () => Promise<Omit<Secp256k1, 'name'>>;
}

/** Bitcoin's C library as a Node add-on. */
const native: Secp256k1Backend = {
  name: 'native',
  async load() {
    // The package's index falls back to slow JavaScript without a word; its bindings.js is the add-on or an error.
    const addon = createRequire(import.meta.url)('secp256k1/bindings.js') as typeof import('secp256k1');
    addon.contextRandomize(randomBytes(32));
    return {
      sign: (digest, privateKey) => {
        const { signature, recid } = addon.ecdsaSign(digest, privateKey);
        return { compact: signature, recovery: recid };
      },
      recover: (digest, { compact, recovery }) => addon.ecdsaRecover(withLowS(compact), recovery, digest, false),
      publicKey: (privateKey) => addon.publicKeyCreate(privateKey, false),
    };
  },
};

/** The same C library compiled to WebAssembly. */
const webAssembly: Secp256k1Backend = {
  name: 'webassembly',
  async load() {
    // This file instead of the package's index, which also starts four unused hash functions in WebAssembly.
    const { instantiateSecp256k1 } = await import('@bitauth/libauth/build/lib/crypto/secp256k1.js');
    const library = await instantiateSecp256k1(randomBytes(32));
    return {
      sign: (digest, privateKey) => {
        const { signature, recoveryId } = unlessRefused(library.signMessageHashRecoverableCompact(privateKey, digest));
        return { compact: signature, recovery: recoveryId };
      },
      recover: (digest, { compact, recovery }) =>
        unlessRefused(library.recoverPublicKeyUncompressed(withLowS(compact), recovery as 0 | 1, digest)),
      publicKey: (privateKey) => unlessRefused(library.derivePublicKeyUncompressed(privateKey)),
    };
  },
};

/** The backend in plain JavaScript. It is the last resort also because ethers keeps the key as text, which cannot be wiped. */
const ethers: Secp256k1Backend = {
  name: 'ethers',
  async load() {
    return {
      sign: (digest, privateKey) => {
        const { r, s, yParity } = new SigningKey(privateKey).sign(digest);
        return { compact: getBytes(r + s.slice(2)), recovery: yParity };
      },
      recover: (digest, { compact, recovery }) =>
        getBytes(
          SigningKey.recoverPublicKey(digest, {
            r: hex(withLowS(compact).subarray(0, 32)),
            s: hex(compact.subarray(32)),
            yParity: recovery as 0 | 1,
          }),
        ),
      publicKey: (privateKey) => getBytes(SigningKey.computePublicKey(privateKey)),
    };
  },
};

const HIGHEST_S = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** Refuses the second form of a signature (EIP-2): libraries disagree on it, and it would be another text of the same signature. */
function withLowS(compact: Uint8Array): Uint8Array {
  if (HIGHEST_S.compare(compact, 32, 64) < 0) throw new Error('The s of the signature is in the upper half.');
  return compact;
}

/** Fastest first; all give the same bytes. */
export const SECP256K1_BACKENDS: readonly Secp256k1Backend[] = [native, webAssembly, ethers];

/** The first backend that loads and passes the self-test. Throws when none does: better no service than a wrong signature. */
export async function chooseSecp256k1(
  log: Pick<Log, 'info' | 'warn'>,
  backends: readonly Secp256k1Backend[] = SECP256K1_BACKENDS,
): Promise<Secp256k1> {
  for (const { name, load } of backends) {
    try {
      const backend = { name, ...(await load()) };
      selfTest(backend);
      log.info({ backend: name }, 'secp256k1 signatures');
      return backend;
    } catch (error) {
      log.warn({ backend: name, reason: (error as Error).message }, 'secp256k1 backend skipped');
    }
  }
  throw new Error('No secp256k1 backend passed its self-test, so nothing could be signed.');
}

/** The known results: private key, SHA-256 of a text, RFC 6979 signature with s in the lower half, recovery. */
const KNOWN_ANSWERS = [
  {
    privateKey: '0000000000000000000000000000000000000000000000000000000000000001',
    text: 'All those moments will be lost in time, like tears in rain. Time to die...',
    compact:
      '8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b' +
      '547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21',
  },
  {
    privateKey: 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
    text: 'Satoshi Nakamoto',
    compact:
      'fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0' +
      '6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5',
  },
  {
    privateKey: 'f8b8af8ce3c7cca5e300d33939540c10d45ce001b8f252bfbc57ba0342904181',
    text: 'Alan Turing',
    compact:
      '7063ae83e7f62bbb171798131b4a0564b956930092b33b07b395615d9ec7e15c' +
      '58dfcc1e00a35e1572f366ffe34ba0fc47db1e7189759b9fb233c5b05ab388ea',
  },
];

function selfTest(backend: Secp256k1): void {
  for (const known of KNOWN_ANSWERS) {
    const privateKey = Buffer.from(known.privateKey, 'hex');
    const digest = hash('sha256', known.text, 'buffer');
    const signature = backend.sign(digest, privateKey);
    if (hex(signature.compact) !== `0x${known.compact}`) throw new Error('The self-test got another signature.');
    if (hex(backend.recover(digest, signature)) !== hex(backend.publicKey(privateKey))) {
      throw new Error('The self-test recovered another public key.');
    }
  }
  for (const outOfRange of [Buffer.alloc(32), Buffer.alloc(32, 0xff)]) {
    if (!throws(() => backend.sign(Buffer.alloc(32, 1), outOfRange)) || !throws(() => backend.publicKey(outOfRange))) {
      throw new Error('The self-test got a signature from a key out of range.');
    }
  }
}

function throws(action: () => unknown): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}

/** libauth returns its refusals as text instead of throwing them. */
function unlessRefused<T extends object>(result: T | string): T {
  if (typeof result === 'string') throw new Error(result);
  return result;
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
