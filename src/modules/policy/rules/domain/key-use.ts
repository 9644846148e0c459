import type { Asset } from '../../../../kernel/chain/asset.js';
import type { Facts, Fact } from './facts.js';
import { factsOfTransaction, type TransactionUse } from './facts-of-transaction.js';
import { factsOfTypedData, type TypedDataUse } from './facts-of-typed-data.js';
import type { Networks } from './networks.js';
import type { PolicedFee } from './payment-bounds.js';

/** Addresses are in canonical form, the amount is in smallest units. */
export interface PaymentUse {
  readonly operation: 'transfer';
  readonly asset: Asset;
  readonly dest: string;
  readonly amount: bigint;
  /** Absent in a preview. */
  readonly source?: string;
  /** Absent while it is not known. */
  readonly network?: string;
  /** The most that the chain may take; absent while it is not known. */
  readonly fee?: PolicedFee;
}

/** A transaction that moves nothing: a cancellation, or a self-transfer on a missing nonce. */
export interface UpkeepUse {
  readonly operation: 'upkeep';
  readonly fee: PolicedFee;
}

export interface MessageUse {
  readonly operation: 'sign_message';
  readonly message: string;
}

export type KeyUse =
  | PaymentUse
  | UpkeepUse
  | MessageUse
  | { readonly operation: 'sign_typed_data'; readonly typedData: TypedDataUse }
  | { readonly operation: 'sign_transaction'; readonly transaction: TransactionUse }
  /** The receiver's key in base64; absent in a preview. */
  | { readonly operation: 'export'; readonly encryptionPublicKey?: string };

/** Null for upkeep, which moves nothing. */
export function factsOf(use: KeyUse, { nameOf, canonicalAddress }: Networks): Facts | null {
  switch (use.operation) {
    case 'upkeep':
      return null;
    case 'transfer': {
      const { asset, dest, amount } = use;
      const network = asset.chain;
      const moves = [{ asset: { network, token: asset.token }, destination: dest, amount }];
      return { operation: 'transfer', network, moves, isDelegation: false };
    }
    case 'sign_transaction': {
      const { network, ...transaction } = use.transaction;
      return factsOfTransaction({ ...transaction, network: nameOf(network) }, canonicalAddress);
    }
    case 'sign_typed_data': {
      const { chainId, ...typedData } = use.typedData;
      const network: Fact<string> = chainId === null ? 'missing' : nameOf(`eip155:${chainId}`);
      return factsOfTypedData({ ...typedData, network }, canonicalAddress);
    }
    default:
      return { operation: use.operation, network: 'not_applicable', moves: 'not_applicable', isDelegation: false };
  }
}
