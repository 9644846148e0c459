import type { DomainEvent } from '../../../../kernel/domain-event.js';
import type { AppId } from '../../../../kernel/ids.js';
import type { WalletView } from './wallet.js';

abstract class WalletEvent implements DomainEvent {
  abstract readonly type: string;
  readonly appId: AppId;
  readonly data: Readonly<Record<string, unknown>>;
  constructor({ appId, id, userId, walletType, publicAddress }: WalletView) {
    this.appId = appId;
    this.data = { wallet_id: id, user_id: userId, wallet_type: walletType, public_address: publicAddress };
  }
}

/** A user has a new wallet. */
export class WalletCreated extends WalletEvent {
  readonly type = 'wallet.created';
}

/** A login wallet was taken from its user. */
export class WalletDeleted extends WalletEvent {
  readonly type = 'wallet.deleted';
}

/** The private key of a wallet was handed out, encrypted to a key of the app's. */
export class WalletExported extends WalletEvent {
  readonly type = 'wallet.exported';
}

/** A wallet signed a message. The event does not contain the message. */
export class MessageSigned extends WalletEvent {
  readonly type = 'message.signed';
}

/** A wallet signed EIP-712 typed data. */
export class TypedDataSigned extends WalletEvent {
  readonly type = 'typed_data.signed';
}

/** A wallet signed a transaction. The event does not contain the transaction. */
export class TransactionSigned extends WalletEvent {
  readonly type = 'transaction.signed';
}
