import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getAddressEncoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  isInstructionWithAccounts,
  isInstructionWithData,
  pipe,
  type ReadonlyUint8Array,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type SignatureBytes,
} from '@solana/kit';
import { getAddMemoInstruction, parseAddMemoInstruction } from '@solana-program/memo';
import {
  getTransferSolInstruction,
  parseTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
  TRANSFER_SOL_DISCRIMINATOR,
} from '@solana-program/system';
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  CREATE_ASSOCIATED_TOKEN_IDEMPOTENT_DISCRIMINATOR,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  parseTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import { createPublicKey, verify } from 'node:crypto';
import type { Payment, SignedAttempt, TransactionSigner } from '../domain/chain.js';
import type { Lifetime } from './solana-node.js';

/** The memo program every cluster has; the library's default is a newer one. */
const MEMO_PROGRAM_ADDRESS = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** What a 32-byte public key lacks to be one as RFC 8410 writes it. */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

/** The accounts in which source and destination hold a token. */
export interface TokenAccounts {
  readonly source: Address;
  readonly dest: Address;
  /** Whether the destination's must be made first. */
  readonly createsDest: boolean;
}

/**
 * The message of a payment. The transfer's id is in a memo: two payments alike in everything else would have one
 * signature within a blockhash, and the chain would swallow the second.
 */
export function messageOf(payment: Payment, tokens: TokenAccounts | null, lifetime: Lifetime): ReadonlyUint8Array {
  const payer = createNoopSigner(address(payment.source));
  const moves: Instruction[] = tokens
    ? moveTokens(payment, tokens)
    : [getTransferSolInstruction({ source: payer, destination: address(payment.dest), amount: payment.amount })];
  const memo = getAddMemoInstruction({ memo: payment.transferId }, { programAddress: MEMO_PROGRAM_ADDRESS });
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...moves, memo], message),
    ),
  ).messageBytes;
}

function moveTokens({ source, dest, asset, amount }: Payment, accounts: TokenAccounts): Instruction[] {
  const owner = createNoopSigner(address(source));
  const mint = address(asset.token as string);
  const creation = getCreateAssociatedTokenIdempotentInstruction({
    payer: owner,
    ata: accounts.dest,
    owner: address(dest),
    mint,
  });
  const transfer = getTransferCheckedInstruction({
    source: accounts.source,
    mint,
    destination: accounts.dest,
    authority: owner,
    amount,
    decimals: asset.decimals,
  });
  return accounts.createsDest ? [creation, transfer] : [transfer];
}

/** Signs, and reads the signed bytes back: they say what was intended, or nothing leaves. */
export function signMessage(
  payment: Payment,
  tokens: TokenAccounts | null,
  lifetime: Lifetime,
  terms: { readonly network: string; readonly maxFee: bigint },
  signer: TransactionSigner,
): SignedAttempt {
  if (signer.address !== payment.source) throw new Error('The signer is not the source of the payment.');
  const messageBytes = messageOf(payment, tokens, lifetime) as ReturnType<typeof compileTransaction>['messageBytes'];
  const signature = signer.signTransaction(new Uint8Array(messageBytes)) as SignatureBytes;
  const raw = getTransactionEncoder().encode({ messageBytes, signatures: { [payment.source]: signature } });
  if (!isIntended(raw, payment, tokens, lifetime)) throw new Error('The signed transaction is not the one intended.');
  return {
    network: terms.network,
    hash: getBase58Decoder().decode(signature),
    raw: new Uint8Array(raw),
    nonce: null,
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
    validFromSlot: Number(lifetime.slot),
    maxFee: terms.maxFee,
  };
}

/** Whether the bytes of an attempt move a token, rather than the chain's own coin. */
export function movesToken(raw: Uint8Array): boolean {
  return readInstructions(raw).some(({ programAddress }) => programAddress === TOKEN_PROGRAM_ADDRESS);
}

function isIntended(
  raw: ReadonlyUint8Array,
  payment: Payment,
  tokens: TokenAccounts | null,
  lifetime: Lifetime,
): boolean {
  const { messageBytes, signatures } = getTransactionDecoder().decode(raw);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const signature = signatures[address(payment.source)];
  if (
    !('lifetimeToken' in compiled) ||
    compiled.lifetimeToken !== lifetime.blockhash ||
    compiled.header.numSignerAccounts !== 1 ||
    compiled.staticAccounts[0] !== payment.source ||
    !signature ||
    !isSignedBy(payment.source, messageBytes, signature)
  ) {
    return false;
  }
  const instructions = [...readInstructions(raw)];
  const memo = instructions.pop();
  const move = instructions.pop();
  const creation = instructions.pop();
  if (instructions.length > 0 || Boolean(creation) !== Boolean(tokens?.createsDest)) return false;
  return (
    isMemo(memo, payment.transferId) &&
    (tokens ? isTokenMove(move, payment, tokens) : isCoinMove(move, payment)) &&
    (creation === undefined || isCreation(creation, payment, tokens as TokenAccounts))
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

function isCreation(instruction: Instruction, { source, dest, asset }: Payment, tokens: TokenAccounts): boolean {
  if (instruction.programAddress !== ASSOCIATED_TOKEN_PROGRAM_ADDRESS || !isWhole(instruction)) return false;
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

function readInstructions(raw: ReadonlyUint8Array): readonly Instruction[] {
  const compiled = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(raw).messageBytes);
  return decompileTransactionMessage(compiled).instructions;
}

function isSignedBy(signer: string, message: ReadonlyUint8Array, signature: ReadonlyUint8Array): boolean {
  const key = Buffer.concat([SPKI_HEADER, getAddressEncoder().encode(address(signer)) as Uint8Array]);
  return verify(
    null,
    message as Uint8Array,
    createPublicKey({ key, format: 'der', type: 'spki' }),
    signature as Uint8Array,
  );
}
