import { Injectable } from '@nestjs/common';
import { createHmac, hash, randomBytes } from 'node:crypto';
import { SecretTokens, type TokenHash } from '../../kernel/secret-tokens.js';
import { ServiceKeys } from '../../kernel/service-keys.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 48;
/** The largest multiple of 62 in a byte. Greater bytes are dropped: they would favour the first characters. */
const UNBIASED = 248;

const KEYED_VERSION = 1;
export const KEYED_HASH_BYTES = 33;
/** Releases before 1.0 stored SHA-256 alone. */
export const UNKEYED_HASH_BYTES = 32;

@Injectable()
export class RandomSecretTokens extends SecretTokens {
  constructor(private readonly keys: ServiceKeys) {
    super();
  }

  mint(): string {
    let token = '';
    while (token.length < LENGTH) {
      for (const byte of randomBytes(LENGTH + 8)) {
        if (byte < UNBIASED && token.length < LENGTH) token += ALPHABET[byte % 62];
      }
    }
    return token;
  }

  hash(purpose: string, token: string): TokenHash {
    // No purpose contains a NUL, so no two pairs of purpose and token give the same text.
    return this.keyed(hash('sha256', `${purpose}\0${token}`, 'buffer'));
  }

  /** The HMAC is over the SHA-256 instead of the token, so that hashes of releases before 1.0 get their key without the token. */
  keyed(unkeyedHash: Uint8Array): TokenHash {
    const keyed = Buffer.allocUnsafe(KEYED_HASH_BYTES);
    keyed[0] = KEYED_VERSION;
    createHmac('sha256', this.keys.derive('token hash')).update(unkeyedHash).digest().copy(keyed, 1);
    return keyed as TokenHash;
  }
}
