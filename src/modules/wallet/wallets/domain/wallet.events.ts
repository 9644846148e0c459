import { idOf, oneOf, text } from '../../../../kernel/event-data.js';
import { eventOf } from '../../../../kernel/event-types.js';
import { WALLET_TYPES } from '../../../../kernel/chain/chain-name.js';
import type { WalletView } from './wallet.js';

function walletEvent(name: string, description: string) {
  const data = {
    wallet_id: idOf('wallet', 'The wallet.'),
    user_id: idOf('user', 'The owner of the wallet.'),
    wallet_type: oneOf(WALLET_TYPES, 'The chain of the wallet.'),
    public_address: text('The address of the wallet on its chain.'),
  };
  return class extends eventOf({ name, description, data }) {
    constructor({ appId, id, userId, walletType, publicAddress }: WalletView) {
      super(appId, { wallet_id: id, user_id: userId, wallet_type: walletType, public_address: publicAddress });
    }
  };
}

export class WalletCreated extends walletEvent('wallet.created', 'A user has a new wallet.') {}

export class WalletDeleted extends walletEvent('wallet.deleted', 'A login wallet was taken from its user.') {}

export class WalletExported extends walletEvent(
  'wallet.exported',
  'The private key of a wallet was handed out, encrypted to a key of the app.',
) {}

export class MessageSigned extends walletEvent(
  'message.signed',
  'A wallet signed a message. The event does not contain the message.',
) {}

export class TypedDataSigned extends walletEvent(
  'typed_data.signed',
  'A wallet signed EIP-712 typed data. The event does not contain the data.',
) {}

export class TransactionSigned extends walletEvent(
  'transaction.signed',
  'A wallet signed a transaction for the app. The event does not contain the transaction.',
) {}
