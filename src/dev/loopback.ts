import type { Request } from 'express';
import { BlockList } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const FORWARDED = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** A call through a tunnel or a proxy, or under a name of another server's DNS, is no loopback. */
export function isLoopback({ host, socket, headers }: Request): boolean {
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) return false;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '') : '';
  const isOwn = (address: string): boolean =>
    LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4') || address === 'localhost';
  return isOwn(name) && isOwn((socket.remoteAddress ?? '').replace('::ffff:', ''));
}
