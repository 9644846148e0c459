import ipaddr from 'ipaddr.js';

// Azure's wire server hands out machine credentials, yet lies in a public range. The other clouds' metadata services
// are link-local, unique-local, shared (CGNAT) or reserved addresses.
const METADATA_IN_PUBLIC_RANGE = ['168.63.129.16'];

// The only IPv6 addresses ever handed out. What ipaddr.js does not know by name (the old ::127.0.0.1) lies outside.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is an ordinary address of the public internet: not private, loopback, link-local, shared,
 * multicast, reserved, tunnelled or a cloud's metadata service. An IPv4 address written as IPv6 counts as what it is.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === 'unicast' && !METADATA_IN_PUBLIC_RANGE.includes(parsed.toString());
}
