import type { DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import { idOf, integer, listOf, oneOf, text } from '../../../kernel/event-data.js';
import { eventOf } from '../../../kernel/event-types.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Recovery } from './recovery.js';

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

export class UserUpdated extends userEvent(
  'user.updated',
  "A user's name, status, addresses, external_id or metadata changed.",
) {}

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

/** Subscribers end what was begun with the account before, in this transaction: sessions, tokens, factors, approvals, bound keys. */
export class AccountPassed {
  private count = 0;

  /** `codesStay` are the addresses whose codes and links stay valid. */
  constructor(
    readonly appId: AppId,
    readonly userId: UserId,
    readonly codesStay: readonly string[],
  ) {}

  addEnded(count: number): void {
    this.count += count;
  }

  get ended(): number {
    return this.count;
  }
}

export class UserCredentialsRevoked extends userEvent(
  'user.credentials_revoked',
  'An account passed to the person who proved its address, and sessions, pending tokens or unproven factors from before were revoked.',
) {}

export class UserClaimed extends eventOf({
  name: 'user.claimed',
  description:
    'An account that the app had created passed to the person who proved its address, or the wallet that it was reserved for. It is the same user, with everything that the app wrote.',
  data: {
    user_id: idOf('user', 'The user, who has proved a sign-in method for the first time.'),
    fields: listOf(
      text('The name of a field.'),
      'The fields that hold what the app wrote before: names such as `first_name`, and `email` or `phone_number` for a further address, which is not verified. Let the user confirm them.',
    ),
  },
}) {
  constructor(
    appId: AppId,
    readonly userId: UserId,
    fields: readonly string[],
  ) {
    super(appId, { user_id: userId, fields });
  }
}

export class AddressMoved extends eventOf({
  name: 'address.moved',
  description:
    'A person proved an address that another user held unverified, and whose account does not pass to that person. The address left that user and belongs to a new user. An import does so too for a user whose address is verified in the row.',
  data: {
    user_id: idOf('user', 'The user who lost the address.'),
    from_user_id: idOf('user', 'The same user.'),
    to_user_id: idOf('user', 'The new user of the person who proved the address, or the imported one.'),
    method_id: text('The id of the address at its new user.'),
    method_type: text('The kind of address: `email` or `phone_number`.'),
  },
}) {}

export class FactorRemoved extends eventOf({
  name: 'factor.removed',
  description: 'A sign-in method, or a pending enrolment of one, was removed from a user.',
  data: {
    user_id: idOf('user', 'The user who lost the method.'),
    method_id: text('The id of the removed method, e.g. of an email address.'),
    method_type: text('The kind of method, e.g. `email`.'),
  },
}) {}

export class RecoveryBegun extends eventOf({
  name: 'recovery.begun',
  description:
    'An operator of the app lets a user in by a new address who has lost the only sign-in method. The verified addresses of the user were notified. Until `ready_at` it can be cancelled.',
  data: {
    user_id: idOf('user', 'The user whose account is recovered.'),
    method_type: oneOf(['email', 'phone_number'], 'The kind of the new address.'),
    ready_at: integer('The time from which a proof of the new address opens the account, in epoch seconds.'),
  },
}) {
  static of(appId: AppId, { userId, kind, readyAt }: Recovery): RecoveryBegun {
    return new RecoveryBegun(appId, { user_id: userId, method_type: kind, ready_at: epochSeconds(readyAt) });
  }
}

export class RecoveryEnded extends eventOf({
  name: 'recovery.ended',
  description: 'A recovery of a user was cancelled, or the user has proved the new address.',
  data: {
    user_id: idOf('user', 'The user.'),
    outcome: oneOf(['cancelled', 'completed'], '`completed` once the user has proved the new address.'),
  },
}) {}
