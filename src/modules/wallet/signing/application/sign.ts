import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '../../../../kernel/event-types.js';
import type { AppId, ApprovalId, WalletId } from '../../../../kernel/ids.js';
import { DomainEvents } from '../../../../kernel/domain-events.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { AppNotFound, AppsFacade } from '../../../apps/index.js';
import { AccountTaken, IdentityFacade, UserInactive, UserNotFound } from '../../../identity/index.js';
import {
  APPROVAL_REFUSALS,
  AppFrozen,
  ApprovalRequired,
  Gate,
  type KeyUse,
  PolicyDenied,
  WalletFrozen,
  MessageNotAllowed,
  TypedDataNotAllowed,
  TooManyMoves,
  DestinationNotAllowed,
  TransferLimitExceeded,
  FeeLimitExceeded,
  TransactionNotAllowed,
} from '../../../policy/index.js';
import type { WalletKey, Wallet } from '../../wallets/domain/wallet.js';
import {
  WalletNotFound,
  WalletReadOnly,
  InvalidMessage,
  InvalidTypedData,
  UnsupportedWalletType,
  InvalidTransaction,
  WalletHasOpenTransfers,
} from '../../wallets/domain/wallet.errors.js';
import { WalletRepository } from '../../wallets/domain/wallet.repository.js';
import {
  MessageSigner,
  type EthTransaction,
  type SignedTransaction,
  type TypedData,
} from '../domain/message-signer.js';
import { MessageSigned, TransactionSigned, TypedDataSigned } from '../../wallets/domain/wallet.events.js';
import { SigningGuards } from '../domain/signing-guards.js';
import { assertMaySign } from '../../wallets/application/wallets.facade.js';
import { FeeTooHigh, ChainUnavailable, NetworkNotEnabled } from '../../../../kernel/chain/chain.errors.js';

export interface WalletCall {
  readonly appId: AppId;
  readonly id: WalletId;
  readonly keyId: string;
  readonly approvalId?: ApprovalId | undefined;
}

interface Use<T> {
  readonly use: KeyUse;
  /** Asks a node, once the policies may allow the use. */
  readonly ask?: () => Promise<void>;
  /** Opens the key, once the use is allowed. It may run twice. */
  readonly act: () => T | Promise<T>;
  readonly event: DomainEvent;
  readonly store?: () => Promise<void>;
}

export interface Used<T> {
  readonly wallet: Wallet;
  readonly result: T;
}

/** Every use of a key that a caller asks for begins and ends here. */
@Injectable()
export class SigningWallets {
  static readonly refusals = [
    WalletNotFound,
    UserInactive,
    WalletReadOnly,
    AccountTaken,
    PolicyDenied,
    AppFrozen,
    WalletFrozen,
    AppNotFound,
    ...APPROVAL_REFUSALS,
  ];

  constructor(
    private readonly wallets: WalletRepository,
    private readonly identity: IdentityFacade,
    private readonly events: DomainEvents,
    private readonly transactions: Transactions,
    private readonly gate: Gate,
  ) {}

  /** Records that the account may have transactions that this service did not make. Call it before the caller can make one. */
  recordKeyLeft(appId: AppId, id: WalletId): Promise<void> {
    return this.wallets.recordKeyLeft(appId, id);
  }

