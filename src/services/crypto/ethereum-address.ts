import { keccak } from './keccak.js';

/**
 * The address in its checksummed form (EIP-55), or null. The text must be checksummed or all in lower case: the other forms
 * that ethers accepts (ICAP, no 0x, all in upper case) are more often a mistake than an address.
 */
export function ethereumAddressOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return null;
  const lowerCase = value.toLowerCase();
  const checksummed = checksummedOf(lowerCase);
  return value === checksummed || value === lowerCase ? checksummed : null;
}

/** The address by EIP-55: a letter is in upper case where the hash of the address has 8 or more. ethers takes five times as long. */
function checksummedOf(lowerCase: string): string {
  const hash = keccak(Buffer.from(lowerCase.slice(2), 'latin1')).toString('hex');
  let address = '0x';
  for (let i = 0; i < 40; i++) {
    const digit = lowerCase[i + 2]!;
    address += hash[i]! >= '8' ? digit.toUpperCase() : digit;
  }
  return address;
}
