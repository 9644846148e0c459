import { type ChainLink, hashOfLink, NO_LINK } from './chain-link.js';
import type { Checkpoint } from './checkpoint.js';
import { commitmentTo } from './personal-data.js';

/** The first link of a chain that does not hold. */
export class BrokenLink extends Error {
  override readonly name = 'BrokenLink';
  constructor(
    readonly number: number,
    /** What differs. */
    readonly difference: string,
  ) {
    super(difference);
  }
}

/** What the service stores about the end of a chain. */
export interface ChainHead {
  readonly lastNumber: number;
  readonly lastHash: Uint8Array;
  readonly lastCheckpoint: number;
}

const HOUR_MS = 3_600_000;
/** A checkpoint is due within an hour. The rest covers a restart and a job that waits. */
const UNCOVERED_FOR_MS = 3 * HOUR_MS;

/** Checks a chain link by link, in constant memory. Each method throws `BrokenLink` at the first fault. */
export class ChainCheck {
  private number = 0;
  private hash: Uint8Array = NO_LINK;
  /** Of the last checkpoint; null before the first one after a link that an earlier check has reached. */
  private seq: number | null = 0;
  /** Of the first link after the last checkpoint. */
  private uncoveredSince: { readonly number: number; readonly at: number } | null = null;
  erased = 0;
  entries = 0;
  checkpoints = 0;

  constructor(
    private readonly appId: string,
    /** Whether a trusted key has signed the checkpoint. */
    private readonly isSigned: (appId: string, checkpoint: Checkpoint) => boolean,
  ) {}

  /** Goes on after a link that an earlier check has reached. */
  resumeAfter(number: number, hash: Uint8Array): void {
    this.number = number;
    this.hash = hash;
    this.seq = null;
  }

  isAt(number: number, hash: Uint8Array): boolean {
    return this.number === number && equal(this.hash, hash);
  }

  link(link: ChainLink): void {
    const expected = this.number + 1;
    if (link.number !== expected)
      throw new BrokenLink(expected, `The entry is missing. The next one is ${link.number}.`);
    const hash = hashOfLink(this.hash, this.appId, link);
    if (!equal(hash, link.hash)) {
      throw new BrokenLink(
        expected,
        `The hash differs: entry ${link.id}, its place or its stored hash was changed, or the link before it.`,
      );
    }
    this.checkPersonalData(link);
    this.number = expected;
    this.hash = hash;
    this.entries++;
    this.uncoveredSince ??= { number: expected, at: Number(link.chainedAt) / 1000 };
  }

  /** Must be called after the link that the checkpoint names, in the order of `seq`. */
  checkpoint(checkpoint: Checkpoint): void {
    const { seq, number, keyId } = checkpoint;
    const expected = this.seq === null ? seq : this.seq + 1;
    if (seq !== expected) throw new BrokenLink(number, `Checkpoint ${expected} is missing. The next one is ${seq}.`);
    if (!this.isSigned(this.appId, checkpoint)) {
      throw new BrokenLink(number, `Checkpoint ${seq} was changed, or its key ${keyId} is unknown or does not open.`);
    }
    if (number > this.number) {
      throw new BrokenLink(
        this.number + 1,
        `The chain was truncated: checkpoint ${seq} covers ${number} entries, and ${this.number} are left.`,
      );
    }
    if (!this.isAt(number, checkpoint.hash)) {
      throw new BrokenLink(number, `The chain was rewritten: checkpoint ${seq} was signed over another hash.`);
    }
    this.seq = seq;
    this.checkpoints++;
    this.uncoveredSince = null;
  }

  /** Compares the end with what the service stores about it. */
  end(head: ChainHead, now: Date): void {
    if (!this.isAt(head.lastNumber, head.lastHash)) {
      throw new BrokenLink(
        this.number + 1,
        `The end differs: the head of the chain names entry ${head.lastNumber}, and the last one is ${this.number}.`,
      );
    }
    if ((this.seq ?? 0) !== head.lastCheckpoint) {
      throw new BrokenLink(
        this.number,
        `The last checkpoint is ${this.seq ?? 0}, and the head of the chain names ${head.lastCheckpoint}.`,
      );
    }
    const uncovered = this.uncoveredSince;
    if (uncovered && now.getTime() - uncovered.at > UNCOVERED_FOR_MS) {
      throw new BrokenLink(
        uncovered.number,
        'No checkpoint covers the entry, which is hours old: checkpoints were removed, or no worker has signed any.',
      );
    }
  }

  private checkPersonalData({ number, commitment, personalData }: ChainLink): void {
    if (!personalData) {
      if (commitment) this.erased++;
      return;
    }
    if (!commitment || !equal(commitmentTo(personalData), commitment)) {
      throw new BrokenLink(number, 'The personal data are not those that the entry was chained with.');
    }
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
