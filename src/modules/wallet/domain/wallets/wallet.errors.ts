import { DomainError, type FieldError } from '../../../../kernel/domain-error.js';

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
    'The service is sending transfers from this wallet and allocates its nonces: a transaction made elsewhere could block them. Try again when they have ended.';
  constructor() {
    super('Transfers from this wallet are under way on this chain. Try again when they have ended.');
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
    this.fields = [{ field: 'message', rule: 'invalid', message }];
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
    this.fields = [{ field: `typed_data.${field}`, rule: 'invalid', message: this.message }];
  }
}

export class InvalidTransaction extends DomainError {
  static override readonly code = 'invalid_transaction';
  static override readonly kind = 'invalid';
  static override readonly help =
    'eth_transaction needs nonce, gas, maxFeePerGas, maxPriorityFeePerGas and chainId, and to or data. Numbers are decimal or 0x-hexadecimal text, or whole JSON numbers. What such a transaction has no place for (gasPrice, accessList, authorizationList, blobs, another type or sender) is refused, never left out.';
  constructor(override readonly fields: readonly FieldError[]) {
    super(`The transaction cannot be signed: ${fields.map(({ message }) => message).join(' ')}`);
  }
}

export class TypedDataNotAllowed extends DomainError {
  static override readonly code = 'typed_data_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'Typed data that moves value (permits, authorizations, orders, meta-transactions, changes of what controls an account, and what looks like them) is signed only where the app lists its type, contract and chain. signing_policy is set through the management API.';
  constructor(primaryType: string) {
    super(`The policy of the app does not let its wallets sign this typed data (${primaryType}).`);
  }
}

export class MessageNotAllowed extends DomainError {
  static override readonly code = 'message_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    'With the policy text, wallets sign printable messages that are neither 32 bytes long nor a hash in hexadecimal, because a smart account takes the signature of those for one of a transaction. With the policy none they sign no message. signing_policy is set through the management API.';
  constructor(what: string) {
    super(`The policy of the app does not let its wallets sign ${what}.`);
  }
}

export class WalletExportNotAllowed extends DomainError {
  static override readonly code = 'wallet_export_not_allowed';
  static override readonly kind = 'forbidden';
  static override readonly help =
    "The app's policy keeps the private keys of its wallets here. signing_policy is set through the management API.";
  constructor() {
    super('The policy of the app does not let private keys be exported.');
  }
}

export class WalletIsManaged extends DomainError {
  static override readonly code = 'wallet_is_managed';
  static override readonly kind = 'conflict';
  static override readonly help =
    'Only read-only wallets can be deleted. The service holds the key of this one, and with it the funds of its address.';
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
