import { createHash } from 'node:crypto';
import type { SignedAttempt, ProofProgress } from '../../../../kernel/chain/payment.js';

// Stored progress holds only for the signatures that it names, and for one version of the proof's rules.

/** Changes with the rules, so that a proof by weaker rules is made again. */
const PROOF_VERSION = '2';

export interface Checkpoint {
  readonly slot: number;
  readonly blockhash: string;
  readonly height: number;
  /** Counts from the first block, or from the block of the attempts' blockhash when that is among them. */
  readonly links: number;
}

/** The attempts from this one on with the same blockhash. */
export function groupAt(attempts: readonly SignedAttempt[], first: number): readonly SignedAttempt[] {
  const end = attempts.findIndex(({ blockhash }, index) => index > first && blockhash !== attempts[first]!.blockhash);
  return attempts.slice(first, end === -1 ? undefined : end);
}

export interface Progress {
  /** This many attempts, from the first, are proven expired; `at` is the progress for the next ones with one blockhash. */
  readonly proven: number;
  readonly at: Checkpoint | null;
  readonly digest: string;
}

export function progressTo(attempts: readonly SignedAttempt[], proven: number, at: Checkpoint | null): Progress {
  const about = at === null ? proven : proven + groupAt(attempts, proven).length;
  return { proven, at, digest: digestOf(attempts.slice(0, about)) };
}

/** Empty when it is about other attempts or of another version. */
export function readProgress(attempts: readonly SignedAttempt[], earlier: ProofProgress | null): Progress {
  const { proven, at, digest } = (earlier ?? {}) as Partial<Progress>;
  if (isCount(proven) && proven <= attempts.length && (at === null || isCheckpoint(at))) {
    const same = progressTo(attempts, proven, at);
    if (same.digest === digest) return same;
  }
  return progressTo(attempts, 0, null);
}

function isCheckpoint(stored: unknown): stored is Checkpoint {
  const { slot, blockhash, height, links } = (stored ?? {}) as Partial<Checkpoint>;
  return [slot, height, links].every(isCount) && typeof blockhash === 'string';
}

function isCount(stored: unknown): stored is number {
  return Number.isSafeInteger(stored) && (stored as number) >= 0;
}

function digestOf(attempts: readonly SignedAttempt[]): string {
  return createHash('sha256')
    .update([PROOF_VERSION, ...attempts.map(({ hash }) => hash)].join(' '))
    .digest('base64url');
}
