import { idOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyId } from './passkey.js';

function passkeyEvent(name: string, description: string) {
  const data = {
    webauthn_credential_id: idOf('passkey', 'The passkey.'),
    user_id: idOf('user', 'The holder of the passkey.'),
  };
  return class extends eventOf({ name, description, data }) {
    constructor(appId: AppId, id: PasskeyId, userId: UserId) {
      super(appId, { webauthn_credential_id: id, user_id: userId });
    }
  };
}

export class PasskeyCreated extends passkeyEvent(
  'webauthn_credential.created',
  'A passkey was registered: it is now a sign-in method of the user.',
) {}

export class PasskeyDeleted extends passkeyEvent('webauthn_credential.deleted', 'A passkey was deleted.') {}

export class FactorSuspicious extends passkeyEvent(
  'factor.suspicious',
  'A passkey signed its user in with a counter that did not rise: its key may have been copied.',
) {}
