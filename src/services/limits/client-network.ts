import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { isIPv4, isIPv6 } from 'node:net';
import { createHash } from 'node:crypto';
import type { Recipient } from '../../kernel/limits.js';

/**
 * The network of a request: its IPv4 address, or the /64 of its IPv6 address, which providers assign to a single customer.
 * `X-Forwarded-For` counts only as far as Express's `trust proxy` trusts the proxies that wrote it. A client whose address the proxy
 * does not know is in the network of the proxy.
 */
export function clientNetwork(request: Pick<Request, 'ip' | 'ips' | 'socket'>): string {
  return networkOf(request.ip) ?? networkOf(request.ips[1] ?? request.socket.remoteAddress) ?? 'unknown';
}

/** The /48 of an IPv6 network, which providers assign to a site and which has 65,536 networks; undefined for an IPv4 address. */
export function siteOf(network: string): string | undefined {
  const groups = network.split(':', 3);
  return groups.length === 3 ? `${groups.join(':')}::/48` : undefined;
}

/** How many times the limit of one network applies to all networks of a site together. */
export const NETWORKS_PER_SITE = 8;

/** The networks for which a call from this address counts, each with the multiple of the limit that applies to it. */
export function countedNetworks(address: string | undefined): readonly { network: string; factor: number }[] {
  const network = networkOf(address);
  const site = network && siteOf(network);
  return [
    ...(network ? [{ network, factor: 1 }] : []),
    ...(site ? [{ network: site, factor: NETWORKS_PER_SITE }] : []),
  ];
}

/** An address with a port, as proxies write it (RFC 7239, section 6): an IPv6 address is then in brackets. */
const NODE = /^(?:\[([^[\]]+)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

/**
 * The address, in the form of IPv4 where it is an IPv4-mapped one; undefined when the text is no address. Proxies also write it
 * in quotes, in brackets, and with a port.
 */
export function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIPv4(text)) return text;
  const node = text.trim().replace(/^"(.*)"$/s, '$1');
  const [, bracketed, dotted] = NODE.exec(node) ?? [];
  if (dotted !== undefined && isIPv4(dotted)) return dotted;
  const address = bracketed ?? node;
  // The zone (fe80::1%eth0) has a meaning only on the machine that wrote it, and ipaddr.js does not parse every zone. `process`
  // converts an IPv4-mapped address (::ffff:192.0.2.1) to IPv4.
  return isIPv6(address) ? ipaddr.process(address.replace(/%.*$/s, '')).toString() : undefined;
}

/** Whether the address is in one of the networks, in CIDR notation. Every address is if there are none; an unknown one is in none. */
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

/** Whether the text is a network in CIDR notation. An IPv4-mapped one is not, because addresses are compared as IPv4. */
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

/** The network of an address; undefined when the text is no address. */
export function networkOf(address: string | undefined): string | undefined {
  const plain = plainAddress(address);
  if (plain === undefined || isIPv4(plain)) return plain;
  return `${ipaddr.IPv6.parse(plain)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** A key of constant length. It is not meant to hide the address, which the database holds anyway. */
export function recipientKey({ kind, canonical }: Recipient): string {
  return `recipient:${createHash('sha256').update(`${kind} ${canonical}`).digest('base64url').slice(0, 22)}`;
}
