import { MessageNotAllowed } from '../wallets/wallet.errors.js';

/** Which messages an app lets its wallets sign. */
export interface MessagePolicy {
  /** The messages to sign. `any` (the default): every message. `text`: messages that people read. `none`: no message. */
  readonly messages?: 'any' | 'text' | 'none';
}

/** Every character that is not printed, except line breaks, tabs and the joiners that some scripts and emoji are written with. */
const UNPRINTABLE = /[^\P{C}\t\n\r\u200c\u200d]/u;
/** 32 bytes in hexadecimal and nothing else, with or without white space and quotation marks around them. */
const HASH = /^\W*(0x)?[0-9a-f]{64}\W*$/i;
const HASH_BYTES = 32;

/**
 * To be asked before a key is opened. EIP-191 hashes a message of 32 bytes as it hashes a 32-byte digest, and Safes and other smart
 * accounts accept such a signature as that of the transaction with this digest. The fields of a transaction can be chosen so that
 * its digest is well-formed text, therefore `text` refuses every message of 32 bytes. Throws `MessageNotAllowed`.
 */
export function assertMessageSignable({ messages = 'any' }: MessagePolicy, message: string): void {
  if (messages === 'any') return;
  if (messages === 'none') throw new MessageNotAllowed('messages');
  if (UNPRINTABLE.test(message)) throw new MessageNotAllowed('a message with unprintable characters');
  if (Buffer.byteLength(message) === HASH_BYTES) throw new MessageNotAllowed('a message of 32 bytes');
  if (HASH.test(message)) throw new MessageNotAllowed('a hash');
}
