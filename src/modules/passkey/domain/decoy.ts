import { createHmac } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyDescriptor } from './passkey.js';

/** Lengths of the ids that widespread authenticators make, the most frequent ones more often. */
const LENGTHS = [16, 16, 20, 32, 32, 32, 32, 64] as const;

/**
 * A passkey that no authenticator has, for a user without passkeys: without it the answer would say who has none, or does not
 * exist. The same each time, because a real list does not change between two calls either.
 */
export function decoyOf(decoyKey: string, appId: AppId, userId: UserId): PasskeyDescriptor {
  const derive = (what: string) => createHmac('sha512', decoyKey).update(`${what}\0${appId}\0${userId}`).digest();
  const length = LENGTHS[derive('length')[0]! % LENGTHS.length]!;
  return {
    credentialId: derive('credential').subarray(0, length).toString('base64url'),
    transports: ['hybrid', 'internal'],
  };
}
