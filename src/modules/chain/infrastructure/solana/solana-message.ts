import {
  type Address,
  address,
  decompileTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  type Instruction,
  type InstructionWithData,
  isInstructionWithAccounts,
  isInstructionWithData,
  type ReadonlyUint8Array,
  verifySignature,
} from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  parseSetComputeUnitLimitInstruction,
  parseSetComputeUnitPriceInstruction,
  SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR,
  SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR,
} from '@solana-program/compute-budget';
import { parseAddMemoInstruction } from '@solana-program/memo';
import {
  parseTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
  TRANSFER_SOL_DISCRIMINATOR,
} from '@solana-program/system';
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  CREATE_ASSOCIATED_TOKEN_IDEMPOTENT_DISCRIMINATOR,
  findAssociatedTokenPda,
  parseTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import type { Payment } from '../../../../kernel/chain/payment.js';
import type { Lifetime } from './solana-answers.js';
import type { ComputeBudget } from './solana-fees.js';

/** Every cluster has this memo program; the library's default is a newer one. */
export const MEMO_PROGRAM_ADDRESS = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export interface TokenAccounts {
  readonly source: Address;
  readonly dest: Address;
  /** The payment creates the destination's account before it transfers. */
  readonly createsDest: boolean;
}

export interface Intent {
  readonly payment: Payment;
  readonly tokens: TokenAccounts | null;
  readonly lifetime: Lifetime;
  readonly budget: ComputeBudget;
}

export function movesToken(raw: Uint8Array): boolean {
  return readMessage(raw).instructions.some(({ programAddress }) => programAddress === TOKEN_PROGRAM_ADDRESS);
}

/** Millionths of a lamport per compute unit. */
export function priceIn(raw: Uint8Array): bigint {
  const instructions: readonly Instruction[] = readMessage(raw).instructions;
  return instructions.map(priceOf).find((price) => price !== null) ?? 0n;
}

export function isIntended(raw: Uint8Array, { payment, tokens, lifetime, budget }: Intent): boolean {
  const message = readMessage(raw);
  const [limit, price, ...instructions] = message.instructions;
  const memo = instructions.pop();
  const [move, creation] = tokens?.createsDest ? instructions.toReversed() : instructions;
  return (
    message.payer === payment.source &&
    message.signers === 1 &&
    message.blockhash === lifetime.blockhash &&
    message.instructions.length === (tokens ? 5 : 4) &&
    limitOf(limit) === budget.units &&
    priceOf(price) === budget.microLamports &&
    isMemo(memo, payment.transferId) &&
    (tokens ? isTokenMove(move, payment, tokens) : isCoinMove(move, payment)) &&
    (tokens === null || isCreation(creation, payment, tokens))
  );
}

/** Null unless the payer has signed. Instructions are not read: other programs may name accounts by a table outside the bytes. */
export async function signedMessageIn(
  raw: Uint8Array,
): Promise<{ readonly payer: string; readonly signature: string; readonly blockhash: string } | null> {
  const { messageBytes, signatures } = getTransactionDecoder().decode(raw);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const payer = compiled.staticAccounts[0];
  const signature = payer && signatures[payer];
  if (!payer || !signature) return null;
  const key = await getPublicKeyFromAddress(payer);
  if (!(await verifySignature(key, signature, messageBytes))) return null;
  const blockhash = 'lifetimeToken' in compiled ? compiled.lifetimeToken : null;
  return { payer, signature: getBase58Decoder().decode(signature), blockhash: String(blockhash) };
}

export async function makesPayment(raw: Uint8Array, payment: Payment): Promise<boolean> {
  const { payer, instructions } = readMessage(raw);
  const [move, memo] = instructions.slice(-2);
  if (payer !== payment.source || !isMemo(memo, payment.transferId)) return false;
  const { token } = payment.asset;
  if (token === null) return isCoinMove(move, payment);
  const [source, dest] = await Promise.all([
    associatedAccountOf(payment.source, token),
    associatedAccountOf(payment.dest, token),
  ]);
  return isTokenMove(move, payment, { source, dest, createsDest: false });
}

