import type { Request } from 'express';
import { BlockList } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Without the brackets of an IPv6 address. */
export const hostNameOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const FORWARDED = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

export const isLoopbackHost = (name: string): boolean =>
  name === 'localhost' || LOOPBACK.check(name, name.includes(':') ? 'ipv6' : 'ipv4');

/** A call through a tunnel or a proxy, or under a name of another server's DNS, is no loopback. */
export function isLoopback({ host, socket, headers }: Request): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  const name = URL.canParse(`http://${host}`) ? hostNameOf(new URL(`http://${host}`)) : '';
  return isLoopbackHost(name) && isLoopbackHost((socket.remoteAddress ?? '').replace('::ffff:', ''));
}
