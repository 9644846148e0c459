import { sign, verify, type KeyObject } from 'node:crypto';
import { encode } from './encoding.js';

/** An Ed25519 signature and the key that made it. */
export interface Signature {
  readonly keyId: string;
  readonly signature: Uint8Array;
}

/** Whether a trusted key has signed the message. */
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
  /** The last link; 0 for a chain without entries. */
  readonly number: number;
  readonly hash: Uint8Array;
  /** The SHA-256 of the signed message of the previous checkpoint, or zeros. Null in a checkpoint of the release before keyed links. */
  readonly previous: Uint8Array | null;
  readonly at: Date;
}

export type Checkpoint = ChainState & Signature;

/** The signed message of a checkpoint. */
export function messageOfCheckpoint(appId: string, state: ChainState): Buffer {
  const { seq, head, kind, number, hash, previous, at } = state;
  const [place, end, time] = [[appId, String(seq)], [String(number), hash], String(at.getTime())];
  return kind === null
    ? encode(['audit-checkpoint-v2', ...place, String(head), ...end, previous, time])
    : encode(['audit-checkpoint-v1', ...place, kind, ...end, time]);
}
