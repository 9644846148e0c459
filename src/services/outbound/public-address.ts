import ipaddr from 'ipaddr.js';

// Azure's wire server returns machine credentials, but its address is in a public range, unlike those of other clouds.
const METADATA_IN_PUBLIC_RANGE = ['168.63.129.16'];

// The only IPv6 range with assigned addresses. Forms that ipaddr.js does not classify (::127.0.0.1) are outside of it.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** An IPv4 address written as IPv6 counts as IPv4. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast' && !METADATA_IN_PUBLIC_RANGE.includes(parsed.toString());
}
