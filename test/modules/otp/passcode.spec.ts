import { newCode, PASSCODE } from '../../../src/modules/otp/domain/passcode.js';

describe('a new code', () => {
  const codes = Array.from({ length: 60_000 }, newCode);

  it('a passcode has six digits, including leading zeros', () => {
    expect(codes.filter((code) => !PASSCODE.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  });

  it('a passcode has every digit at every position equally often', () => {
    for (let place = 0; place < 6; place++) {
      const counts = new Map<string, number>();
      for (const code of codes) counts.set(code[place]!, (counts.get(code[place]!) ?? 0) + 1);
      // 6,000 are expected with a deviation of 73; six deviations happen by chance once in 500 million runs.
      for (let digit = 0; digit < 10; digit++) {
        expect(Math.abs((counts.get(String(digit)) ?? 0) - 6_000)).toBeLessThan(6 * 73.5);
      }
    }
  });

  it('consecutive passcodes are independent', () => {
    expect(new Set(codes).size).toBeGreaterThan(57_500);
  });
});
