import { address } from '@solana/kit';
import { getMintSize, getTokenSize } from '@solana-program/token';

// Extensions of Token-2022 may take fees from a transfer, run code in it, or freeze its recipient: the service pays with none.

export const TOKEN_2022_PROGRAM_ADDRESS = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

/** Types between these are extensions of token accounts. */
const EXTENSIONS: Readonly<Record<number, string>> = {
  1: 'TransferFeeConfig',
  3: 'MintCloseAuthority',
  4: 'ConfidentialTransferMint',
  6: 'DefaultAccountState',
  9: 'NonTransferable',
  10: 'InterestBearingConfig',
  12: 'PermanentDelegate',
  14: 'TransferHook',
  16: 'ConfidentialTransferFeeConfig',
  18: 'MetadataPointer',
  19: 'TokenMetadata',
  20: 'GroupPointer',
  21: 'TokenGroup',
  22: 'GroupMemberPointer',
  23: 'TokenGroupMember',
  24: 'ConfidentialMintBurn',
  25: 'ScaledUiAmountConfig',
  26: 'Pausable',
  28: 'PermissionedBurn',
};
/** The program has fewer; more would make a refusal of any length. */
const MOST_EXTENSIONS = 64;

/** An account with extensions is at least as long as a token account, and then has its kind, which is 1 for a mint. */
const KIND_AT = getTokenSize();
const MINT = 1;
/** A type and a length, of two bytes each. */
const HEAD_BYTES = 4;

/** Unknown extensions are numbers; null if the bytes are no mint of Token-2022. */
export function extensionsOf(mint: Uint8Array): readonly string[] | null {
  if (mint.length === getMintSize()) return [];
  if (mint[KIND_AT] !== MINT) return null;
  const bytes = new DataView(mint.buffer, mint.byteOffset, mint.byteLength);
  const types = new Set<number>();
  let at = KIND_AT + 1;
  // A type of 0 begins the unused rest, which may be shorter than a head.
  while (at + 2 <= bytes.byteLength && bytes.getUint16(at, true) !== 0) {
    if (at + HEAD_BYTES > bytes.byteLength) return null;
    types.add(bytes.getUint16(at, true));
    at += HEAD_BYTES + bytes.getUint16(at + 2, true);
    if (at > bytes.byteLength || types.size > MOST_EXTENSIONS) return null;
  }
  return [...types].map((type) => EXTENSIONS[type] ?? `type ${type}`);
}
