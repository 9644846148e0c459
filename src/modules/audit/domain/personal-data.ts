import { randomBytes } from 'node:crypto';
import { encode, sha256 } from './encoding.js';

/** The part of an entry that names a person. It is stored beside the chain, which holds only a commitment to it. */
export interface PersonalData {
  readonly salt: Uint8Array;
  /** The caller's address; for an entry that stands for several calls, its network. */
  readonly ip: string;
}

const SALT_BYTES = 32;

export function personalDataOf(ip: string): PersonalData {
  return { salt: randomBytes(SALT_BYTES), ip };
}

/** The salt is erased together with the data: afterwards the commitment does not reveal the data to a search of all addresses. */
export function commitmentTo({ salt, ip }: PersonalData): Buffer {
  return sha256(encode(['audit-personal-data-v1', salt, ip]));
}
