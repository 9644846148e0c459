import { getAddress } from 'ethers/address';

/** An address as it is stored: an Ethereum address with its checksum, which is only upper and lower case. */
export function storedSpelling(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? getAddress(address.toLowerCase()) : address;
}
