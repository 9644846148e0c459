import { type KeyObject, sign, verify } from 'node:crypto';
import { encode } from './encoding.js';

export type CheckpointKind = 'hour' | 'day';

/** The state of a chain at a time. Signed, it proves that the chain had these entries then. */
export interface ChainState {
  /** Dense in the chain, from 1. */
  readonly seq: number;
  readonly kind: CheckpointKind;
  /** The last link; 0 for a chain without entries. */
  readonly number: number;
  readonly hash: Uint8Array;
  readonly at: Date;
}

export interface Checkpoint extends ChainState {
  readonly keyId: string;
  readonly signature: Uint8Array;
}

function messageOf(appId: string, { seq, kind, number, hash, at }: ChainState): Buffer {
  return encode(['audit-checkpoint-v1', appId, String(seq), kind, String(number), hash, String(at.getTime())]);
}

/** Signs by Ed25519. */
export function signatureOf(appId: string, state: ChainState, privateKey: KeyObject): Buffer {
  return sign(null, messageOf(appId, state), privateKey);
}

export function isSignedBy(appId: string, checkpoint: Checkpoint, publicKey: KeyObject): boolean {
  return verify(null, messageOf(appId, checkpoint), publicKey, checkpoint.signature);
}
