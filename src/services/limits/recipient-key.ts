import { createHash } from 'node:crypto';
import type { Recipient } from '../../kernel/limits.js';

/** A key of constant length. It is not meant to hide the address, which the database holds anyway. */
export function recipientKey({ kind, canonical }: Recipient): string {
  return `recipient:${createHash('sha256').update(`${kind} ${canonical}`).digest('base64url').slice(0, 22)}`;
}
