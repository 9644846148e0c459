import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { SecretTokens, type TokenHash } from '../../kernel/secret-tokens.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 48;
/** The largest multiple of 62 in a byte. Bytes from here on are dropped, because they would favour the first characters. */
const UNBIASED = 248;

/** Secret tokens from the system's random source. */
@Injectable()
export class RandomSecretTokens extends SecretTokens {
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
    return hash('sha256', `${purpose}\0${token}`, 'buffer') as TokenHash;
  }
}
