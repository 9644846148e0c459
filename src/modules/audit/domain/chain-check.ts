import { type ChainLink, hashOfLink, NO_LINK, commitmentTo } from './chain-link.js';
import { type Checkpoint, type IsSigned, messageOfCheckpoint, type Cut, messageOfCut } from './checkpoint.js';
import { isEqual, sha256 } from './encoding.js';
import type { ChainEnd } from './service-head.js';

/** The first link of a chain that does not hold. */
export class BrokenLink extends Error {
  override readonly name = 'BrokenLink';
  constructor(
    readonly number: number,
    readonly difference: string,
  ) {
    super(difference);
  }
}

export interface ChainHead {
  readonly lastNumber: number;
  readonly lastHash: Uint8Array;
  readonly lastCheckpoint: number;
}

const HOUR_MS = 3_600_000;
/** A checkpoint is due within minutes. The rest covers an update, a restart and a job that waits. */
const UNCOVERED_FOR_MS = 3 * HOUR_MS;

export interface Trust {
  readonly isSigned: IsSigned;
  /** Null if the key of the links is not known, as in the check of an export. */
  readonly isKeyed: ((hash: Uint8Array, mac: Uint8Array) => boolean) | null;
  /** `end` is the end of this chain that the head of the service names. */
  readonly head: { readonly seq: number; readonly end: ChainEnd | null } | null;
}

/** Checks a chain in constant memory. Each method throws `BrokenLink` at the first fault. */
export class ChainCheck {
  number = 0;
  hash: Uint8Array = NO_LINK;
  /** The `seq` of the last checkpoint; null before the first one after a link that an earlier check has reached. */
  seq: number | null = 0;
  /** The SHA-256 of the message of the last checkpoint; null if `seq` is null. */
  checkpointHash: Uint8Array | null = NO_LINK;
  newestHead = 0;
  unsigned = 0;
  erased = 0;
  entries = 0;
  checkpoints = 0;
  cut = 0;

  /** Links without a MAC from the beginning of the chain, which only the checkpoint of the upgrade may cover. */
  private unkeyed = 0;
  private hasKeyed = false;
  private isTakenOver = false;
  private lastCut: Cut | null = null;
  private uncoveredSince: { readonly number: number; readonly at: number } | null = null;

  constructor(
    private readonly appId: string,
    private readonly trust: Trust,
  ) {}

  /** Goes on after a link that an earlier check has reached. */
  resumeAfter(number: number, hash: Uint8Array): void {
    Object.assign(this, { number, hash, seq: null, checkpointHash: null });
  }

  /** Goes on after a checkpoint that this process has verified. */
  resumeAt({ number, hash, seq, checkpoint }: ChainEnd): void {
    Object.assign(this, { number, hash, seq, checkpointHash: checkpoint, isTakenOver: true });
  }

  isAt(number: number, hash: Uint8Array): boolean {
    return this.number === number && isEqual(this.hash, hash);
  }

  link(link: ChainLink): void {
    const expected = this.number + 1;
    if (link.number !== expected)
      throw new BrokenLink(expected, `The entry is missing. The next one is ${link.number}.`);
    const hash = hashOfLink(this.hash, this.appId, link);
    if (!isEqual(hash, link.hash)) {
      throw new BrokenLink(
        expected,
        `The hash differs: entry ${link.id}, its place or its stored hash was changed, or the link before it.`,
      );
    }
    this.checkMac(link);
    this.checkPersonalData(link);
    this.moveTo(expected, hash);
    this.entries++;
    this.unsigned++;
    this.uncoveredSince ??= { number: expected, at: Number(link.chainedAt) / 1000 };
  }

  /** Must be called after the link before the first one that the cut stands for. */
  removed(cut: Cut): void {
    const { first, last, hash, keyId } = cut;
    if (first !== this.number + 1)
      throw new BrokenLink(first, `A cut stands for entries that are there up to ${last}.`);
    if (!this.trust.isSigned(messageOfCut(this.appId, this.hash, cut), cut)) {
      throw new BrokenLink(
        first,
        `The cut up to ${last} was changed, or its key ${keyId} is unknown or does not open.`,
      );
    }
    this.lastCut = cut;
    this.moveTo(last, hash);
    this.cut += last - first + 1;
  }

