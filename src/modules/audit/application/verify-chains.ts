import { Injectable } from '@nestjs/common';
import type { KeyObject } from 'node:crypto';
import { BrokenLink, ChainCheck } from '../domain/chain-check.js';
import type { ServiceHead } from '../domain/service-head.js';
import { AuditKeys } from './audit-keys.js';
import { CheckChain } from './check-chain.js';
import { ServiceHeads } from './service-heads.js';
import { isSignedBy, type IsSigned } from '../domain/checkpoint.js';
import { type ExportLine, readLine } from '../domain/export-line.js';

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
  /** Entries after the last checkpoint of their chain. */
  unsigned: number;
  /** Entries of refused calls that were removed when their time was over. */
  cut: number;
  erased: number;
  unchained: number;
  readonly faults: Fault[];
  broken: number;
}

const MAX_FAULTS = 100;
const PROGRESS_ENTRIES = 100_000;
const PROGRESS_CHAINS = 1_000;

class Verification {
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

function nameOf(appId: string): string {
  return appId === '' ? 'no app' : appId;
}

@Injectable()
export class VerifyChains {
  constructor(
    private readonly heads: ServiceHeads,
    private readonly checkChain: CheckChain,
    private readonly keys: AuditKeys,
  ) {}

  /** `appId`: null for all chains, empty for the chain of no app. The database must descend from the `logged` head. */
  async execute(
    appId: string | null,
    progress: (line: string) => void,
    logged: ServiceHead | null = null,
  ): Promise<Findings> {
    const isSigned = await this.keys.isSigned();
    const verification = new Verification(progress);
    const known = await verification.attempt(HEAD, async () => {
      await this.heads.follow(null, isSigned);
      if (logged) await this.heads.follow(logged, isSigned);
      const last = await this.heads.last(isSigned);
      await this.heads.followNewest(isSigned);
      return last;
    });
    let newestHead = 0;
    for await (const chain of appId === null ? this.checkChain.chains(known ?? null) : [appId]) {
      const check = this.checkChain.begin(chain, isSigned, known ?? null);
      await verification.attempt(chain, () =>
        this.checkChain.execute(chain, check, known?.ends.get(chain) ?? null, {
          onEntry: () => verification.advance(chain, check),
          onUnchained: (entries) => (verification.findings.unchained += entries),
        }),
      );
      verification.count(check);
      newestHead = Math.max(newestHead, check.newestHead);
    }
    if (known !== undefined) await verification.attempt(HEAD, () => this.heads.requireStored(newestHead));
    return verification.findings;
  }
}

/** A chain may begin after its first entry. Entries after the last checkpoint are `unsigned`: only the links' key could prove them. */
export async function verifyExport(
  lines: AsyncIterable<string>,
  publicKeys: readonly KeyObject[],
  progress: (line: string) => void,
): Promise<Findings> {
  const isSigned: IsSigned = (message, by) => publicKeys.some((key) => isSignedBy(message, by, key));
  const verification = new Verification(progress);
  const checks = new Map<string, ChainCheck>();
  const broken = new Set<string>();
  let appId: string | null = null;
  let place = 0;
  for await (const text of lines) {
    place++;
    if (text === '') continue;
    try {
      const line = lineIn(text, place);
      if (line.type === 'chain') appId = line.appId;
      if (appId === null) throw new BrokenLink(0, `Line ${place} comes before the first chain.`);
      if (broken.has(appId)) continue;
      let check = checks.get(appId);
      if (!check) {
        check = new ChainCheck(appId, { isSigned, isKeyed: null, head: null });
        checks.set(appId, check);
        if (line.type === 'chain' && line.after > 0) check.resumeAfter(line.after, line.hash);
      }
      carryOut(check, line);
      if (line.type === 'entry') verification.advance(appId, check);
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
      broken.add(appId ?? '');
      verification.fault({ appId: appId ?? '', number: error.number, difference: error.difference });
    }
  }
  for (const check of checks.values()) verification.count(check);
  return verification.findings;
}

function carryOut(check: ChainCheck, line: ExportLine): void {
  if (line.type === 'entry') check.link(line.link);
  else if (line.type === 'cut') check.removed(line.cut);
  else if (line.type === 'checkpoint') check.checkpoint(line.checkpoint);
  else if (!check.isAt(line.after, line.hash))
    throw new BrokenLink(line.after, 'The export goes on at another entry than the one before it ended at.');
}

function lineIn(text: string, place: number): ExportLine {
  try {
    return readLine(text);
  } catch (error) {
    throw new BrokenLink(0, `Line ${place} is no line of an export: ${(error as Error).message}`);
  }
}
