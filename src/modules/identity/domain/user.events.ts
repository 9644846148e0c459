import type { DefaultWalletType } from '../../../kernel/chain/chain-name.js';
import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId, UserId } from '../../../kernel/ids.js';

abstract class UserEvent implements DomainEvent {
  abstract readonly type: string;
  constructor(
    readonly appId: AppId,
    readonly userId: UserId,
  ) {}

  get data(): Readonly<Record<string, unknown>> {
    return { user_id: this.userId };
  }
}

/** A user came to be, and is to have a default wallet of `walletType` before the transaction ends. */
export class UserCreated extends UserEvent {
  readonly type = 'user.created';
  constructor(
    appId: AppId,
    userId: UserId,
    readonly walletType: DefaultWalletType,
  ) {
    super(appId, userId);
  }
}

/** A user's name, status or addresses changed. */
export class UserUpdated extends UserEvent {
  readonly type = 'user.updated';
}

/** A user is gone: sessions and pending tokens end. A subscriber that throws keeps the user. */
export class UserDeleted extends UserEvent {
  readonly type = 'user.deleted';
}

/** Management keeps a user from signing in: sessions end. */
export class UserDeactivated extends UserEvent {
  readonly type = 'user.deactivated';
}

/** Management lets a user sign in again. */
export class UserReactivated extends UserEvent {
  readonly type = 'user.reactivated';
}

/**
 * An account passed to the person who proved its address. Earlier sessions, pending tokens and unproven factors belong
 * to another person and end in this transaction. The prover's new session is created after this event.
 */
export class UserCredentialsRevoked extends UserEvent {
  readonly type = 'user.credentials_revoked';
}
