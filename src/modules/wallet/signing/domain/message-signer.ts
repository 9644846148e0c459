import type { WalletKey } from '../../wallets/domain/wallet.js';

/** EIP-712 typed data as the caller sent it; nothing of it has been checked. */
export interface TypedData {
  readonly domain?: unknown;
  readonly types?: unknown;
  readonly primaryType?: unknown;
  readonly message?: unknown;
}

/** Unchecked. Unnamed members that would make it another transaction are refused, the rest is ignored. Null stands for an absent member. */
export interface EthTransaction {
  readonly type?: unknown;
  readonly from?: unknown;
  /** Absent (or null) to create a contract from `data`. */
  readonly to?: unknown;
  readonly value?: unknown;
  readonly nonce?: unknown;
  readonly gas?: unknown;
  readonly maxFeePerGas?: unknown;
  readonly maxPriorityFeePerGas?: unknown;
  readonly chainId?: unknown;
  readonly data?: unknown;
  /** The other name of `data`. */
  readonly input?: unknown;
}

/** Typed data that has been read: checked, and all of it in the digest. */
export interface TypedDataIntent {
  readonly primaryType: string;
  /** The structs reachable from the primary type, the only ones EIP-712 hashes. */
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  /** Checked values, as the caller wrote them. Further members are not signed. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly chainId: bigint | null;
  /** Checksummed; null if the domain names none. */
  readonly verifyingContract: string | null;
  /** In 0x-hexadecimal. */
  readonly digest: string;
}

export interface TransactionIntent {
  readonly to: string | null;
  readonly value: bigint;
  readonly nonce: number;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly chainId: bigint;
  readonly data: string;
  /** CAIP-2 name of the network it is for. */
  readonly network: string;
  /** The payment if the transaction does nothing else: the coin without data, or one ERC-20 `transfer` without value. */
  readonly payment: PlainPayment | null;
}

/** Addresses are checksummed, the amount is in smallest units. */
export interface PlainPayment {
  /** The token's contract; null for the chain's own coin. */
  readonly token: string | null;
  readonly dest: string;
  readonly amount: bigint;
}

export interface SignedTransaction {
  /** r, s and v (27 or 28), 65 bytes in 0x-hexadecimal. */
  readonly signature: string;
  /** The transaction as a node takes it, in 0x-hexadecimal. */
  readonly signedTransaction: string;
  readonly hash: string;
}

/** Each key is opened for one call only. Every signature is checked against the wallet's address before it is returned. */
export abstract class MessageSigner {
  /** The text is never read as hexadecimal. Ethereum: EIP-191, r, s, v (27 or 28) in 0x-hexadecimal. Solana: off-chain message, base58. */
  abstract signMessage(key: WalletKey, message: string): string;

  /** The key stays closed. Refuses wallets that are not of Ethereum. */
  abstract readTypedData(key: WalletKey, typedData: TypedData): TypedDataIntent;

  abstract signTypedData(key: WalletKey, intent: TypedDataIntent): string;

  /** The key stays closed. Refuses wallets that are not of Ethereum. */
  abstract readTransaction(key: WalletKey, transaction: EthTransaction): TransactionIntent;

  abstract signTransaction(key: WalletKey, intent: TransactionIntent): SignedTransaction;

  /** Signs a serialised EIP-1559 transaction (returns r, s and v, 65 bytes), or a Solana message with this one signer (64 bytes). */
  abstract signPayment(key: WalletKey, unsigned: Uint8Array): Uint8Array;
}
