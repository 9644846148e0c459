import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { isIPv4, isIPv6 } from 'node:net';
import { createHash } from 'node:crypto';
import type { Recipient } from '../../kernel/limits.js';

/** A provider assigns a /64 to one customer. `X-Forwarded-For` counts as far as `trust proxy`; else the network is that of the proxy. */
export function clientNetwork(request: Pick<Request, 'ip' | 'ips' | 'socket'>): string {
  return networkOf(request.ip) ?? networkOf(request.ips[1] ?? request.socket.remoteAddress) ?? 'unknown';
}

/** Providers assign a /48 to a site, which has 65,536 networks; undefined for an IPv4 address. */
export function siteOf(network: string): string | undefined {
  const groups = network.split(':', 3);
  return groups.length === 3 ? `${groups.join(':')}::/48` : undefined;
}

/** The multiple of one network's limit for all networks of a site. */
export const NETWORKS_PER_SITE = 8;

export function countedNetworks(address: string | undefined): readonly { network: string; factor: number }[] {
  const network = networkOf(address);
  const site = network && siteOf(network);
  return [
    ...(network ? [{ network, factor: 1 }] : []),
    ...(site ? [{ network: site, factor: NETWORKS_PER_SITE }] : []),
  ];
}

/** Proxies write a port after the address (RFC 7239, section 6): an IPv6 address is then in brackets. */
const NODE = /^(?:\[([^[\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

/** Proxies write addresses also in quotes, in brackets, and with a port. An IPv4-mapped address becomes IPv4. */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  const node = text.trim().replace(/^"(.*)"$/s, '$1');
  const [, bracketed, dotted] = NODE.exec(node) ?? [];
  if (dotted !== undefined && isIPv4(dotted)) return dotted;
  const address = bracketed ?? node;
  // A zone (fe80::1%eth0) has a meaning only on its machine, and ipaddr.js does not parse every zone.
  return isIPv6(address) ? ipaddr.process(address.replace(/%.*$/s, '')).toString() : undefined;
}

/** True without networks; false for an unknown address. */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (networks.length === 0) return true;
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const parsed = ipaddr.parse(plain);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}

const CIDR = /^([^/%]+)\/(\d{1,3})$/;

/** An IPv4-mapped network is refused, because addresses are compared as IPv4. */
export function isNetwork(text: string): boolean {
  const [, address = '', bits] = CIDR.exec(text) ?? [];
  if (!isIPv4(address) && !isIPv6(address)) return false;
  const range = ipaddr.parse(address);
  if (Number(bits) > (range.kind() === 'ipv4' ? 32 : 128)) return false;
  if (range.kind() === 'ipv6' && (range as ipaddr.IPv6).isIPv4MappedAddress()) return false;
  const first = (range.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(
    `${range.toString()}/${bits}`,
  );
  return first.toString() === range.toString();
}

export function networkOf(address: string | undefined): string | undefined {
  const plain = plainAddress(address);
  if (plain === undefined || isIPv4(plain)) return plain;
  return `${ipaddr.IPv6.parse(plain)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** The key has a constant length. It does not hide the address, which the database holds anyway. */
export function recipientKey({ kind, canonical }: Recipient): string {
  return `recipient:${createHash('sha256').update(`${kind} ${canonical}`).digest('base64url').slice(0, 22)}`;
}
