import { Injectable } from '@nestjs/common';
import { type AppId, newId, type TransferId, type UserId, type WalletId } from '../../../kernel/ids.js';
import { isWithin, type KeyBinding } from '../../../kernel/key-restriction.js';
import { DomainEvents } from '../../../kernel/domain-events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { FeeTooHigh, InvalidAmount, InvalidDestination } from '../../../kernel/chain/chain.errors.js';
import { Gate } from '../../policy/index.js';
import { WalletsFacade, type WalletView } from '../../wallet/index.js';
import { parseAmount } from '../../../kernel/chain/amount.js';
import type { ChainName } from '../../../kernel/chain/chain-name.js';
import { type Chain, Chains } from '../../../kernel/chain/chain.js';
import { NodeCalls } from '../../../kernel/chain/node-calls.js';
import { type DataFees, NO_DATA_FEES, type Payment } from '../../../kernel/chain/payment.js';
import { assertCovered } from '../domain/sender-queue.js';
import { QUOTE_SECONDS, type Transfer } from '../domain/transfer.js';
import { DuplicateCustomId, UnsupportedCurrency } from '../domain/transfer.errors.js';
import { TransferEvent } from '../domain/transfer.events.js';
import { type NewTransfer, TransferRepository } from '../domain/transfer.repository.js';
import { Currencies } from './currencies.js';

export interface TransferOrder {
  /** The id of the app's key that the order came with, and the objects to which the key is bound. */
  readonly keyId: string;
  readonly binding: KeyBinding | null;
  readonly source: WalletId;
  /** The network that it is paid on; absent: the one of the currency. */
  readonly network?: ChainName | undefined;
  readonly dest: string;
  readonly amount: string;
  readonly sourceCurrency: string;
  /** The currency that arrives; absent: the source currency. */
  readonly destCurrency?: string;
  /** Whether the fees are taken out of the amount. Fees of a token transfer are never part of its amount. */
  readonly amountIncludesFees: boolean;
  /** Whether the fees of a coin payment may exceed its amount. */
  readonly allowHighFee: boolean;
  readonly customId: string | null;
  readonly notes: string;
  /** The required owner of the source. Absent: any owner. */
  readonly owner?: UserId;
}

/** Quotes a transfer and stores it. Nothing is reserved, signed or sent before it is confirmed. */
@Injectable()
export class CreateTransfer {
  constructor(
    private readonly transfers: TransferRepository,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
    private readonly currencies: Currencies,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Throws `WalletNotFound`, `WalletNotOwnedByUser`, `UserInactive`, `WalletReadOnly`, `AccountTaken`, `NetworkNotEnabled`, `UnsupportedCurrency`,
   * `InvalidAmount`, `InvalidAddress`, `InvalidDestination`, `ChainNotConfigured`, `FeeTooHigh`, `DuplicateCustomId`, and the errors of
   * `Gate.open`, `NodeCalls.run` and `Chain.prepare`.
   */
  async execute(appId: AppId, order: TransferOrder): Promise<Transfer> {
    // The quote waits for the network, so it is complete before the transaction begins.
    const source = await this.wallets.quoted(appId, order.source, order.owner);
    const quoted = await this.quote(appId, source.wallet, order);
    return this.transactions.run(async () => {
      await source.use();
      const added = await this.transfers.add(quoted);
      if (!added) throw new DuplicateCustomId(await this.firstOf(appId, order));
      await this.events.publish(TransferEvent.of(added));
      return added;
    });
  }

  /** The transfer with the custom id of the order; null if the key does not see it. */
  private async firstOf(appId: AppId, { customId, binding }: TransferOrder): Promise<TransferId | null> {
    const { id, userId, source: walletId } = (await this.transfers.withCustomId(appId, customId!))!;
    return !binding || isWithin(binding, { userId, walletId }) ? id : null;
  }

  private async quote(appId: AppId, wallet: WalletView, order: TransferOrder): Promise<NewTransfer> {
    const { network: networkName, sourceCurrency: text, destCurrency = text } = order;
    const asset = await this.currencies.named(wallet, { text, network: networkName, field: 'source_currency' });
    const arriving = { text: destCurrency, network: asset.chain, field: 'dest_currency' };
    if (destCurrency !== text && (await this.currencies.named(wallet, arriving)).name !== asset.name)
      throw new UnsupportedCurrency('dest_currency', 'Currencies are not exchanged: it must be the source currency.');
    const ordered = parseAmount(order.amount, asset, wallet.walletType);
    const chain = this.chains.named(asset.chain);
    const dest = chain.address(order.dest, 'dest');
    assertPayable({ asset, source: wallet.publicAddress, dest }, chain);
    const id = newId('transfer');
    const payment = { transferId: id, asset, source: wallet.publicAddress, dest, amount: ordered };
    const request = { appId, wallet, keyId: order.keyId };
    // Before the network is asked, and again with the fees.
    await this.gate.open({ ...request, use: { operation: 'transfer', ...payment } });
    const isInclusive = order.amountIncludesFees && asset.token === null;
    const [network, { amount, feeCap, dataFees }] = await this.nodeCalls.run(asset.chain, appId, () =>
      Promise.all([chain.network(), isInclusive ? quoteWithin(chain, payment) : quoteFor(chain, payment)]),
    );
    const fee = { asset: chain.native, amount: feeCap };
    await this.gate.open({ ...request, use: { operation: 'transfer', ...payment, amount, fee } });
    if (asset.token === null && feeCap > amount && !order.allowHighFee) {
      throw new FeeTooHigh('The quoted fee exceeds the amount. Set allow_high_fee to accept it.');
    }
    return {
      appId,
      id,
      userId: wallet.userId,
      source: wallet.id,
      sourceAddress: wallet.publicAddress,
      dest,
      network,
      asset,
      amount,
      feeCap,
      dataFees,
      quoteSeconds: QUOTE_SECONDS,
      customId: order.customId,
      notes: order.notes,
      namesUser: order.owner !== undefined,
    };
  }
}

/** Refuses destinations where a payment is lost or moves nothing. Throws `InvalidDestination`. */
function assertPayable({ asset, source, dest }: Pick<Payment, 'asset' | 'source' | 'dest'>, chain: Chain): void {
  if (dest === source) throw new InvalidDestination('is the source wallet itself');
  if (dest === asset.token) throw new InvalidDestination('is the contract or mint of the token');
  if (chain.isReserved(dest)) throw new InvalidDestination('belongs to the chain itself: no key can spend from it');
}

type Quote = Pick<NewTransfer, 'amount' | 'feeCap' | 'dataFees'>;

async function quoteFor(chain: Chain, payment: Payment, feeCap?: bigint, reserve?: DataFees): Promise<Quote> {
  const prepared = await chain.prepare(payment, feeCap, [], reserve);
  assertCovered(payment, prepared, { coin: 0n, asset: 0n });
  return { amount: payment.amount, feeCap: prepared.feeCap, dataFees: prepared.dataFees ?? NO_DATA_FEES };
}

/** The fees are part of the amount: the payment gets smaller by them. */
async function quoteWithin(chain: Chain, payment: Payment): Promise<Quote> {
  const { feeCap, dataFees } = await chain.prepare(payment);
  if (feeCap >= payment.amount) throw new InvalidAmount('does not cover the fees it is to include');
  return quoteFor(chain, { ...payment, amount: payment.amount - feeCap }, feeCap, dataFees);
}
