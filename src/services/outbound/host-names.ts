import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { RecentlyUsed } from '../../kernel/recently-used.js';
import { SystemNames } from './system-names.js';

/** Milliseconds. */
const LONGEST_LOOK_UP = 3_000;
const FAILURE_LIVES = 15_000;
const LONGEST_SUCCESS = 30_000;
/** The wait for the second address family. Many machines reach nothing without IPv4. */
const LATE_IPV6 = 100;
const LATE_IPV4 = 2_000;
const MOST_REMEMBERED = 2_000;
const LONGEST_IDLE = 5_000;

const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export interface HostNameSettings {
  readonly dnsServers: readonly string[];
}

export interface NameOptions extends LookupOptions {
  /** Callers choose such names freely: each would displace the name of another app. */
  readonly isForgotten?: boolean;
}

/** `dns.lookup` gives the same code. */
class NameNotResolved extends Error {
  override readonly name = 'NameNotResolved';
  constructor(
    readonly hostname: string,
    readonly code: string,
  ) {
    super(`The name ${hostname} does not resolve: ${code}.`);
  }
}

const HAS_NO_ADDRESS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

interface Remembered {
  readonly addresses: Promise<readonly LookupAddress[]>;
  /** Monotonic (`performance.now()`); infinite while the result is awaited. */
  until: number;
}

/** `getaddrinfo` would block one of libuv's four threads until a silent name server times out, and signatures and files would wait. */
export class HostNames {
  private readonly resolver = new Resolver({ timeout: 1_000, tries: 2 });
  private readonly system = new SystemNames();
  private readonly remembered = new RecentlyUsed<string, Remembered>(MOST_REMEMBERED);

  constructor({ dnsServers }: HostNameSettings = { dnsServers: [] }) {
    if (dnsServers.length > 0) this.resolver.setServers([...dnsServers]);
  }

  /** Takes the place of `dns.lookup`, with IPv4 addresses first. */
  readonly lookup = (
    hostname: string,
    { all, family, isForgotten = false }: NameOptions,
    callback: Parameters<LookupFunction>[2],
  ): void => {
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : family;
    this.resolve(hostname, isForgotten).then(
      (found) => {
        const addresses = wanted ? found.filter((each) => each.family === wanted) : [...found];
        const [first] = addresses;
        if (!first) callback(new NameNotResolved(hostname, 'ENOTFOUND'), []);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };

  /** The agent keeps connections open. */
  agent(url: string): http.Agent {
    // A firewall may have dropped a connection that is idle for longer than Node's default.
    const options = { keepAlive: true, timeout: LONGEST_IDLE, scheduling: 'lifo', lookup: this.lookup } as const;
    return url.startsWith('https:') ? new https.Agent(options) : new http.Agent(options);
  }

  private resolve(hostname: string, isForgotten: boolean): Promise<readonly LookupAddress[]> {
    const name = hostname.toLowerCase();
    const known = this.remembered.get(name);
    if (known && known.until > performance.now()) return known.addresses;
    const found = withinLimit(name, this.find(name));
    if (isForgotten) return found.then(({ addresses }) => addresses);
    const entry: Remembered = { addresses: found.then(({ addresses }) => addresses), until: Infinity };
    this.remembered.set(name, entry);
    found.then(
      ({ livesMs }) => (entry.until = performance.now() + Math.min(livesMs, LONGEST_SUCCESS)),
      () => (entry.until = performance.now() + FAILURE_LIVES),
    );
    return entry.addresses;
  }

  private async find(name: string): Promise<Found> {
    const { hosts, searchDomains } = await this.system.read();
    const listed = hosts.get(name);
    if (listed) return { addresses: listed, livesMs: LONGEST_SUCCESS };
    // RFC 6761, section 6.3: always local.
    if (name === 'localhost' || name.endsWith('.localhost')) return { addresses: LOOPBACK, livesMs: LONGEST_SUCCESS };
    const inDomains = name.endsWith('.') ? [] : searchDomains.map((domain) => `${name}.${domain}`);
    const candidates = name.includes('.') ? [name, ...inDomains] : [...inDomains, name];
    for (const candidate of candidates) {
      const found = await this.query(candidate).catch((error: unknown) => {
        if (!(error instanceof NameNotResolved) || !HAS_NO_ADDRESS.has(error.code)) throw error;
        return null;
      });
      if (found) return found;
    }
    throw new NameNotResolved(name, 'ENOTFOUND');
  }

  private async query(name: string): Promise<Found> {
    const found: { address: string; family: number; ttl: number }[] = [];
    const ask = async (family: 4 | 6): Promise<void> => {
      const records =
        family === 4
          ? await this.resolver.resolve4(name, { ttl: true })
          : await this.resolver.resolve6(name, { ttl: true });
      found.push(...records.map(({ address, ttl }) => ({ address, ttl, family })));
    };
    const families = [ask(4), ask(6)];
    await Promise.any(families).catch(({ errors }: AggregateError) => {
      const codes = errors.map((error: NodeJS.ErrnoException) => error.code ?? 'EAI_FAIL');
      // A family without a response says more than one without addresses.
      throw new NameNotResolved(name, codes.find((code) => !HAS_NO_ADDRESS.has(code)) ?? 'ENOTFOUND');
    });
    const patience = found.some(({ family }) => family === 4) ? LATE_IPV6 : LATE_IPV4;
    await Promise.race([Promise.allSettled(families), setTimeout(patience, undefined, { ref: false })]);
    const sorted = found.toSorted((a, b) => a.family - b.family);
    const livesMs = 1_000 * Math.max(1, Math.min(...sorted.map(({ ttl }) => ttl)));
    return { addresses: sorted.map(({ address, family }) => ({ address, family })), livesMs };
  }
}

interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly livesMs: number;
}

async function withinLimit(name: string, found: Promise<Found>): Promise<Found> {
  const limit = new AbortController();
  const tooLong = setTimeout(LONGEST_LOOK_UP, undefined, { ref: false, signal: limit.signal }).then(
    () => {
      throw new NameNotResolved(name, 'ETIMEOUT');
    },
    () => found,
  );
  return Promise.race([found, tooLong]).finally(() => limit.abort());
}
