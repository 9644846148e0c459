import { Injectable } from '@nestjs/common';
import {
  type AppId,
  type BatchId,
  newId,
  type TransferId,
  type UserId,
  type WalletId,
} from '../../../../kernel/ids.js';
import { isWithin, type KeyBinding } from '../../../../kernel/key-restriction.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { namedItem, onEachItem, type OnItem, onlyItem } from '../../../../kernel/items.js';
import { Transactions } from '../../../../kernel/transactions.js';
import {
  FeeTooHigh,
  InsufficientFunds,
  InvalidAmount,
  InvalidDestination,
  BelowRentMinimum,
  ChainNotConfigured,
  ChainUnavailable,
  FeesAboveQuote,
  InvalidAddress,
  NetworkNotEnabled,
  PaymentRefusedByChain,
} from '../../../../kernel/chain/chain.errors.js';
import {
  Gate,
  type KeyUse,
  AppFrozen,
  WalletFrozen,
  DestinationNotAllowed,
  FeeLimitExceeded,
  PolicyDenied,
  TransferLimitExceeded,
} from '../../../policy/index.js';
import {
  WalletsFacade,
  type WalletView,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from '../../../wallet/index.js';
import { parseAmount } from '../../../../kernel/chain/amount.js';
import { type Asset, formatAmount } from '../../../../kernel/chain/asset.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { type Chain, Chains, type Prepare } from '../../../../kernel/chain/chain.js';
import { NodeCalls } from '../../../../kernel/chain/node-calls.js';
import {
  type Balances,
  type DataFees,
  NO_DATA_FEES,
  type Payment,
  type PreparedPayment,
} from '../../../../kernel/chain/payment.js';
import {
  assertCovered,
  NOTHING_RESERVED,
  reservedWith,
  type SenderQueueId,
} from '../../transfer/domain/sender-queue.js';
import { SenderQueueRepository } from '../../transfer/domain/sender-queue.repository.js';
import { QUOTE_SECONDS, type Transfer } from '../../transfer/domain/transfer.js';
import { DuplicateCustomId, UnsupportedCurrency } from '../../transfer/domain/transfer.errors.js';
import { TransferEvent } from '../../transfer/domain/transfer.events.js';
import { type NewTransfer, TransferRepository } from '../../transfer/domain/transfer.repository.js';
import { Currencies } from '../../transfer/application/currencies.js';
import { ObserveQueue } from '../../tracking/application/track-transfer.js';
import { AppNotFound } from '../../../apps/index.js';
import { AccountTaken, UserInactive } from '../../../identity/index.js';

export interface OrderItem {
  readonly dest: string;
  readonly amount: string;
  readonly customId: string | null;
  readonly notes: string;
}

interface OrderTerms {
  /** The app's key, and the objects to which it is bound. */
  readonly keyId: string;
  readonly binding: KeyBinding | null;
  readonly source: WalletId;
  /** The network of the currency if absent. */
  readonly network?: ChainName | undefined;
  readonly sourceCurrency: string;
  /** The source currency if absent. */
  readonly destCurrency?: string;
  /** Fees of a token transfer are never part of its amount. */
  readonly amountIncludesFees: boolean;
  /** The fees of a coin payment may exceed its amount. */
  readonly allowHighFee: boolean;
  /** The required owner of the source; absent: any. */
  readonly owner?: UserId;
}

export type TransferOrder = OrderTerms & OrderItem;

export interface BatchOrder extends OrderTerms {
  readonly items: readonly OrderItem[];
}

/** Everything that no open transfer of the source may still take. */
export const MAX = 'max';

interface Order {
  readonly appId: AppId;
  readonly terms: OrderTerms;
  readonly items: readonly OrderItem[];
  readonly batchId: BatchId | null;
  readonly wallet: WalletView;
  readonly asset: Asset;
  readonly chain: Chain;
  readonly onItem: OnItem;
}

/** `reserved`: the part of the balances that open transfers may still take. */
interface Held {
  readonly balances: Balances;
  readonly reserved: Balances;
}

interface Quote {
  readonly payment: Payment;
  readonly prepared: PreparedPayment;
}

/** Quotes transfers and stores them. Nothing is reserved, signed or sent before they are confirmed. */
@Injectable()
export class CreateTransfer {
  static readonly refusals = [
    WalletNotFound,
    WalletNotOwnedByUser,
    WalletReadOnly,
    UserInactive,
    AccountTaken,
    NetworkNotEnabled,
    UnsupportedCurrency,
    InvalidAmount,
    InvalidAddress,
    InvalidDestination,
    AppNotFound,
    DuplicateCustomId,
    InsufficientFunds,
    BelowRentMinimum,
    PaymentRefusedByChain,
    FeesAboveQuote,
    DestinationNotAllowed,
    TransferLimitExceeded,
    FeeLimitExceeded,
    FeeTooHigh,
    PolicyDenied,
    AppFrozen,
    WalletFrozen,
    ChainNotConfigured,
    ChainUnavailable,
  ];

  constructor(
    private readonly transfers: TransferRepository,
    private readonly queues: SenderQueueRepository,
    private readonly chains: Chains,
    private readonly nodeCalls: NodeCalls,
    private readonly currencies: Currencies,
    private readonly wallets: WalletsFacade,
    private readonly gate: Gate,
    private readonly observeQueue: ObserveQueue,
    private readonly transactions: Transactions,
    private readonly events: DomainEvents,
  ) {}

  async execute(appId: AppId, order: TransferOrder): Promise<Transfer> {
    const [added] = await this.create(appId, order, [order], null);
    return added!;
  }

  /** Stores all transfers of a batch, or none; a refusal of one item names it. The source must cover all items together. */
  async executeBatch(appId: AppId, order: BatchOrder): Promise<readonly Transfer[]> {
    for (const [index, { customId }] of order.items.entries())
      await namedItem(index, async () => {
        const first = order.items.findIndex((each) => each.customId === customId);
        if (customId !== null && first < index) throw new DuplicateCustomId(null);
      });
    return this.create(appId, order, order.items, newId('batch'));
  }

  private async create(
    appId: AppId,
    terms: OrderTerms,
    items: readonly OrderItem[],
    batchId: BatchId | null,
  ): Promise<Transfer[]> {
    // The quote waits for the network, so it is complete before the transaction begins.
    const source = await this.wallets.quoted(appId, terms.source, terms.owner);
    const asset = await this.assetOf(source.wallet, terms);
    const chain = this.chains.named(asset.chain);
    const onItem = batchId === null ? onlyItem : namedItem;
    const order = { appId, terms, items, batchId, wallet: source.wallet, asset, chain, onItem };
    const quoted = await this.quote(order);
    return this.transactions.run(async () => {
      await source.use();
      // Sent together.
      const added = await Promise.all(quoted.map((each) => this.transfers.add(each)));
      for (const [index, transfer] of added.entries())
        await onItem(index, async () => {
          if (!transfer) throw new DuplicateCustomId(await this.firstOf(appId, terms, items[index]!));
          await this.events.publish(TransferEvent.of(transfer));
        });
      return added as Transfer[];
    });
  }

  private async firstOf(appId: AppId, { binding }: OrderTerms, { customId }: OrderItem): Promise<TransferId | null> {
    const { id, userId, source: walletId } = (await this.transfers.withCustomId(appId, customId!))!;
    return !binding || isWithin(binding, { userId, walletId }) ? id : null;
  }

  private async assetOf(
    wallet: WalletView,
    { network, sourceCurrency: text, destCurrency = text }: OrderTerms,
  ): Promise<Asset> {
    const asset = await this.currencies.named(wallet, { text, network, field: 'source_currency' });
    const arriving = { text: destCurrency, network: asset.chain, field: 'dest_currency' };
    if (destCurrency !== text && (await this.currencies.named(wallet, arriving)).name !== asset.name)
      throw new UnsupportedCurrency('dest_currency', 'Currencies are not exchanged: it must be the source currency.');
    return asset;
  }

  private async quote(order: Order): Promise<NewTransfer[]> {
    const { asset, chain, wallet, terms, items, batchId, onItem } = order;
    const isMax = batchId === null && items[0]!.amount === MAX;
    // Minted before anything waits: a batch is read, locked and signed in the order of its ids.
    const ids = items.map(() => newId('transfer'));
    const destinations = await onEachItem(items, (item, index) =>
      onItem(index, async () => {
        const amount = isMax ? 0n : parseAmount(item.amount, asset, wallet.walletType);
        const dest = chain.address(item.dest, 'dest');
        assertPayable({ asset, source: wallet.publicAddress, dest }, chain);
        return { transferId: ids[index]!, asset, source: wallet.publicAddress, dest, amount };
      }),
    );
    const held = isMax ? await this.heldBy(order) : null;
    const payments = held ? destinations.map((each) => ({ ...each, amount: freeOf(held, asset) })) : destinations;
    // Before the network is asked, and again with the fees.
    await this.open(order, payments);
    const { network, quotes } = await this.quotesOf(order, payments, held);
    await this.open(
      order,
      quotes.map(({ payment, prepared }) => ({ ...payment, fee: { asset: chain.native, amount: prepared.feeCap } })),
    );
    return onEachItem(quotes, ({ payment: { transferId: id, dest, amount }, prepared }, index) =>
      onItem(index, async () => {
        const { feeCap, dataFees = NO_DATA_FEES } = prepared;
        if (asset.token === null && feeCap > amount && !terms.allowHighFee) {
          throw new FeeTooHigh('The quoted fee exceeds the amount. Set allow_high_fee to accept it.');
        }
        const { customId, notes } = items[index]!;
        return {
          appId: order.appId,
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
          batchId,
          customId,
          notes,
          namesUser: terms.owner !== undefined,
        };
      }),
    );
  }

  private async open(
    { appId, wallet, terms: { keyId }, batchId }: Order,
    uses: readonly Omit<Extract<KeyUse, { operation: 'transfer' }>, 'operation'>[],
  ): Promise<void> {
    const requests = uses.map((use) => ({ appId, wallet, keyId, use: { operation: 'transfer', ...use } as const }));
    if (batchId === null) await this.gate.open(requests[0]!);
    else await this.gate.openBatch(requests);
  }

  private async quotesOf(
    order: Order,
    payments: readonly Payment[],
    held: Held | null,
  ): Promise<{ readonly network: string; readonly quotes: readonly Quote[] }> {
    const { asset, chain, terms, onItem } = order;
    const prepare = chain.prepareTogether(payments);
    const isInclusive = terms.amountIncludesFees && asset.token === null;
    const quoteOf = (payment: Payment): Promise<Quote> => {
      if (held) return quoteMax(prepare, payment, held);
      return isInclusive ? quoteWithin(prepare, payment) : quoteFor(prepare, payment);
    };
    // The first read also reads what all payments have in common.
    const [network, first] = await this.ask(order, () =>
      Promise.all([chain.network(), onItem(0, () => quoteOf(payments[0]!))]),
    );
    const rest = await onEachItem(payments.slice(1), (payment, index) =>
      onItem(index + 1, () => this.ask(order, () => quoteOf(payment))),
    );
    const quotes = [first, ...rest];
    let reserved = held?.reserved ?? NOTHING_RESERVED;
    for (const [index, { payment, prepared }] of quotes.entries())
      await onItem(index, async () => {
        assertCovered(payment, { ...prepared, balances: first.prepared.balances }, reserved, chain.native);
        reserved = reservedWith(reserved, payment, prepared.feeCap);
      });
    return { network, quotes };
  }

  private async heldBy(order: Order): Promise<Held> {
    const { appId, chain, asset, wallet } = order;
    const address = wallet.publicAddress;
    const read = async (): Promise<Held & { readonly queue: SenderQueueId }> => {
      const [network, { balances, balancesAt }] = await this.ask(order, () =>
        Promise.all([chain.network(), chain.balances(address, asset)]),
      );
      const queue = { appId, network, address };
      // Read after the balances, as in a confirmation: a transfer counts that is not in their block.
      return { queue, balances, reserved: await this.queues.reserved(queue, asset.token, balancesAt) };
    };
    const seen = await read();
    if (seen.reserved.coin === 0n) return seen;
    await this.observeQueue.execute(seen.queue, asset.chain);
    return read();
  }

  private ask<T>({ appId, asset }: Order, reads: () => Promise<T>): Promise<T> {
    return this.nodeCalls.run(asset.chain, appId, reads);
  }
}

function freeOf({ balances, reserved }: Held, asset: Asset): bigint {
  const kind = asset.token === null ? 'coin' : 'asset';
  const free = balances[kind] - reserved[kind];
  if (free <= 0n) {
    const balance = `${formatAmount(balances[kind], asset)} ${asset.symbol}`;
    throw new InsufficientFunds(`The wallet holds ${balance}, and its open transfers may take all of it.`);
  }
  return free;
}

/** A payment to these is lost or moves nothing. */
function assertPayable({ asset, source, dest }: Pick<Payment, 'asset' | 'source' | 'dest'>, chain: Chain): void {
  if (dest === source) throw new InvalidDestination('is the source wallet itself');
  if (dest === asset.token) throw new InvalidDestination('is the contract or mint of the token');
  if (chain.isReserved(dest)) throw new InvalidDestination('belongs to the chain itself: no key can spend from it');
}

async function quoteFor(prepare: Prepare, payment: Payment, feeCap?: bigint, reserve?: DataFees): Promise<Quote> {
  return { payment, prepared: await prepare(payment, feeCap, [], reserve) };
}

async function quoteWithin(prepare: Prepare, payment: Payment): Promise<Quote> {
  const { feeCap, dataFees } = await prepare(payment);
  if (feeCap >= payment.amount) throw new InvalidAmount('does not cover the fees it is to include');
  return quoteFor(prepare, { ...payment, amount: payment.amount - feeCap }, feeCap, dataFees);
}

/** The payment of everything that is free, minus the fees if it is coin. */
async function quoteMax(prepare: Prepare, payment: Payment, { reserved }: Held): Promise<Quote> {
  if (payment.asset.token !== null) return quoteFor(prepare, payment);
  const { feeCap, dataFees, minimumLeft } = await prepare(payment);
  // Open transfers may take less than is reserved for them, so the account cannot be emptied.
  const left = reserved.coin > 0n ? minimumLeft : 0n;
  const amount = payment.amount - feeCap - left;
  if (amount <= 0n)
    throw InsufficientFunds.of(payment.asset, { held: payment.amount, needed: feeCap + left, taker: 'the fee alone' });
  return quoteFor(prepare, { ...payment, amount }, feeCap, dataFees);
}
