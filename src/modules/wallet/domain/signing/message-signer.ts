import type { WalletKey } from '../wallets/wallet.js';

/** EIP-712 typed data as the caller sent it; nothing of it has been checked. */
export interface TypedData {
  readonly domain?: unknown;
  readonly types?: unknown;
  readonly primaryType?: unknown;
  readonly message?: unknown;
}

/**
 * An unchecked EIP-1559 transaction of the caller. Unnamed members that would make it another transaction are refused;
 * the rest is ignored. Null stands for an absent member.
 */
export interface EthTransaction {
  /** The type is 2 when it is absent. */
  readonly type?: unknown;
  /** The sender is the wallet when it is absent. */
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
  /** The values of the primary type, checked, as the caller wrote them. It may have further members, which are not signed. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The chain id of the domain; null when it names none. */
  readonly chainId: bigint | null;
  /** The contract of the domain, checksummed; null when it names none. */
  readonly verifyingContract: string | null;
  /** The signed digest in 0x-hexadecimal. */
  readonly digest: string;
}

/** A transaction that has been read: checked and complete. */
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
  /** The payment, when the transaction does nothing else: the coin without data, or one ERC-20 `transfer` without value. */
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

/**
 * Signs with the keys of wallets, each opened for the duration of one call. Every signature is checked against the
 * wallet's address before it is returned.
 */
export abstract class MessageSigner {
  /**
   * Signs text, exactly as given and never taken for hexadecimal. Ethereum: EIP-191, r, s and v (27 or 28) in
   * 0x-hexadecimal. Solana: the off-chain message envelope, base58. Throws `InvalidMessage`.
   */
  abstract signMessage(key: WalletKey, message: string): string;

  /** Reads EIP-712 typed data; the key stays closed. Throws `InvalidTypedData`, or `UnsupportedWalletType` off Ethereum. */
  abstract readTypedData(key: WalletKey, typedData: TypedData): TypedDataIntent;

  /** Signs typed data that was read, form as `signMessage`. */
  abstract signTypedData(key: WalletKey, intent: TypedDataIntent): string;

  /** Reads an EIP-1559 transaction; the key stays closed. Throws `InvalidTransaction`, or `UnsupportedWalletType` off Ethereum. */
  abstract readTransaction(key: WalletKey, transaction: EthTransaction): TransactionIntent;

  /** Signs a transaction that was read. */
  abstract signTransaction(key: WalletKey, intent: TransactionIntent): SignedTransaction;

  /**
   * Signs a payment that the service has built: an unsigned EIP-1559 transaction in serialised form (returns the 65
   * bytes r, s and v, 27 or 28), or a Solana message whose only signer is the wallet (64 bytes). Throws `NotAPayment` for
   * bytes of any other form.
   */
  abstract signPayment(key: WalletKey, unsigned: Uint8Array): Uint8Array;
}
