import type { Attempt } from '../domain/attempt.js';

export const ATTEMPT = `app_id as "appId", network, hash, transfer_id as "transferId", kind, ordinal, address, raw, nonce, blockhash,
  last_valid_block_height as "lastValidBlockHeight", valid_from_slot as "validFromSlot", valid_from_block as "validFromBlock", max_fee as "maxFee",
  created_at as "createdAt", first_broadcast_started_at as "firstBroadcastStartedAt", accepted_at as "acceptedAt"`;

type Texts = 'nonce' | 'lastValidBlockHeight' | 'validFromSlot' | 'validFromBlock' | 'maxFee';
/** As pg returns it: 64-bit and longer numbers are text. */
export type AttemptRow = Omit<Attempt, Texts> & {
  readonly [K in Texts]: K extends 'maxFee' ? string : string | null;
};

export function attemptOf(row: AttemptRow): Attempt {
  return {
    ...row,
    nonce: numberOf(row.nonce),
    lastValidBlockHeight: numberOf(row.lastValidBlockHeight),
    validFromSlot: numberOf(row.validFromSlot),
    validFromBlock: numberOf(row.validFromBlock),
    maxFee: BigInt(row.maxFee),
  };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
