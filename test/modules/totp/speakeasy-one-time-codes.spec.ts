import { randomBytes } from 'node:crypto';
import { generateSync } from 'otplib';
import { base32 } from '../../../src/kernel/base32.js';
import { SpeakeasyOneTimeCodes } from '../../../src/modules/totp/infrastructure/speakeasy-one-time-codes.js';

const codes = new SpeakeasyOneTimeCodes();
const secret = Buffer.from('12345678901234567890');
const at = (seconds: number) => new Date(seconds * 1000);

// RFC 6238, appendix B, the last six of its eight digits.
it.each([
  [59, '287082', 1],
  [1111111109, '081804', 37037036],
  [1111111111, '050471', 37037037],
  [1234567890, '005924', 41152263],
  [2000000000, '279037', 66666666],
  [20000000000, '353130', 666666666],
])('accepts the code of RFC 6238 at second %d', (seconds, code, step) => {
  expect(codes.stepOf(code, secret, at(seconds))).toBe(step);
});

it('accepts the codes of another implementation for random secrets', () => {
  for (let i = 0; i < 50; i++) {
    const secret = randomBytes(20);
    const code = generateSync({ secret: base32(secret), epoch: 1_800_000_000 });
    expect(codes.stepOf(code, secret, at(1_800_000_000))).toBe(60_000_000);
  }
});

it('accepts only the current, previous and next step, exact to the second', () => {
  // 081804 is the code of the seconds 1111111080 to 1111111109.
  const accepted = [1111111049, 1111111050, 1111111080, 1111111139, 1111111140].map(
    (seconds) => codes.stepOf('081804', secret, at(seconds)) !== null,
  );
  expect(accepted).toEqual([false, true, true, true, false]);
});

it.each(['81804', '81804x', ' 81804', '+81804', '081804 ', '081804\n', '0081804', '8.1804', '٠٨١٨٠٤', '', '0x13f8'])(
  'refuses %j, which a number parser may accept',
  (junk) => {
    expect(codes.stepOf(junk, secret, at(1111111109))).toBeNull();
  },
);

it('refuses every code for an empty secret', () => {
  // The HOTP of an empty key and counter 1, which the library would accept.
  expect(codes.stepOf('812658', Buffer.alloc(0), at(59))).toBeNull();
});
