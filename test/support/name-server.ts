import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** A real name server on loopback, with names that have addresses, unknown names, and names without a response. */
export interface NameServer {
  /** `address:port`, for `DNS_SERVERS`. */
  readonly address: string;
  /** IPv4 addresses and shortened IPv6 addresses (`2001:db8::1`) by name, or silence. Any other name does not exist. */
  readonly names: Map<string, string[] | 'silent'>;
  /** Names whose next query for IPv4 addresses is lost. */
  readonly lost: Set<string>;
  /** Names in the order of their queries, once per packet. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

const A = 1;
const AAAA = 28;
const NOT_FOUND = 3;

export async function startNameServer(names: Record<string, string[] | 'silent'> = {}): Promise<NameServer> {
  const known = new Map(Object.entries(names));
  const asked: string[] = [];
  const lost = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const answer = known.get(name);
    if (answer === 'silent' || (type === A && lost.delete(name))) return;
    const isWanted = (ip: string) => type === (ip.includes(':') ? AAAA : A);
    const addresses = (answer ?? []).filter(isWanted).map(bytesOf);
    // Header: response, recursion desired and available; one question, the answers, nothing else.
    const header = Buffer.from([
      query[0]!,
      query[1]!,
      0x81,
      0x80 | (answer ? 0 : NOT_FOUND),
      0,
      1,
      0,
      addresses.length,
      0,
      0,
      0,
      0,
    ]);
    // A pointer to the name in the question, its type, IN, 60 s, the address.
    const records = addresses.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    names: known,
    asked,
    lost,
    stop: () => new Promise((stopped) => void socket.close(stopped)),
  };
}

function bytesOf(ip: string): number[] {
  if (!ip.includes(':')) return ip.split('.').map(Number);
  const [left = [], right = []] = ip.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.map((group) => parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]);
}

/** The first question of a query, and where it ends. */
function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query[at]! > 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
