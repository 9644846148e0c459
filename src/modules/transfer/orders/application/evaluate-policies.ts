import { Injectable } from '@nestjs/common';
import { parseAmount } from '../../../../kernel/chain/amount.js';
import type { ChainName } from '../../../../kernel/chain/chain-name.js';
import { Chains } from '../../../../kernel/chain/chain.js';
import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';
import { AppsFacade } from '../../../apps/index.js';
import { type KeyUse, type Preview, PreviewPolicies, TooManyMoves } from '../../../policy/index.js';
import {
  type EthTransaction,
  type TypedData,
  WalletsFacade,
  type WalletView,
  InvalidTypedData,
  InvalidTransaction,
  UnsupportedWalletType,
  WalletNotFound,
  WalletNotOwnedByUser,
  WalletReadOnly,
} from '../../../wallet/index.js';
import { Currencies } from '../../transfer/application/currencies.js';
import { UnsupportedCurrency } from '../../transfer/domain/transfer.errors.js';
import {
  NetworkNotEnabled,
  InvalidAddress,
  ChainNotConfigured,
  InvalidAmount,
} from '../../../../kernel/chain/chain.errors.js';

export type AskedUse =
  | {
      readonly operation: 'transfer';
      readonly dest: string;
      readonly amount: string;
      readonly currency: string;
      readonly network?: ChainName | undefined;
    }
  | { readonly operation: 'sign_message'; readonly message: string }
  | { readonly operation: 'sign_typed_data'; readonly typedData: TypedData }
  | { readonly operation: 'sign_transaction'; readonly transaction: EthTransaction }
  | { readonly operation: 'export' };

interface Caller {
  readonly keyId: string;
  readonly owner?: UserId;
}

/** This module does it, because it knows the wallets and the chains. */
@Injectable()
export class EvaluatePolicies {
  static readonly refusals = [
    NetworkNotEnabled,
    InvalidAddress,
    ChainNotConfigured,
    InvalidTypedData,
    TooManyMoves,
    InvalidTransaction,
    UnsupportedWalletType,
    WalletNotFound,
    WalletNotOwnedByUser,
    WalletReadOnly,
    UnsupportedCurrency,
    InvalidAmount,
  ];

  constructor(
    private readonly apps: AppsFacade,
    private readonly wallets: WalletsFacade,
    private readonly currencies: Currencies,
    private readonly chains: Chains,
    private readonly policies: PreviewPolicies,
  ) {}

  async execute(appId: AppId, walletId: WalletId, { keyId, owner }: Caller, asked: AskedUse): Promise<Preview> {
    await this.apps.requireLive(appId);
    const wallet = await this.wallets.find(appId, walletId, owner);
    const use = await this.useOf(appId, wallet, asked);
    return this.policies.execute({ appId, wallet, keyId, use });
  }

  private async useOf(appId: AppId, wallet: WalletView, asked: AskedUse): Promise<KeyUse> {
    switch (asked.operation) {
      case 'transfer': {
        const { currency: text, network } = asked;
        const asset = await this.currencies.named(wallet, { text, network, field: 'source_currency' });
        const dest = this.chains.named(asset.chain).address(asked.dest, 'dest');
        return { operation: 'transfer', asset, dest, amount: parseAmount(asked.amount, asset, wallet.walletType) };
      }
      case 'sign_typed_data': {
        const typedData = await this.wallets.readTypedData(appId, wallet.id, asked.typedData);
        return { operation: 'sign_typed_data', typedData };
      }
      case 'sign_transaction': {
        const transaction = await this.wallets.readTransaction(appId, wallet.id, asked.transaction);
        return { operation: 'sign_transaction', transaction };
      }
      default:
        return asked;
    }
  }
}
