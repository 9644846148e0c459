import { getAddress } from 'ethers';

/**
 * The address in its checksummed form (EIP-55), or null. The text must be checksummed or all in lower case: the other forms
 * that ethers accepts (ICAP, no 0x, all in upper case) are more often a mistake than an address.
 */
export function ethereumAddressOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return null;
  const checksummed = getAddress(value.toLowerCase());
  return value === checksummed || value === value.toLowerCase() ? checksummed : null;
}
