import { idOf } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';

function totpEvent(name: string, description: string) {
  return class extends eventOf({
    name,
    description,
    data: {
      totp_id: idOf('totp', 'The enrolment of the authenticator.'),
      user_id: idOf('user', 'The holder of the authenticator.'),
    },
  }) {
    constructor(appId: AppId, totpId: TotpId, userId: UserId) {
      super(appId, { totp_id: totpId, user_id: userId });
    }
  };
}

export class TotpActivated extends totpEvent(
  'totp.activated',
  'The first code of an enrolment was verified: the authenticator is now a sign-in method.',
) {}

export class TotpDeleted extends totpEvent('totp.deleted', 'An authenticator or a pending enrolment was deleted.') {}
