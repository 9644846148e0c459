import { sign, verify, type KeyObject } from 'node:crypto';
import { encode } from './encoding.js';
import type { ChainLink } from './chain-link.js';

export interface Signature {
  readonly keyId: string;
  readonly signature: Uint8Array;
}

export type IsSigned = (message: Uint8Array, by: Signature) => boolean;

export function signatureOf(message: Uint8Array, privateKey: KeyObject): Buffer {
  return sign(null, message, privateKey);
}

export function isSignedBy(message: Uint8Array, { signature }: Signature, publicKey: KeyObject): boolean {
  return verify(null, message, publicKey, signature);
}

/** The state of a chain at a time. Signed, it proves that the chain had these entries then. */
export interface ChainState {
  /** The place among the checkpoints of the chain, dense from 1. */
  readonly seq: number;
  /** The first head of the service that names the checkpoint; null in a checkpoint of the release before keyed links. */
  readonly head: number | null;
  /** `hour` or `day` in a checkpoint of the release before keyed links, otherwise null. */
  readonly kind: string | null;
  /** 0 for a chain without entries. */
  readonly number: number;
  readonly hash: Uint8Array;
  /** The SHA-256 of the signed message of the previous checkpoint, or zeros. Null in a checkpoint of the release before keyed links. */
  readonly previous: Uint8Array | null;
  readonly at: Date;
}

export type Checkpoint = ChainState & Signature;

export function messageOfCheckpoint(appId: string, state: ChainState): Buffer {
  const { seq, head, kind, number, hash, previous, at } = state;
  const [place, end, time] = [[appId, String(seq)], [String(number), hash], String(at.getTime())];
  return kind === null
    ? encode(['audit-checkpoint-v2', ...place, String(head), ...end, previous, time])
    : encode(['audit-checkpoint-v1', ...place, kind, ...end, time]);
}

/** A run of refused calls that were removed when their time was over. The chain goes on from `hash`, that of the last one. */
interface CutRange {
  readonly first: number;
  readonly last: number;
  readonly hash: Uint8Array;
}

export interface Cut extends CutRange, Signature {
  readonly at: Date;
}

/** A cut that may be signed: each removed link was verified and was a refused call. */
interface DueCut extends CutRange {
  readonly before: Uint8Array;
}

/** The hash before the first removed link is part of it, so that a cut fits one place of one chain. */
export function messageOfCut(appId: string, before: Uint8Array, { first, last, hash, at }: CutRange & { at: Date }) {
  return encode(['audit-cut-v1', appId, String(first), before, String(last), hash, String(at.getTime())]);
}

/** Bounds the transaction that removes a run. */
const LINKS_PER_CUT = 5_000;

/** Collects the runs of refused calls whose time is over. A run next to an earlier cut extends it. */
export class DueCuts {
  readonly due: DueCut[] = [];
  private run: DueCut | null = null;
  private added = 0;

  constructor(
    /** In microseconds since the epoch. */
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

  end(): void {
    if (this.run && this.added > 0) this.due.push(this.run);
    this.run = null;
    this.added = 0;
  }
}