  /**
   * The use, its event and its spends are stored in one transaction before the result is returned, so no result is without a record. The
   * first use closes the account: a person who proves its address later does not get a wallet that signed for another person. The request
   * for an approval does not close it.
   */
  async use<T>(
    { appId, id, keyId, approvalId }: WalletCall,
    useOf: (wallet: Wallet, key: WalletKey) => Use<T> | Promise<Use<T>>,
  ): Promise<Used<T>> {
    const found = await this.wallets.findOwned(appId, id);
    if (!found) throw new WalletNotFound();
    const { wallet, owner } = found;
    if (owner.isInactive) throw new UserInactive();
    const { use, ask, act, event, store } = await useOf(wallet, wallet.signingKey());
    const request = { appId, wallet, keyId, approvalId, use };
    // Before the transaction, because the settings may have to be read.
    const opened = await this.gate.open(request);
    await ask?.();
    const outcome = await this.transactions.run(
      async (isAgain) => {
        const pass = isAgain ? await this.gate.open(request, true) : opened;
        // Statements run in the order in which they are sent, so this is the lock order. The stronger lock of a user comes first.
        const [counted, close, held] = await Promise.all([
          this.gate.count([pass]),
          owner.isOpen && this.beginUse(wallet),
          this.wallets.holdOwner(wallet.appId, wallet.userId, pass.revision),
          this.identity.requireUnaltered(wallet.appId, wallet.userId),
        ]);
        assertMaySign(held);
        const decided = await this.gate.decide(pass, counted);
        // The request for the approval is committed before its id is returned.
        if (decided.is !== 'use') return decided;
        if (close) close();
        const result = await act();
        await store?.();
        this.gate.useUp(pass, decided);
        await this.events.publish(event);
        return { is: 'signed' as const, result };
      },
      { signs: true },
    );
    if (outcome.is === 'signed') return { wallet, result: outcome.result };
    throw new ApprovalRequired(outcome.is === 'await' ? outcome.approvalId : null);
  }

  /** Returns a function that closes the open account of a wallet. A deleted user has none. */
  private async beginUse({ appId, userId }: Wallet): Promise<(() => void) | null> {
    try {
      return await this.identity.beginUse(appId, userId);
    } catch (error) {
      if (!(error instanceof UserNotFound)) throw error;
      return null;
    }
  }
}

@Injectable()
export class SignMessage {
  static readonly refusals = [...SigningWallets.refusals, InvalidMessage, MessageNotAllowed];

  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
  ) {}

  execute(call: WalletCall, message: string): Promise<Used<string>> {
    return this.wallets.use(call, (wallet, key) => ({
      use: { operation: 'sign_message', message },
      act: () => this.signer.signMessage(key, message),
      event: new MessageSigned(wallet),
    }));
  }
}

@Injectable()
export class SignTransaction {
  static readonly refusals = [
    DestinationNotAllowed,
    TransferLimitExceeded,
    FeeLimitExceeded,
    FeeTooHigh,
    TransactionNotAllowed,
    ChainUnavailable,
    ...SigningWallets.refusals,
    InvalidTransaction,
    NetworkNotEnabled,
    UnsupportedWalletType,
    WalletHasOpenTransfers,
  ];

  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
    private readonly guards: SigningGuards,
    private readonly apps: AppsFacade,
  ) {}

  /** Returns the transaction without sending it. */
  execute(call: WalletCall, given: EthTransaction): Promise<Used<SignedTransaction>> {
    return this.wallets.use(call, async (wallet, key) => {
      const transaction = this.signer.readTransaction(key, given);
      await this.apps.requireNetwork(call.appId, transaction.network, 'eth_transaction.chainId');
      return {
        use: { operation: 'sign_transaction', transaction },
        ask: () => this.guards.assertFees(wallet, transaction),
        act: async () => {
          await this.guards.assertMaySign(wallet, transaction);
          return this.signer.signTransaction(key, transaction);
        },
        event: new TransactionSigned(wallet),
        // Committed before the bytes leave: a transaction of the account that this service did not make must not look like a lost payment.
        store: async () => {
          if (wallet.keyLeftAt === null) await this.wallets.recordKeyLeft(call.appId, call.id);
        },
      };
    });
  }
}

@Injectable()
export class SignTypedData {
  static readonly refusals = [
    ...SigningWallets.refusals,
    InvalidTypedData,
    UnsupportedWalletType,
    TypedDataNotAllowed,
    TooManyMoves,
  ];

  constructor(
    private readonly wallets: SigningWallets,
    private readonly signer: MessageSigner,
  ) {}

  execute(call: WalletCall, given: TypedData): Promise<Used<string>> {
    return this.wallets.use(call, (wallet, key) => {
      const typedData = this.signer.readTypedData(key, given);
      return {
        use: { operation: 'sign_typed_data', typedData },
        act: () => this.signer.signTypedData(key, typedData),
        event: new TypedDataSigned(wallet),
      };
    });
  }
}
