import { formatAmount } from '../../../../kernel/chain/asset.js';
import { epochSeconds } from '../../../../kernel/clock.js';
import { idOf, integer, text } from '../../../../kernel/event-data.js';
import { eventOf } from '../../../../kernel/event-types.js';
import type { IncomingPayment } from '../../../../kernel/chain/deposit.js';
import type { AppId, WalletId } from '../../../../kernel/ids.js';
import type { Deposit } from './deposit.js';

export class WalletCredited extends eventOf({
  name: 'wallet.credited',
  description: 'A payment to a wallet is final on its network.',
  data: {
    deposit_id: idOf('deposit', 'The deposit.'),
    wallet_id: idOf('wallet', 'The wallet that received.'),
    user_id: idOf('user', 'The owner of the wallet.'),
    network: text('The name of the network, e.g. `ethereum`.'),
    currency: text(
      'The name of the currency: that of the network for its native currency, else that of an asset of the app.',
    ),
    amount: text('The amount that arrived, as decimal text in whole units of the currency.'),
    from: text('The address that paid; empty when the transaction has several senders.'),
    blockchain_tx_hash: text('The hash of the transaction.'),
    block_number: integer('The number of the block; on Solana its slot.'),
    at: integer('The time of the block in epoch seconds; 0 when the node does not have it.'),
  },
}) {
  constructor(deposit: Deposit) {
    const { appId, id, walletId, userId } = deposit;
    super(appId, { deposit_id: id, wallet_id: walletId, user_id: userId, ...paymentOf(deposit) });
  }
}

/** A signal, not an event: SQL has altered the app, so its tokens are not known. */
export class DepositOmitted {
  constructor(
    readonly appId: AppId,
    readonly walletId: WalletId,
    readonly network: string,
    readonly payment: IncomingPayment,
  ) {}
}

/** The payment of a deposit, as its event and the API have it. */
export function paymentOf({ asset, amount, from, hash, block, at }: Deposit) {
  return {
    network: asset.chain,
    currency: asset.name,
    amount: formatAmount(amount, asset),
    from,
    blockchain_tx_hash: hash,
    block_number: block,
    at: epochSeconds(at),
  };
}
