import type { Signature } from './checkpoint.js';
import type { ChainLink } from './chain-link.js';
import { encode } from './encoding.js';

/** The range of a run of refused calls that were removed when their time was over. The chain goes on from the hash of the last one. */
export interface CutRange {
  readonly first: number;
  readonly last: number;
  /** The hash of the last removed link. */
  readonly hash: Uint8Array;
}

export interface Cut extends CutRange, Signature {
  readonly at: Date;
}

/** A cut that may be signed: each removed link was verified and was a refused call. */
export interface DueCut extends CutRange {
  /** The hash of the link before the first removed one. */
  readonly before: Uint8Array;
}

/** The hash before the first removed link is part of it, so that a cut fits one place of one chain. */
export function messageOfCut(appId: string, before: Uint8Array, { first, last, hash, at }: CutRange & { at: Date }) {
  return encode(['audit-cut-v1', appId, String(first), before, String(last), hash, String(at.getTime())]);
}

/** Bounds the transaction that removes a run. */
const LINKS_PER_CUT = 5_000;

/** Collects the runs of refused calls whose time is over, while a chain is verified. A run next to an earlier cut extends it. */
export class DueCuts {
  readonly due: DueCut[] = [];
  private run: DueCut | null = null;
  private added = 0;

  constructor(
    /** The time before which the removed entries were chained, in microseconds since the epoch. */
    private readonly chainedBefore: number,
    /** Only links below the last signed one are removed, so that the next check can go on from that one. */
    private readonly below: number,
  ) {}

  link({ outcome, number, chainedAt, hash }: ChainLink, before: Uint8Array): void {
    if (outcome !== 'refused' || number >= this.below || Number(chainedAt) >= this.chainedBefore) return this.end();
    this.run = { first: number, before, ...this.run, last: number, hash };
    this.added++;
    if (this.added < LINKS_PER_CUT) return;
    const { run } = this;
    this.end();
    this.run = run;
  }

  cut({ first, last, hash }: Cut, before: Uint8Array): void {
    this.run = { first, before, ...this.run, last, hash };
  }

  /** Ends the current run. */
  end(): void {
    if (this.run && this.added > 0) this.due.push(this.run);
    this.run = null;
    this.added = 0;
  }
}
