import { plainCode } from '../../../src/edge/http/plain-code.js';
import { mintRecoveryCodes, PLAIN_RECOVERY_CODE, positionOf } from '../../../src/modules/totp/domain/totp.js';

it('an authenticator gets 16 different recovery codes of two groups of five', () => {
  const codes = mintRecoveryCodes();
  expect(new Set(codes).size).toBe(16);
  for (const code of codes) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
});

it('recovery codes use every character equally often', () => {
  const counts = new Map<string, number>();
  const characters = Array.from({ length: 250 }, mintRecoveryCodes).flat().join('').replaceAll('-', '');
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(36);
  const expected = characters.length / 36;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 35 degrees of freedom: above 90 once in a million runs.
  expect(chiSquare).toBeLessThan(90);
});

it('a recovery code is found at its position in every accepted spelling', () => {
  const codes = mintRecoveryCodes();
  codes.forEach((code, position) => {
    const blanks = [...code].join('\u00a0');
    for (const typed of [code, code.toUpperCase(), code.replace('-', ''), ` ${code.replace('-', ' ')}\n`, blanks]) {
      expect(plainCode(typed)).toMatch(PLAIN_RECOVERY_CODE);
      expect(positionOf(plainCode(typed), codes)).toBe(position);
    }
  });
  expect(positionOf('aaaaa-aaaaa', codes)).toBe(-1);
});

it.each(['', 'aaaaa', 'aaaaa-aa', `${'aaaaa-'.repeat(8)}a`, 'ааааа-ааааа', 'aaaaa-aaaa!'])(
  '%j is not a recovery code',
  (text) => {
    expect(plainCode(text)).not.toMatch(PLAIN_RECOVERY_CODE);
  },
);
