/** A copy from a mail may contain invisible characters too. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212]/gu;
const DIGIT = /\p{Nd}/u;

/** Digits of other scripts and full-width digits become ASCII digits. */
export function plainCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .replace(SEPARATORS, '')
    .replace(/\p{Nd}/gu, valueOf);
}

/** Unicode assigns the digits of a script, from 0 to 9, without a gap. */
function valueOf(digit: string): string {
  const point = digit.codePointAt(0)!;
  let zero = point;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((point - zero) % 10);
}
