import { idOf, oneOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyId } from './passkey.js';

const DATA = {
  webauthn_credential_id: idOf('passkey', 'The passkey.'),
  user_id: idOf('user', 'The holder of the passkey.'),
};

function passkeyEvent(name: string, description: string) {
  return class extends eventOf({ name, description, data: DATA }) {
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

export class FactorSuspicious extends eventOf({
  name: 'factor.suspicious',
  description:
    'A passkey signed its user in, and what its authenticator says does not fit what it said before: its key may have been copied.',
  data: {
    ...DATA,
    reason: oneOf(
      ['counter', 'backup_eligibility'],
      '`counter`: the signature counter did not rise. `backup_eligibility`: whether the passkey may be copied to other devices has changed, as when a password manager begins to sync it.',
    ),
  },
}) {
  constructor(appId: AppId, id: PasskeyId, userId: UserId, reason: 'counter' | 'backup_eligibility') {
    super(appId, { webauthn_credential_id: id, user_id: userId, reason });
  }
}
