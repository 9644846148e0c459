import { getAddress } from 'ethers/address';
import type { FieldError } from '../../../../kernel/domain-error.js';
import type { EthTransaction, PlainPayment, TransactionIntent } from '../domain/message-signer.js';
import { InvalidTransaction } from '../../wallets/domain/wallet.errors.js';
import { ethereumAddressOf } from '../../../../services/crypto/keccak.js';
import { isHexBytes, MAX_UINT256, MAX_UINT64, unsignedOf } from './ethereum-fields.js';

/** Signed without these members, the transaction would not be the one that was sent. */
const UNSUPPORTED = [
  ['gasPrice', 'accessList', 'authorizationList', 'maxFeePerBlobGas', 'blobVersionedHashes'],
  ['blobs', 'commitments', 'proofs', 'kzg', 'sidecars', 'blobWrapperVersion'],
].flat();

/** 128 KiB as hexadecimal text. Nodes refuse transactions of more than 128 KiB; code that creates a contract has at most 48 KiB. */
const MAX_DATA_BYTES = 64 * 1024;

/** Throws `InvalidTransaction`, which names every faulty field. */
export function readTransaction(transaction: EthTransaction, sender: string): TransactionIntent {
  const faults: FieldError[] = [];
  const fault = (name: string, rule: string, what: string): void => {
    const field = `eth_transaction.${name}`;
    faults.push({ field, rule, message: `${field} ${what}.` });
  };
  const number = (name: keyof EthTransaction, unit: string, min: bigint, max: bigint, standard?: bigint): bigint => {
    const given = transaction[name] ?? undefined;
    if (given === undefined && standard !== undefined) return standard;
    const value = unsignedOf(given);
    if (given === undefined) fault(name, 'required', 'is required');
    else if (value === null) fault(name, 'number', 'must be a whole number, decimal or 0x-hexadecimal');
    else if (value < min) fault(name, 'min', `must be at least ${min} ${unit}`);
    else if (value > max) fault(name, 'max', `must be at most ${max} ${unit}`);
    return value ?? min;
  };

  const given = transaction as Readonly<Record<string, unknown>>;
  for (const name of UNSUPPORTED) {
    if ((given[name] ?? null) !== null)
      fault(name, 'unsupported', 'is not signed: only plain EIP-1559 transactions are');
  }
  const type = transaction.type ?? 2;
  if (type !== 'eip1559' && unsignedOf(type) !== 2n) fault('type', 'unsupported', 'must be 2 (EIP-1559)');
  if (ethereumAddressOf(transaction.from ?? sender) !== sender) fault('from', 'sender', 'must be the wallet');
  const to = transaction.to ?? null;
  const address = to === null ? null : ethereumAddressOf(to);
  if (to !== null && address === null) {
    fault('to', 'address', 'must be an address of 0x and 40 digits, checksummed (EIP-55) or all in lower case');
  }
  const input = transaction.input ?? null;
  const data = transaction.data ?? input ?? '0x';
  const isSame = isHexBytes(input) && isHexBytes(data) && input.toLowerCase() === data.toLowerCase();
  if (input !== null && !isSame) {
    fault('input', 'hex', 'must be bytes in 0x-hexadecimal, the same as data where both are given');
  } else if (!isHexBytes(data)) fault('data', 'hex', 'must be bytes in 0x-hexadecimal');
  else if (data.length > 2 + 2 * MAX_DATA_BYTES)
    fault('data', 'too_long', `must have at most ${MAX_DATA_BYTES} bytes, which are 128 KiB of hexadecimal`);
  else if (to === null && data === '0x') fault('to', 'required', 'is required, unless data creates a contract');

  const value = number('value', 'wei', 0n, MAX_UINT256, 0n);
  // Nonces go to 2^64-2 (EIP-2681), but no account comes near the largest JSON number.
  const nonce = number('nonce', 'transactions before it', 0n, BigInt(Number.MAX_SAFE_INTEGER));
  const gasLimit = number('gas', 'units of gas', 0n, MAX_UINT64);
  const maxFeePerGas = number('maxFeePerGas', 'wei', 0n, MAX_UINT256);
  const maxPriorityFeePerGas = number('maxPriorityFeePerGas', 'wei', 0n, MAX_UINT256);
  const chainId = number('chainId', '(a chain id)', 1n, MAX_UINT256);
  if (faults.length === 0 && maxPriorityFeePerGas > maxFeePerGas) {
    fault('maxPriorityFeePerGas', 'max', 'must not exceed maxFeePerGas');
  }
  if (faults.length > 0) throw new InvalidTransaction(faults);
  const fields = { to: address, value, data: (data as string).toLowerCase() };
  return {
    ...fields,
    nonce: Number(nonce),
    gasLimit,
    maxFeePerGas,
    maxPriorityFeePerGas,
    chainId,
    network: `eip155:${chainId}`,
    payment: paymentIn(fields),
  };
}

/** A call of `transfer(address,uint256)`, encoded in the one way it has. */
const TOKEN_TRANSFER = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/;

function paymentIn({ to, value, data }: Pick<TransactionIntent, 'to' | 'value' | 'data'>): PlainPayment | null {
  if (to === null) return null;
  if (data === '0x') return { token: null, dest: to, amount: value };
  const [, dest, amount] = TOKEN_TRANSFER.exec(data) ?? [];
  if (dest === undefined || value !== 0n) return null;
  return { token: to, dest: getAddress(`0x${dest}`), amount: BigInt(`0x${amount}`) };
}
