import { randomBytes } from 'node:crypto';
import type { KeyOwner } from '../../kernel/app-keys.js';
import {
  contextIn,
  type ExtendedSealContext,
  ownerOf,
  SealAltered,
  SealBroken,
  SealKeyGone,
  Vault,
  type SealBinding,
  type SealContext,
  type Sealed,
} from '../../kernel/vault.js';
import { storedOnlyIf } from '../../postgres/conditions.js';
import { decrypt, encrypt } from './aes-gcm.js';
import { KeyWrapper, type WrappedKey } from './keyring-key-wrapper.js';

/** Bound to the context; for an extended context, to the former. */
const FIRST_VERSION = 1;
/** Bound to the current context of an extended context. */
const EXTENDED_VERSION = 2;
const DATA_KEY_BYTES = 32;

export type SealAlarm = (context: SealContext, fault: SealBroken) => void;

/**
 * Envelope encryption. Every value has its own data key, wrapped by the current master key or by the provider's key of its app:
 *
 *     version (1) = 1 or 2
 *     length of the key's id (1) | id, ASCII                     a master key, or `provider:generation.check`
 *     length of the wrapped data key (2, big-endian) | wrapped data key
 *     nonce (12) | ciphertext | tag (16)                         AES-256-GCM under the data key
 *
 * Both encryptions are bound to version and context, so no part opens elsewhere.
 */
export class EnvelopeVault extends Vault {
  constructor(
    private readonly wrapper: KeyWrapper,
    private readonly alarm: SealAlarm = () => undefined,
    /** With a key provider, keys are compared with their check values. */
    private readonly reportsAltered = false,
  ) {
    super();
  }

  ready(owner: KeyOwner, sealed?: Uint8Array): Promise<void> {
    return this.wrapper.ready(owner, sealed && keyIdIn(sealed));
  }

  seal(plaintext: Uint8Array, binding: SealBinding): Sealed {
    const version = versionOf(binding);
    const boundTo = encodeContext(version, contextOf(binding, version));
    const dataKey = randomBytes(DATA_KEY_BYTES);
    try {
      return write(
        version,
        this.wrapper.wrap(dataKey, boundTo, ownerOf(binding)),
        encrypt(dataKey, plaintext, boundTo),
      );
    } finally {
      dataKey.fill(0);
    }
  }

  open(sealed: Uint8Array, binding: SealBinding): Buffer {
    return this.alarmed(binding, () => this.decrypted(sealed, binding));
  }

  rewrap(sealed: Uint8Array, binding: SealBinding): Sealed | null {
    return this.alarmed(binding, () => {
      const { version, wrapped, body } = read(sealed);
      if (version < versionOf(binding)) return this.reseal(sealed, binding);
      const owner = ownerOf(binding);
      if (wrapped.keyId === this.wrapper.currentKeyId(owner)) return null;
      const boundTo = encodeContext(version, contextOf(binding, version));
      const dataKey = this.wrapper.unwrap(wrapped, boundTo, owner);
      try {
        return write(version, this.wrapper.wrap(dataKey, boundTo, owner), body);
      } finally {
        dataKey.fill(0);
      }
    });
  }

  private decrypted(sealed: Uint8Array, binding: SealBinding): Buffer {
    const { version, wrapped, body } = read(sealed);
    const boundTo = encodeContext(version, contextOf(binding, version));
    const dataKey = this.wrapper.unwrap(wrapped, boundTo, ownerOf(binding));
    try {
      return decrypt(dataKey, body, boundTo);
    } finally {
      dataKey.fill(0);
    }
  }

  private reseal(sealed: Uint8Array, binding: SealBinding): Sealed {
    const plaintext = this.decrypted(sealed, binding);
    try {
      return this.seal(plaintext, binding);
    } finally {
      plaintext.fill(0);
    }
  }

  private alarmed<T>(binding: SealBinding, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      this.alarm(contextIn(binding), error);
      throw this.reportsAltered && !(error instanceof SealKeyGone)
        ? new SealAltered(error.message, { cause: error })
        : error;
    }
  }
}

function isExtended(binding: SealBinding): binding is ExtendedSealContext {
  return 'former' in binding;
}

function versionOf(binding: SealBinding): number {
  return isExtended(binding) && binding.seals !== 'former' ? EXTENDED_VERSION : FIRST_VERSION;
}

function contextOf(binding: SealBinding, version: number): SealContext {
  if (isExtended(binding)) return version === EXTENDED_VERSION ? binding.current : binding.former;
  if (version !== FIRST_VERSION) throw new SealBroken('The seal has a version that its kind of value does not have.');
  return contextIn(binding);
}

function write(version: number, { keyId, bytes, condition }: WrappedKey, body: Uint8Array): Sealed {
  const id = Buffer.from(keyId, 'ascii');
  const sealed = Buffer.concat([Buffer.from([version, id.length]), id, Buffer.alloc(2), bytes, body]);
  sealed.writeUInt16BE(bytes.length, 2 + id.length);
  return (condition ? storedOnlyIf(sealed, condition) : sealed) as Sealed;
}

function read(sealed: Uint8Array): { version: number; wrapped: WrappedKey; body: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const version = bytes[0];
  if (version !== FIRST_VERSION && version !== EXTENDED_VERSION)
    throw new SealBroken('The seal has an unknown version.');
  const idEnd = 2 + (bytes[1] ?? 0);
  if (bytes.length < idEnd + 2) throw new SealBroken('The seal is too short.');
  const keyEnd = idEnd + 2 + bytes.readUInt16BE(idEnd);
  const keyId = bytes.toString('latin1', 2, idEnd);
  // Altered bytes must not reach a log line.
  if (!/^[\w.:-]+$/.test(keyId)) throw new SealBroken('The seal names no master key.');
  return { version, wrapped: { keyId, bytes: bytes.subarray(idEnd + 2, keyEnd) }, body: bytes.subarray(keyEnd) };
}

function keyIdIn(sealed: Uint8Array): string | undefined {
  try {
    return read(sealed).wrapped.keyId;
  } catch {
    return undefined;
  }
}

/** Parts have their lengths before them, so no two contexts have the same encoding. */
function encodeContext(version: number, context: SealContext): Buffer {
  const parts = [Buffer.from([version, context.length])];
  for (const part of context) {
    const text = Buffer.from(part, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    parts.push(length, text);
  }
  return Buffer.concat(parts);
}
