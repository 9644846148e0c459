import { AbiCoder } from 'ethers/abi';
import { getAddress } from 'ethers/address';
import { keccak256 } from 'ethers/crypto';
import { id } from 'ethers/hash';
import { Transaction } from 'ethers/transaction';
import { dataSlice, hexlify } from 'ethers/utils';
import {
  type DataFees,
  type Payment,
  type SignedAttempt,
  type TransactionSigner,
  WITHOUT_SLOTS,
} from '../../../../kernel/chain/payment.js';
import { caip2Of } from '../../../../services/config/networks.js';
import { type Eip1559Fields, isSignedIntent, serialized } from '../../../../services/crypto/eip1559.js';
import type { Place } from './block-links.js';
import type { Receipt } from './ethereum-answers.js';

export interface TransactionFields {
  readonly chainId: number;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export type UnsignedFields = Omit<TransactionFields, 'to'> & { readonly to: string | null };

const TRANSFER = selectorOf('transfer(address,uint256)');
export const TRANSFER_LOG = id('Transfer(address,address,uint256)');
export const BALANCE_OF = selectorOf('balanceOf(address)');
export const DECIMALS = selectorOf('decimals()');

export function callOf({ asset, dest, amount }: Payment): Pick<TransactionFields, 'to' | 'value' | 'data'> {
  if (asset.token === null) return { to: dest, value: amount, data: '0x' };
  return { to: asset.token, value: 0n, data: callData(TRANSFER, ['address', 'uint256'], [dest, amount]) };
}

export function selectorOf(signature: string): string {
  return id(signature).slice(0, 10);
}

export function callData(selector: string, types: string[], values: unknown[]): string {
  return selector + AbiCoder.defaultAbiCoder().encode(types, values).slice(2);
}

export function argumentsOf(data: string, types: string[]): unknown[] {
  return AbiCoder.defaultAbiCoder().decode(types, dataSlice(data, 4));
}

/** Decodes the signed bytes again, and throws unless they contain exactly the intended fields. */
export function signTransaction(
  fields: TransactionFields,
  source: string,
  signer: TransactionSigner,
  nonce: number | null,
  /** The newest block when the fields were made, and a final one; null when the node had none. */
  validFromBlock: number,
  final: Place | null,
  dataFees: DataFees,
): SignedAttempt {
  if (nonce === null) throw new Error('An Ethereum transaction needs a nonce.');
  if (signer.address !== source) throw new Error('The signer is not the source of the payment.');
  const intent = withNonce(fields, nonce);
  // The signer has recovered its own address from this signature over these bytes, so the sender is the source.
  const bytes = signer.signTransaction(serialized(intent));
  if (bytes.length !== 65 || (bytes[64] !== 27 && bytes[64] !== 28))
    throw new Error('The signature does not consist of r, s and v.');
  const signature = hexlify(bytes);
  const raw = serialized(intent, signature);
  if (!isSignedIntent(raw, intent, signature)) throw new Error('The signed transaction is not the intended one.');
  return {
    network: caip2Of(fields.chainId),
    hash: keccak256(raw),
    raw,
    nonce,
    ...WITHOUT_SLOTS,
    validFromBlock,
    finalBlock: final?.number ?? null,
    finalBlockHash: final?.hash ?? null,
    maxFee: fields.gasLimit * fields.maxFeePerGas + dataFees.l1 + dataFees.operator,
  };
}

export function unsignedBytes(fields: UnsignedFields, nonce: number): Uint8Array {
  return serialized(withNonce(fields, nonce));
}

function withNonce(fields: UnsignedFields, nonce: number): Eip1559Fields {
  return { ...fields, chainId: BigInt(fields.chainId), nonce };
}

export function readAttempt({ raw }: SignedAttempt): TransactionFields {
  const { chainId, to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(hexlify(raw));
  if (to === null || maxFeePerGas === null || maxPriorityFeePerGas === null) {
    throw new Error('The stored bytes are not a transaction of this service.');
  }
  return { chainId: Number(chainId), to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
}

/** Addresses are checksummed. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

export function isTokenCall(data: string): boolean {
  return data.startsWith(TRANSFER);
}

export function movedBy(data: string): Pick<Move, 'to' | 'amount'> {
  const [to, amount] = argumentsOf(data, ['address', 'uint256']);
  return { to: to as string, amount: amount as bigint };
}

/** Only moves that the token's contract logged. */
export function movesIn({ logs }: Pick<Receipt, 'logs'>, token: string): Move[] {
  return logs.flatMap(({ address, topics: [kind, from, to], data }) => {
    if (getAddress(address) !== token || kind !== TRANSFER_LOG || !from || !to || data.length !== 66) return [];
    return [{ from: addressIn(from), to: addressIn(to), amount: BigInt(data) }];
  });
}

/** A token may report success and move nothing, or move without a log: only a failed transaction certainly moved nothing. */
export function outcomeOf(
  source: string,
  { to: token, data }: TransactionFields,
  receipt: Receipt,
): 'success' | 'reverted' | 'diverged' {
  if (!receipt.succeeded) return 'reverted';
  if (!isTokenCall(data)) return 'success';
  const wanted = movedBy(data);
  const isPayment = movesIn(receipt, token).some(
    ({ from, to, amount }) => from === source && to === wanted.to && amount === wanted.amount,
  );
  return isPayment ? 'success' : 'diverged';
}

function addressIn(topic: string): string {
  return getAddress(dataSlice(topic, 12));
}
