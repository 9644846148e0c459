import { DomainError, type FieldError } from '../../../kernel/domain-error.js';

export class WalletNotFound extends DomainError {
  static override readonly code = 'wallet_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'No wallet of this app has that id.';
  constructor() {
    super('There is no such wallet.');
  }
}

export class WalletReadOnly extends DomainError {
  static override readonly code = 'wallet_read_only';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The service does not hold the key of this wallet, so it cannot sign with it. Its owner signs elsewhere.';
  constructor() {
    super('The wallet is read-only: its key is not held here.');
  }
}

export class WalletNotOwnedByUser extends DomainError {
  static override readonly code = 'wallet_not_owned_by_user';
  static override readonly kind = 'forbidden';
  static override readonly help = 'The wallet belongs to another user than the one named in the request.';
  constructor() {
    super('The wallet belongs to another user.');
  }
}

export class WalletHasOpenTransfers extends DomainError {
  static override readonly code = 'wallet_has_open_transfers';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The service is sending transfers from this wallet and hands out its nonces: a transaction made elsewhere could jam them. Try again when they have ended.';
  constructor() {
    super('Transfers from this wallet are under way on this chain.');
  }
}

export class UnsupportedWalletType extends DomainError {
  static override readonly code = 'unsupported_wallet_type';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The wallet type is unknown, or wallets of this type cannot do what was asked. Typed data and transactions are signed by ethereum wallets.';
}

export class InvalidMessage extends DomainError {
  static override readonly code = 'invalid_message';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The message cannot be signed by this type of wallet. It must be well-formed text; a solana wallet signs 1 to 65,515 bytes of it.';
  override readonly fields: readonly FieldError[];
  constructor(message: string) {
    super(message);
    this.fields = [{ field: 'message', code: 'invalid', message }];
  }
}

export class InvalidTypedData extends DomainError {
  static override readonly code = 'invalid_typed_data';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The typed data is not as EIP-712 has it: domain, types, primaryType, and a message with every field of its types.';
  override readonly fields: readonly FieldError[];
  constructor(field: string, message: string) {
    super(`${field} ${message}`);
    this.fields = [{ field: `typed_data.${field}`, code: 'invalid', message: this.message }];
  }
}

export class InvalidTransaction extends DomainError {
  static override readonly code = 'invalid_transaction';
  static override readonly kind = 'invalid';
  static override readonly help =
    'eth_transaction needs nonce, gas, maxFeePerGas, maxPriorityFeePerGas and chainId, and to or data. Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers.';
  constructor(override readonly fields: readonly FieldError[]) {
    super(`The transaction cannot be signed: ${fields.map(({ message }) => message).join(' ')}`);
  }
}

export class WalletIsManaged extends DomainError {
  static override readonly code = 'wallet_is_managed';
  static override readonly kind = 'conflict';
  static override readonly help =
    'Only read-only wallets can be deleted. The service holds the key of this one, and with it whatever the address owns.';
  constructor() {
    super('The wallet is not read-only, so it cannot be deleted.');
  }
}

export class DuplicateWallet extends DomainError {
  static override readonly code = 'duplicate_wallet';
  static override readonly kind = 'conflict';
  static override readonly help =
    'An address logs in one user of an app, and one wallet of an app signs for it. This one is taken.';
  constructor() {
    super('The app has a wallet of this address already.');
  }
}

export class InvalidPublicAddress extends DomainError {
  static override readonly code = 'invalid_public_address';
  static override readonly kind = 'invalid';
  static override readonly help =
    'Ethereum: 0x and 40 digits, checksummed (EIP-55) or all in lower case. Solana: base58 of the 32 bytes of a public key.';
  override readonly fields: readonly FieldError[];
  constructor(walletType = 'known') {
    super(`The text is not an address of a ${walletType} wallet.`);
    this.fields = [{ field: 'public_address', code: 'invalid', message: this.message }];
  }
}

export class InvalidWalletSignature extends DomainError {
  static override readonly code = 'invalid_wallet_signature';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The signature is not one by this address on a challenge or nonce of it that is open: begun with this app less than ten minutes ago, and not answered yet. Begin again.';
  constructor() {
    super('The signature does not answer an open challenge of this address.');
  }
}

export class InvalidSiweChallenge extends DomainError {
  static override readonly code = 'invalid_siwe_challenge';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The text must be written as EIP-4361 (or Sign-In With Solana) has it, for the host of an allowed origin of the app, the right chain, and this moment.';
  override readonly fields: readonly FieldError[];
  constructor(fault: string) {
    super(`The sign-in text ${fault}`);
    this.fields = [{ field: 'siwe_challenge', code: 'invalid', message: this.message }];
  }
}

export class EthereumNodeUnavailable extends DomainError {
  static override readonly code = 'ethereum_node_unavailable';
  static override readonly kind = 'unavailable';
  static override readonly help =
    'The signature may be one of a contract, and the Ethereum node that could tell does not answer. Nothing was spent; try again.';
  override readonly retryAfterSeconds = 5;
  constructor() {
    super('The Ethereum node does not answer.');
  }
}

export class InvalidWalletImport extends DomainError {
  static override readonly code = 'invalid_wallet_import';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The import is unknown, used or older than ten minutes, or the ciphertext does not open with its key. Encrypt to the key of a fresh import, without info or associated data.';
  constructor() {
    super('There is no such import, or the ciphertext was not made for it.');
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
    this.fields = [{ field: 'encryption_public_key', code: 'invalid', message: this.message }];
  }
}
