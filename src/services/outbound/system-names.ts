import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const RESOLVER = '/etc/resolv.conf';
const FRESH_MS = 10_000;
/** The limit of the C library's resolver. */
const MOST_SEARCH_DOMAINS = 6;

export interface NamesOfSystem {
  readonly hosts: ReadonlyMap<string, readonly LookupAddress[]>;
  /** Appended to names that do not resolve, and tried first for names without a dot (`search` of resolv.conf). */
  readonly searchDomains: readonly string[];
}

/** Hosts file and search domains, at most 10 s old. */
export class SystemNames {
  private known: { readonly names: Promise<NamesOfSystem>; readonly until: number } | null = null;

  read(): Promise<NamesOfSystem> {
    const now = performance.now();
    if (this.known === null || this.known.until <= now) this.known = { names: readNames(), until: now + FRESH_MS };
    return this.known.names;
  }
}

async function readNames(): Promise<NamesOfSystem> {
  const [hosts, resolver] = await Promise.all([HOSTS, RESOLVER].map((path) => readFile(path, 'utf8').catch(() => '')));
  return { hosts: parseHosts(hosts!), searchDomains: parseSearchDomains(resolver!) };
}

export function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const [address = '', ...names] of wordsOfLines(text)) {
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      hosts.set(
        key,
        [...(hosts.get(key) ?? []), { address, family }].toSorted((a, b) => a.family - b.family),
      );
    }
  }
  return hosts;
}

/** The last `search` or `domain` line counts. */
export function parseSearchDomains(text: string): readonly string[] {
  const line = wordsOfLines(text).findLast(([word]) => word === 'search' || word === 'domain');
  return (line ?? []).slice(1, 1 + MOST_SEARCH_DOMAINS).filter((domain) => domain !== '.');
}

function wordsOfLines(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}
