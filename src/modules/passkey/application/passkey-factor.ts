import type { Factor } from '../../session/index.js';
import type { PasskeyId } from '../domain/passkey.js';

/** The session factor of a passkey; its type is declared in `passkey.module.ts`. */
export function factorOf(passkeyId: PasskeyId): Factor {
  return {
    type: 'webauthn',
    deliveryChannel: 'webauthn_credential',
    method: { type: 'webauthn', passkeyId },
  };
}
