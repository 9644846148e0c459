import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network a request comes from: its IPv4 address, or the /64 of its IPv6 address, which is what one household or
 * machine holds. `X-Forwarded-For` counts only as far as Express's `trust proxy` believes the proxies that wrote it.
 */
export function clientNetwork(request: Pick<Request, 'ip' | 'socket'>): string {
  return networkOf(request.ip) ?? networkOf(request.socket.remoteAddress) ?? 'unknown';
}

/** The network an address lies in; undefined when it is none. */
export function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || isIPv4(address)) return address;
  if (!isIPv6(address)) return undefined;
  // The zone (fe80::1%eth0) means something only to the machine that wrote it, and not everything that may stand there is
  // understood here. `process` turns an IPv4 address in IPv6 clothes (::ffff:192.0.2.1) back into itself.
  const parsed = ipaddr.process(address.replace(/%.*$/s, ''));
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
