import { DomainError, type FieldError } from '../../../kernel/domain-error.js';
import type { TransferId } from '../../../kernel/ids.js';

export class TransferNotFound extends DomainError {
  static override readonly code = 'transfer_not_found';
  static override readonly kind = 'not_found';
  static override readonly help = 'No transfer of this app has that id.';
  constructor() {
    super('There is no such transfer.');
  }
}

export class ListTooBroad extends DomainError {
  static override readonly code = 'list_too_broad';
  static override readonly kind = 'invalid';
  static override readonly help =
    'The list took longer than 2 seconds. Use a smaller `offset`, or list the transfers of one user or of one wallet.';
  constructor() {
    super('The list is too broad. Use a smaller offset, or list the transfers of one user or of one wallet.');
  }
}

export class TransferExpired extends DomainError {
  static override readonly code = 'transfer_expired';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A transfer must be confirmed within two minutes, while its quote is valid. Nothing was sent. Create another transfer.';
  constructor(id: TransferId) {
    super(`Transfer ${id} expired before it was confirmed. Create another transfer.`);
  }
}

export class TransferCancelled extends DomainError {
  static override readonly code = 'transfer_cancelled';
  static override readonly kind = 'conflict';
  static override readonly help = 'The transfer was cancelled. No payment was made and none will be.';
  constructor(id: TransferId) {
    super(`Transfer ${id} was cancelled.`);
  }
}

export class TransferAlreadyConfirmed extends DomainError {
  static override readonly code = 'transfer_already_confirmed';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The transfer is signed, and the chain decides its outcome. It can still be cancelled on Ethereum when it is marked stuck and in no block, and on Solana while it is in no block.';
  constructor(id: TransferId) {
    super(`Transfer ${id} has been confirmed.`);
  }
}

export class NonceUsed extends DomainError {
  static override readonly code = 'nonce_used';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The chain counts the nonce of the transfer as used, so no transaction can replace it. Nothing was signed now. Wait: the transfer completes or fails once it is proven which transaction used the nonce.';
  constructor(id: TransferId) {
    super(
      `Transfer ${id} cannot be cancelled: its nonce is used on the chain. It completes or fails once the chain proves by what.`,
    );
  }
}

export class BooksBehindChain extends DomainError {
  static override readonly code = 'books_behind_chain';
  static override readonly kind = 'conflict';
  static override readonly help =
    'The chain shows payments of the wallet that the database does not know, or the database was restored. Nothing is signed or cancelled until both are compared, which the service does by itself where it can. Read the transfer again later.';
  constructor(id: TransferId) {
    super(`Transfer ${id} may have been paid already: the database and the chain are being compared.`);
  }
}

export class DuplicateCustomId extends DomainError {
  static override readonly code = 'duplicate_custom_id';
  static override readonly kind = 'conflict';
  static override readonly help =
    'A custom_id identifies one transfer of the app permanently, also after the transfer has ended. The error names that transfer.';
  constructor(first: TransferId) {
    super(`Transfer ${first} has this custom_id.`);
  }
}

export class UnsupportedCurrency extends DomainError {
  static override readonly code = 'unsupported_currency';
  static override readonly kind = 'invalid';
  static override readonly help =
    "A currency is ethereum, solana or one of the app's assets, on the chain of the source wallet. Currencies are not exchanged: source and destination currency are the same.";
  override readonly fields: readonly FieldError[];
  constructor(field: string, message: string) {
    super(message);
    this.fields = [{ field, rule: 'invalid', message }];
  }
}
