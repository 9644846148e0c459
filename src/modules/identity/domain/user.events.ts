import type { DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import { idOf, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import type { AppId, UserId } from '../../../kernel/ids.js';

function userEvent(name: string, description: string) {
  return class extends eventOf({
    name,
    description,
    data: { user_id: idOf('user', 'The user whom the event is about.') },
  }) {
    constructor(
      appId: AppId,
      readonly userId: UserId,
    ) {
      super(appId, { user_id: userId });
    }
  };
}

/** Subscribers give the user a default wallet of `walletType` before the transaction ends. */
export class UserCreated extends userEvent('user.created', 'A user was created.') {
  constructor(
    appId: AppId,
    userId: UserId,
    readonly walletType: DefaultWalletType,
  ) {
    super(appId, userId);
  }
}

export class UserUpdated extends userEvent('user.updated', "A user's name, status or addresses changed.") {}

/** A subscriber that throws keeps the user. */
export class UserDeleted extends userEvent(
  'user.deleted',
  'A user was deleted. Sessions and pending tokens have ended.',
) {}

export class UserDeactivated extends userEvent(
  'user.deactivated',
  'The operator of the app keeps a user from signing in. All sessions of the user have ended.',
) {}

export class UserReactivated extends userEvent(
  'user.reactivated',
  'The operator of the app lets a user sign in again.',
) {}

export class UserUnlocked extends userEvent(
  'user.unlocked',
  'The operator of the app forgot the wrong tries of a user and ended the lock of the codes.',
) {}

/** Sessions, tokens and factors from before end in this transaction. The prover's new session is created after this event. */
export class UserCredentialsRevoked extends userEvent(
  'user.credentials_revoked',
  'An account passed to the person who proved its address. Earlier sessions, pending tokens and unproven factors were revoked.',
) {}

export class FactorRemoved extends eventOf({
  name: 'factor.removed',
  description: 'A sign-in method, or a pending enrolment of one, was removed from a user.',
  data: {
    user_id: idOf('user', 'The user who lost the method.'),
    method_id: text('The id of the removed method, e.g. of an email address.'),
    method_type: text('The kind of method, e.g. `email`.'),
  },
}) {}
