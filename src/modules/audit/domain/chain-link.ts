import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { encode, sha256 } from './encoding.js';

export const NO_LINK = Buffer.alloc(32);

/** The purpose of the key of all links. The hash under a MAC covers the app, so one key serves all chains. */
export const LINK_KEY = 'audit chain';

export interface ChainedContent {
  readonly id: string;
  /** In microseconds since the epoch. */
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly fields: readonly string[];
  readonly outcome: string;
  readonly errorType: string | null;
  readonly calls: number;
  readonly requestId: string | null;
  /** Null if the entry never had personal data. */
  readonly commitment: Uint8Array | null;
}

export interface ChainLink extends ChainedContent {
  /** Dense from 1. */
  readonly number: number;
  /** In microseconds since the epoch. */
  readonly chainedAt: string;
  readonly hash: Uint8Array;
  /** Null for a link of the release before keyed links, and in an export. */
  readonly mac: Uint8Array | null;
  /** Null if the entry never had personal data, or if they were erased. */
  readonly personalData: PersonalData | null;
}

/** `appId` is empty for the chain of no app. */
export function hashOfLink(
  previous: Uint8Array,
  appId: string,
  link: ChainedContent & Pick<ChainLink, 'number' | 'chainedAt'>,
): Buffer {
  return sha256(
    encode([
      'audit-link-v1',
      previous,
      appId,
      String(link.number),
      link.chainedAt,
      link.id,
      link.at,
      link.actor,
      link.action,
      link.target,
      encode(link.fields),
      link.outcome,
      link.errorType,
      String(link.calls),
      link.requestId,
      link.commitment,
    ]),
  );
}

/** The hash covers the whole chain up to the link. An auditor can compute it; the MAC shows that the service has chained the link. */
export function macOfLink(key: KeyObject, hash: Uint8Array): Buffer {
  return createHmac('sha256', key).update(hash).digest();
}

/** Stored beside the chain, which holds only a commitment to it. */
interface PersonalData {
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
