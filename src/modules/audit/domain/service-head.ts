import { createHash } from 'node:crypto';
import type { Signature } from './checkpoint.js';
import { encode, lineOf, sha256 } from './encoding.js';

export interface ChainEnd {
  readonly seq: number;
  readonly number: number;
  readonly hash: Uint8Array;
  /** The SHA-256 of the signed message of the checkpoint. */
  readonly checkpoint: Uint8Array;
}

/** By app; empty text stands for the chain of no app. */
export type ChainEnds = ReadonlyMap<string, ChainEnd>;

export interface HeadState {
  /** The place among the heads, dense from 1. */
  readonly seq: number;
  readonly at: Date;
  readonly chains: number;
  readonly entries: number;
  readonly digest: Uint8Array;
  /** The SHA-256 of the signed message of the previous head, or zeros. */
  readonly previous: Uint8Array;
}

export type ServiceHead = HeadState & Signature;

export interface KnownHead extends ServiceHead {
  readonly ends: ChainEnds;
}

export function headOf(ends: ChainEnds, seq: number, previous: Uint8Array, at: Date): HeadState {
  const digest = createHash('sha256');
  let entries = 0;
  for (const appId of [...ends.keys()].toSorted()) {
    const { seq: checkpointSeq, number, hash, checkpoint } = ends.get(appId)!;
    digest.update(encode([appId, String(checkpointSeq), String(number), hash, checkpoint]));
    entries += number;
  }
  return { seq, at, chains: ends.size, entries, digest: digest.digest(), previous };
}

export function messageOfHead({ seq, at, chains, entries, digest, previous }: HeadState): Buffer {
  const numbers = [seq, at.getTime(), chains, entries].map(String);
  return encode(['audit-head-v1', ...numbers, digest, previous]);
}

export function hashOfHead(head: HeadState): Buffer {
  return sha256(messageOfHead(head));
}

/** The log keeps the head outside of the database. */
export function lineOfHead(head: ServiceHead): object {
  return lineOf(head);
}

/** Reads a line of `lineOfHead`, or a line of the log that contains it. Throws for other text. */
export function headInLine(text: string): ServiceHead {
  const line = JSON.parse(text) as Record<string, unknown> & { audit_head?: Record<string, unknown> };
  const { seq, at, chains, entries, digest, previous, key_id, signature } = line.audit_head ?? line;
  if ([seq, at, chains, entries].some((each) => !Number.isSafeInteger(each)))
    throw new TypeError('A number is missing.');
  const bytes = (text: unknown) => Buffer.from(String(text), 'hex');
  return {
    seq: Number(seq),
    at: new Date(Number(at)),
    chains: Number(chains),
    entries: Number(entries),
    digest: bytes(digest),
    previous: bytes(previous),
    keyId: String(key_id),
    signature: bytes(signature),
  };
}
