import { assertMessageSignable } from '../../../../src/modules/policy/gate/domain/message-policy.js';
import { MessageNotAllowed } from '../../../../src/modules/policy/rules/domain/policy.errors.js';

const HASH = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
const SIGN_IN =
  'example.com wants you to sign in with your Ethereum account:\n0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB\n\nURI: https://example.com\r\n\tNonce: 12345678';

/** A Safe accepts the signature of `\x19Ethereum Signed Message:\n32` and 32 bytes as that of a transaction (`eth_sign`). */
const HASHES: readonly (readonly [string, string])[] = [
  ['32 letters', 'abcdefghijklmnopqrstuvwxyz012345'],
  ['32 bytes in letters of two bytes', 'é'.repeat(16)],
  ['32 bytes in 8 printable letters of four bytes', '🦄'.repeat(8)],
  ['32 blanks', ' '.repeat(32)],
  ['a hash', HASH],
  ['a hash with 0x', `0x${HASH}`],
  ['a hash with 0X in capitals', `0X${HASH.toUpperCase()}`],
  ['a hash with white space around it', `\n\t 0x${HASH} \r\n`],
  ['a hash with other white space around it', `\u00a0${HASH}\u2003`],
  ['a hash in quotation marks', `"0x${HASH}"`],
];

const UNPRINTABLE: readonly (readonly [string, string])[] = [
  ['a control character', 'pay\u0007'],
  ['an escape sequence', '\u001b[2Jpay'],
  ['the prefix of another signature', '\u0019Ethereum Signed Message:\n4text'],
  ['a delete', 'pay\u007f'],
  ['a C1 control character', 'pay\u0085'],
  ['text in another direction', 'pay \u202eecila'],
  ['a byte order mark', '\ufeffpay'],
  ['a private character', 'pay \ue000'],
  ['a character that does not exist', 'pay \u{e0fff}'],
];

const TEXTS: readonly (readonly [string, string])[] = [
  ['a login', SIGN_IN],
  ['a word', 'hello'],
  ['no text', ''],
  ['31 letters', 'a'.repeat(31)],
  ['33 letters', 'a'.repeat(33)],
  ['32 letters of more bytes', `${'a'.repeat(31)}é`],
  ['other writing', 'Ich stimme zu. 同意します 👩‍👩‍👧'],
  ['a sentence about a hash', `I have read the document ${HASH}.`],
  ['half a hash', HASH.slice(0, 40)],
  ['an address', `0x${HASH.slice(0, 40)}`],
];

const isSigned = (messages: 'any' | 'text' | 'none' | undefined, message: string): boolean => {
  try {
    assertMessageSignable({ messages }, message);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(MessageNotAllowed);
    return false;
  }
};

describe('the policy of an app on messages', () => {
  it.each([...HASHES, ...UNPRINTABLE])('text refuses %s', (_, message) => {
    expect(isSigned('text', message)).toBe(false);
  });

  it.each(TEXTS)('text allows %s', (_, message) => {
    expect(isSigned('text', message)).toBe(true);
  });

  it('any, the default, allows every message, and none allows no message', () => {
    for (const [, message] of [...HASHES, ...UNPRINTABLE, ...TEXTS]) {
      expect([isSigned(undefined, message), isSigned('any', message), isSigned('none', message)]).toEqual([
        true,
        true,
        false,
      ]);
    }
  });
});
