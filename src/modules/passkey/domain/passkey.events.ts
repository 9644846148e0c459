import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId, UserId } from '../../../kernel/ids.js';
import type { PasskeyId } from './passkey.js';

abstract class PasskeyEvent implements DomainEvent {
  abstract readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    id: PasskeyId,
    userId: UserId,
  ) {
    this.data = { webauthn_credential_id: id, user_id: userId };
  }
}

/** A passkey was registered: it is now a sign-in method. */
export class PasskeyCreated extends PasskeyEvent {
  readonly type = 'webauthn_credential.created';
}

/** A passkey was deleted. */
export class PasskeyDeleted extends PasskeyEvent {
  readonly type = 'webauthn_credential.deleted';
}

/** A passkey signed in with a counter that did not rise: its key may have been copied. */
export class FactorSuspicious extends PasskeyEvent {
  readonly type = 'factor.suspicious';
}
