import {
  address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase58Decoder,
  type Instruction,
  pipe,
  type ReadonlyUint8Array,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token';
import {
  type Payment,
  type SignedAttempt,
  type TransactionSigner,
  WITHOUT_NONCE,
} from '../../../../kernel/chain/payment.js';
import { type Intent, isIntended, MEMO_PROGRAM_ADDRESS, type TokenAccounts } from './solana-message.js';

/** The memo has the transfer's id: two equal payments with one blockhash would have one signature, and the chain ignores the second. */
export function messageOf({ payment, tokens, lifetime, budget }: Intent): ReadonlyUint8Array {
  const payer = createNoopSigner(address(payment.source));
  const moves: Instruction[] = tokens
    ? moveTokens(payment, tokens)
    : [getTransferSolInstruction({ source: payer, destination: address(payment.dest), amount: payment.amount })];
  const offers = [
    getSetComputeUnitLimitInstruction({ units: budget.units }),
    getSetComputeUnitPriceInstruction({ microLamports: budget.microLamports }),
  ];
  const memo = getAddMemoInstruction({ memo: payment.transferId }, { programAddress: MEMO_PROGRAM_ADDRESS });
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(payer.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstructions([...offers, ...moves, memo], message),
    ),
  ).messageBytes;
}

/** Always with the creation, which checks the owner of an existing account. Then it comes last: a closed account fails without rent. */
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
  return accounts.createsDest ? [creation, transfer] : [transfer, creation];
}

/** Decodes the signed bytes again, and throws unless they are exactly the intended payment. */
export function signMessage(
  message: ReadonlyUint8Array,
  intent: Intent,
  terms: { readonly network: string; readonly maxFee: bigint },
  signer: TransactionSigner,
): SignedAttempt {
  const { payment, lifetime } = intent;
  if (signer.address !== payment.source) throw new Error('The signer is not the source of the payment.');
  const signature = signer.signTransaction(message as Uint8Array);
  if (signature.length !== 64) throw new Error('The signature is not one of Ed25519.');
  // The signer has verified this one signature over these bytes.
  const raw = Buffer.concat([Uint8Array.of(1), signature, message as Uint8Array]);
  if (!isIntended(raw, intent)) throw new Error('The signed transaction is not the intended one.');
  return {
    network: terms.network,
    hash: getBase58Decoder().decode(signature),
    raw,
    ...WITHOUT_NONCE,
    blockhash: lifetime.blockhash,
    lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
    validFromSlot: Number(lifetime.slot),
    maxFee: terms.maxFee,
  };
}