  /** Must be called after the link that the checkpoint names, in the order of `seq`. */
  checkpoint(checkpoint: Checkpoint): void {
    const { seq, number, keyId } = checkpoint;
    const expected = this.seq === null ? seq : this.seq + 1;
    if (seq !== expected) throw new BrokenLink(number, `Checkpoint ${expected} is missing. The next one is ${seq}.`);
    const message = messageOfCheckpoint(this.appId, checkpoint);
    if (!this.trust.isSigned(message, checkpoint)) {
      throw new BrokenLink(number, `Checkpoint ${seq} was changed, or its key ${keyId} is unknown or does not open.`);
    }
    if (number > this.number) {
      throw new BrokenLink(
        this.number + 1,
        `The chain was truncated: checkpoint ${seq} covers ${number} entries, and ${this.number} are left.`,
      );
    }
    const isCut = this.lastCut !== null && number >= this.lastCut.first && number < this.lastCut.last;
    if (!isCut && !this.isAt(number, checkpoint.hash)) {
      throw new BrokenLink(number, `The chain was rewritten: checkpoint ${seq} was signed over another hash.`);
    }
    this.checkPredecessor(checkpoint);
    this.checkHead(checkpoint, sha256(message));
    this.seq = seq;
    this.checkpointHash = sha256(message);
    this.checkpoints++;
    this.unsigned = 0;
    this.uncoveredSince = null;
  }

  /** `now` is null if the caller signs the end next: that covers all entries, also those of a long stop or of a restored backup. */
  end(head: ChainHead, now: Date | null): void {
    if (!this.isAt(head.lastNumber, head.lastHash)) {
      throw new BrokenLink(
        this.number + 1,
        `The end differs: the head of the chain names entry ${head.lastNumber}, and the last one is ${this.number}.`,
      );
    }
    const signed = this.trust.head?.end;
    if (signed && (this.seq ?? 0) < signed.seq) {
      throw new BrokenLink(
        signed.number,
        `Checkpoint ${signed.seq} over ${signed.number} entries, which the head of the service names, is missing.`,
      );
    }
    if ((this.seq ?? 0) !== head.lastCheckpoint) {
      throw new BrokenLink(
        this.number,
        `The last checkpoint is ${this.seq ?? 0}, and the head of the chain names ${head.lastCheckpoint}.`,
      );
    }
    if (this.trust.head && !this.isTakenOver && this.unkeyed > 0) {
      throw new BrokenLink(1, 'The links have no MAC, and no checkpoint of the upgrade covers them.');
    }
    const uncovered = this.uncoveredSince;
    if (now && uncovered && now.getTime() - uncovered.at > UNCOVERED_FOR_MS) {
      throw new BrokenLink(
        uncovered.number,
        'No checkpoint covers the entry, which is hours old: checkpoints were removed, or no worker has signed any.',
      );
    }
  }

  private moveTo(number: number, hash: Uint8Array): void {
    const signed = this.trust.head?.end;
    if (signed?.number === number && !isEqual(signed.hash, hash))
      throw new BrokenLink(number, 'The chain was rewritten: the head of the service names another hash.');
    this.number = number;
    this.hash = hash;
  }

  private checkMac({ number, hash, mac }: ChainLink): void {
    if (!this.trust.isKeyed) return;
    if (mac === null && !this.hasKeyed && !this.isTakenOver) {
      this.unkeyed = number;
      return;
    }
    if (mac === null || !this.trust.isKeyed(hash, mac))
      throw new BrokenLink(number, 'The MAC of the link differs: the service has not chained the entry like this.');
    this.hasKeyed = true;
  }

  private checkPredecessor({ seq, number, kind, head, previous }: Checkpoint): void {
    if (kind !== null) return;
    if (this.checkpointHash && (!previous || !isEqual(previous, this.checkpointHash)))
      throw new BrokenLink(number, `Checkpoint ${seq} names another predecessor.`);
    // The first head was signed at the upgrade, when no link had a MAC.
    if (this.unkeyed > 0 && !this.isTakenOver && head !== 1)
      throw new BrokenLink(
        1,
        `The links up to ${this.unkeyed} have no MAC, and checkpoint ${seq} is not that of the upgrade.`,
      );
    this.isTakenOver = true;
  }

  private checkHead({ seq, number, head, kind }: Checkpoint, digest: Uint8Array): void {
    this.newestHead = Math.max(this.newestHead, head ?? 0);
    if (!this.trust.head) return;
    const { seq: headSeq, end } = this.trust.head;
    const isNamed = end?.seq === seq && isEqual(end.checkpoint, digest);
    const mustBeNamed = end?.seq === seq || (seq > (end?.seq ?? 0) && (kind !== null || head! <= headSeq));
    if (mustBeNamed && !isNamed)
      throw new BrokenLink(number, `Checkpoint ${seq} is not the one that head ${headSeq} of the service names.`);
  }

  private checkPersonalData({ number, commitment, personalData }: ChainLink): void {
    if (!personalData) {
      if (commitment) this.erased++;
      return;
    }
    if (!commitment || !isEqual(commitmentTo(personalData), commitment)) {
      throw new BrokenLink(number, 'The personal data are not those that the entry was chained with.');
    }
  }
}
