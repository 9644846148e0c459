import { AbiCoder, dataSlice, getAddress, getBytes, hexlify, id, keccak256, Transaction } from 'ethers';
import type { Payment, SignedAttempt, TransactionSigner } from '../domain/chain.js';
import type { Receipt } from './ethereum-node.js';

/** An EIP-1559 transaction but for its nonce. */
export interface TransactionFields {
  readonly chainId: number;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** `transfer(address,uint256)` */
const TRANSFER = id('transfer(address,uint256)').slice(0, 10);
const TRANSFER_LOG = id('Transfer(address,address,uint256)');
export const BALANCE_OF = id('balanceOf(address)').slice(0, 10);
export const DECIMALS = id('decimals()').slice(0, 10);

/** What a payment is on the chain: its value to its destination, or a call of the token's contract that moves it. */
export function callOf({ asset, dest, amount }: Payment): Pick<TransactionFields, 'to' | 'value' | 'data'> {
  if (asset.token === null) return { to: dest, value: amount, data: '0x' };
  return { to: asset.token, value: 0n, data: TRANSFER + encoded(['address', 'uint256'], [dest, amount]) };
}

/** The call of a token's view of an address: the selector and the address as its argument. */
export function viewOf(selector: string, address: string): string {
  return selector + encoded(['address'], [address]);
}

/** Signs, and reads the signed bytes back: they say what was intended, or nothing leaves. */
export function signTransaction(
  fields: TransactionFields,
  source: string,
  signer: TransactionSigner,
  nonce: number | null,
): SignedAttempt {
  if (nonce === null) throw new Error('An Ethereum transaction needs a nonce.');
  if (signer.address !== source) throw new Error('The signer is not the source of the payment.');
  const transaction = Transaction.from({ type: 2, ...fields, nonce });
  const unsigned = transaction.unsignedSerialized;
  const signature = hexlify(signer.signTransaction(getBytes(unsigned)));
  transaction.signature = signature;
  const serialized = transaction.serialized;
  const raw = getBytes(serialized);
  const read = Transaction.from(serialized);
  const isIntended =
    read.type === 2 &&
    read.chainId === BigInt(fields.chainId) &&
    read.to === fields.to &&
    read.value === fields.value &&
    read.data === fields.data &&
    read.nonce === nonce &&
    read.gasLimit === fields.gasLimit &&
    read.maxFeePerGas === fields.maxFeePerGas &&
    read.maxPriorityFeePerGas === fields.maxPriorityFeePerGas &&
    read.accessList?.length === 0 &&
    // The signer has recovered itself from this signature over these bytes, so the sender is the source.
    read.unsignedSerialized === unsigned &&
    read.signature?.serialized === signature;
  if (!isIntended) throw new Error('The signed transaction is not the one intended.');
  return {
    network: networkOf(fields.chainId),
    // Not the transaction's own, which serialises it anew to hash it.
    hash: keccak256(raw),
    raw,
    nonce,
    blockhash: null,
    lastValidBlockHeight: null,
    validFromSlot: null,
    maxFee: fields.gasLimit * fields.maxFeePerGas,
  };
}

export function networkOf(chainId: number): string {
  return `eip155:${chainId}`;
}

/** What stored bytes say. */
export function readAttempt({ raw }: SignedAttempt): TransactionFields {
  const { chainId, to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(hexlify(raw));
  if (to === null || maxFeePerGas === null || maxPriorityFeePerGas === null) {
    throw new Error('The stored bytes are not a transaction of ours.');
  }
  return { chainId: Number(chainId), to, value, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * What a mined transaction did. A token's contract may answer success and move nothing, or something else. Only where it tells
 * of no move at all is it certain that paying again pays once: a move told in another form, or from elsewhere, may have paid.
 */
export function outcomeOf(
  source: string,
  { to, data }: TransactionFields,
  receipt: Receipt,
): 'success' | 'reverted' | 'diverged' {
  if (!receipt.succeeded) return 'reverted';
  if (!data.startsWith(TRANSFER)) return 'success';
  const [dest, amount] = AbiCoder.defaultAbiCoder().decode(['address', 'uint256'], dataSlice(data, 4));
  const moves = receipt.logs.filter(({ address, topics }) => getAddress(address) === to && topics[0] === TRANSFER_LOG);
  if (moves.length === 0) return 'reverted';
  const isPayment = moves.some(
    ({ topics: [, from, receiver], data: value }) =>
      from !== undefined &&
      receiver !== undefined &&
      addressIn(from) === source &&
      addressIn(receiver) === dest &&
      value.length === 66 &&
      BigInt(value) === amount,
  );
  return isPayment ? 'success' : 'diverged';
}

function addressIn(topic: string): string {
  return getAddress(dataSlice(topic, 12));
}

function encoded(types: string[], values: unknown[]): string {
  return AbiCoder.defaultAbiCoder().encode(types, values).slice(2);
}
