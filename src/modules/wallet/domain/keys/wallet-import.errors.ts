import { DomainError, type FieldError } from '../../../../kernel/domain-error.js';

export class InvalidWalletImport extends DomainError {
  static override readonly code = 'invalid_wallet_import';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The import is unknown, used or older than ten minutes, or the ciphertext does not open with its key. Encrypt to the key of a fresh import, without info or associated data.';
  constructor() {
    super('There is no such import, or the ciphertext was not made for it. Begin another import.');
  }
}

export class InvalidPrivateKey extends DomainError {
  static override readonly code = 'invalid_private_key';
  static override readonly kind = 'invalid';
  static override readonly help =
    'What was encrypted is not a private key of this type of wallet. Ethereum: hexadecimal text, or 32 bytes. Solana: base58 text of the 64 bytes of a key pair, or those bytes, or the 32 bytes of the seed.';
  constructor() {
    super('What was encrypted is not a private key of this type of wallet.');
  }
}

export class InvalidEncryptionKey extends DomainError {
  static override readonly code = 'invalid_encryption_key';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The key to encrypt to must be a point on the curve P-256: its 65 bytes, uncompressed, in base64.';
  override readonly fields: readonly FieldError[];
  constructor() {
    super('The encryption key is not an uncompressed point on P-256 in base64.');
    this.fields = [{ field: 'encryption_public_key', rule: 'invalid', message: this.message }];
  }
}

export class KeyInUse extends DomainError {
  static override readonly code = 'key_in_use';
  static override readonly kind = 'conflict';
  static override readonly help =
    'Another app of this service manages this key. Two apps that send from one address use the same nonces, and payments of both fail. Use the key in one app only, or move its funds to another wallet.';
  constructor() {
    super('This service manages the key already, in another app. Use another key.');
  }
}
