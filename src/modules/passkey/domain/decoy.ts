import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyDescriptor } from './passkey.js';
import type { WebauthnSettings } from './webauthn-settings.js';

/** Lengths of the ids that widespread authenticators make, the most frequent ones more often. */
const LENGTHS: readonly number[] = [16, 16, 20, 32, 32, 32, 32, 64];

type DecoySettings = Pick<WebauthnSettings, 'rpId' | 'decoyKey'>;

/**
 * A passkey that no authenticator has, for a user without passkeys: without it the answer would say who has none, or does not
 * exist. The same until the domain changes, because a real list stays until then, and changes with the domain.
 */
export function decoyOf({ rpId, decoyKey }: DecoySettings, appId: AppId, userId: UserId): PasskeyDescriptor {
  const derive = (what: string) => keyed(decoyKey, `${what}\0${appId}\0${rpId}\0${userId}`);
  const length = LENGTHS[derive('length')[0]! % LENGTHS.length]!;
  const head = derive('credential').subarray(0, length / 2);
  return {
    credentialId: Buffer.concat([head, tailOf(decoyKey, appId, head)]).toString('base64url'),
    transports: ['hybrid', 'internal'],
  };
}

/** Whether the id is a decoy of the app. If it could be registered, the answer would show that it is no passkey. */
export function isDecoy(decoyKey: string, appId: AppId, credentialId: Buffer): boolean {
  if (!LENGTHS.includes(credentialId.length)) return false;
  const middle = credentialId.length / 2;
  return timingSafeEqual(credentialId.subarray(middle), tailOf(decoyKey, appId, credentialId.subarray(0, middle)));
}

/** The second half of a decoy follows from the first, so decoys are recognised without their user. */
function tailOf(decoyKey: string, appId: AppId, head: Buffer): Buffer {
  return keyed(decoyKey, `tail\0${appId}\0${head.toString('base64url')}`).subarray(0, head.length);
}

function keyed(decoyKey: string, text: string): Buffer {
  return createHmac('sha512', decoyKey).update(text).digest();
}
