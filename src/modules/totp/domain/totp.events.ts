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

/** The first code of an enrolment was verified: the authenticator is now a sign-in method. */
export class TotpActivated extends TotpEvent {
  readonly type = 'totp.activated';
}

/** An authenticator or a pending enrolment was deleted. */
export class TotpDeleted extends TotpEvent {
  readonly type = 'totp.deleted';
}