/** Amount and destination, for people. Empty for any other transaction. */
export function moveIn(raw: Uint8Array): string {
  try {
    const move: Instruction | undefined = readMessage(raw).instructions.at(-2);
    if (!move || !isWhole(move)) return '';
    if (move.programAddress === SYSTEM_PROGRAM_ADDRESS) {
      const { accounts, data } = parseTransferSolInstruction(move);
      return `${data.amount} lamports to ${accounts.destination.address}`;
    }
    const { accounts, data } = parseTransferCheckedInstruction(move);
    return `${data.amount} of ${accounts.mint.address} to ${accounts.destination.address}`;
  } catch {
    return '';
  }
}

export async function associatedAccountOf(owner: string, mint: string): Promise<Address> {
  const [account] = await findAssociatedTokenPda({
    owner: owner as Address,
    mint: mint as Address,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return account;
}

function limitOf(instruction: Instruction | undefined): number | null {
  if (!isBudget(instruction, SET_COMPUTE_UNIT_LIMIT_DISCRIMINATOR)) return null;
  return parseSetComputeUnitLimitInstruction(instruction).data.units;
}

function priceOf(instruction: Instruction | undefined): bigint | null {
  if (!isBudget(instruction, SET_COMPUTE_UNIT_PRICE_DISCRIMINATOR)) return null;
  return parseSetComputeUnitPriceInstruction(instruction).data.microLamports;
}

function isBudget(
  instruction: Instruction | undefined,
  discriminator: number,
): instruction is Instruction & InstructionWithData<ReadonlyUint8Array> {
  return (
    instruction?.programAddress === COMPUTE_BUDGET_PROGRAM_ADDRESS &&
    isInstructionWithData(instruction) &&
    instruction.data[0] === discriminator
  );
}

function isCoinMove(instruction: Instruction | undefined, { source, dest, amount }: Payment): boolean {
  if (instruction?.programAddress !== SYSTEM_PROGRAM_ADDRESS || !isWhole(instruction)) return false;
  const { accounts, data } = parseTransferSolInstruction(instruction);
  return (
    data.discriminator === TRANSFER_SOL_DISCRIMINATOR &&
    data.amount === amount &&
    accounts.source.address === source &&
    accounts.destination.address === dest
  );
}

function isTokenMove(
  instruction: Instruction | undefined,
  { source, asset, amount }: Payment,
  tokens: TokenAccounts,
): boolean {
  if (instruction?.programAddress !== TOKEN_PROGRAM_ADDRESS || !isWhole(instruction)) return false;
  const { accounts, data } = parseTransferCheckedInstruction(instruction);
  return (
    data.discriminator === TRANSFER_CHECKED_DISCRIMINATOR &&
    data.amount === amount &&
    data.decimals === asset.decimals &&
    accounts.source.address === tokens.source &&
    accounts.mint.address === asset.token &&
    accounts.destination.address === tokens.dest &&
    accounts.authority.address === source
  );
}

function isCreation(
  instruction: Instruction | undefined,
  { source, dest, asset }: Payment,
  tokens: TokenAccounts,
): boolean {
  if (instruction?.programAddress !== ASSOCIATED_TOKEN_PROGRAM_ADDRESS || !isWhole(instruction)) return false;
  const [payer, account, owner, mint] = instruction.accounts;
  return (
    instruction.data.length === 1 &&
    instruction.data[0] === CREATE_ASSOCIATED_TOKEN_IDEMPOTENT_DISCRIMINATOR &&
    payer?.address === source &&
    account?.address === tokens.dest &&
    owner?.address === dest &&
    mint?.address === asset.token
  );
}

function isMemo(instruction: Instruction | undefined, text: string): boolean {
  if (instruction?.programAddress !== MEMO_PROGRAM_ADDRESS || !isInstructionWithData(instruction)) return false;
  return parseAddMemoInstruction(instruction).data.memo === text;
}

function isWhole(instruction: Instruction) {
  return isInstructionWithAccounts(instruction) && isInstructionWithData(instruction);
}

function readMessage(raw: Uint8Array) {
  const { messageBytes } = getTransactionDecoder().decode(raw);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  return {
    payer: compiled.staticAccounts[0],
    signers: compiled.header.numSignerAccounts,
    blockhash: 'lifetimeToken' in compiled ? compiled.lifetimeToken : null,
    instructions: decompileTransactionMessage(compiled).instructions,
  };
}
