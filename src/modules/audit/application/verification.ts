import { BrokenLink, type ChainCheck } from '../domain/chain-check.js';

export const HEAD = 'head';

export interface Fault {
  /** Empty for the chain of no app; `HEAD` for a head of the service, whose number is then its `seq`. */
  readonly appId: string;
  readonly number: number;
  readonly difference: string;
}

export interface Findings {
  chains: number;
  entries: number;
  checkpoints: number;
  /** The number of entries after the last checkpoint of their chain. */
  unsigned: number;
  /** The number of entries of refused calls that were removed when their time was over. */
  cut: number;
  /** The number of entries whose personal data were erased. */
  erased: number;
  /** The number of entries that wait for their place in the chain. */
  unchained: number;
  /** The first fault of each broken chain, up to a hundred. */
  readonly faults: Fault[];
  broken: number;
}

const MAX_FAULTS = 100;
const PROGRESS_ENTRIES = 100_000;
const PROGRESS_CHAINS = 1_000;

/** Collects the findings of several chains, and reports progress on long work. */
export class Verification {
  readonly findings: Findings = {
    chains: 0,
    entries: 0,
    checkpoints: 0,
    unsigned: 0,
    cut: 0,
    erased: 0,
    unchained: 0,
    faults: [],
    broken: 0,
  };

  constructor(private readonly progress: (line: string) => void) {}

  /** Runs a check. A fault ends it and is kept; it returns undefined then. */
  async attempt<T>(appId: string, check: () => Promise<T>): Promise<T | undefined> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
      this.fault({ appId, number: error.number, difference: error.difference });
      return undefined;
    }
  }

  advance(appId: string, { entries }: ChainCheck): void {
    if (entries % PROGRESS_ENTRIES === 0) this.progress(`${nameOf(appId)}: ${entries} entries`);
  }

  fault(fault: Fault): void {
    this.findings.broken++;
    this.progress(`${nameOf(fault.appId)}, entry ${fault.number}: ${fault.difference}`);
    if (this.findings.faults.length < MAX_FAULTS) this.findings.faults.push(fault);
  }

  count({ entries, checkpoints, unsigned, cut, erased }: ChainCheck): void {
    this.findings.chains++;
    this.findings.entries += entries;
    this.findings.checkpoints += checkpoints;
    this.findings.unsigned += unsigned;
    this.findings.cut += cut;
    this.findings.erased += erased;
    if (this.findings.chains % PROGRESS_CHAINS === 0) this.progress(`${this.findings.chains} chains`);
  }
}

export function nameOf(appId: string): string {
  return appId === '' ? 'no app' : appId;
}
