import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId, TotpId, UserId } from '../../../kernel/ids.js';

abstract class TotpEvent implements DomainEvent {
  abstract readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    totpId: TotpId,
    userId: UserId,
  ) {
    this.data = { totp_id: totpId, user_id: userId };
  }
}

/** A user showed a first code of an enrolment: from now on the authenticator is a way to sign in. */
export class TotpActivated extends TotpEvent {
  readonly type = 'totp.activated';
}

/** An authenticator or a pending enrolment was taken from its user. */
export class TotpDeleted extends TotpEvent {
  readonly type = 'totp.deleted';
}
