import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId, SessionId, UserId } from '../../../kernel/ids.js';
import type { UnstampedFactor } from './factor.js';

export class SessionCreated implements DomainEvent {
  readonly type = 'session.created';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    readonly sessionId: SessionId,
    readonly userId: UserId,
    factor: UnstampedFactor,
  ) {
    this.data = { session_id: sessionId, user_id: userId, factor: withoutAddress(factor) };
  }
}

/** A session was deleted, or its user may not hold it any more; of several at once, the SQL function `revoke_sessions` writes it. Expiry publishes nothing. */
export class SessionRevoked implements DomainEvent {
  readonly type = 'session.revoked';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    readonly sessionId: SessionId,
    readonly userId: UserId,
  ) {
    this.data = { session_id: sessionId, user_id: userId };
  }
}

/** A live session gained a factor it did not have. */
export class FactorAdded implements DomainEvent {
  readonly type = 'factor.added';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    readonly sessionId: SessionId,
    readonly userId: UserId,
    factor: UnstampedFactor,
  ) {
    this.data = { session_id: sessionId, user_id: userId, factor: withoutAddress(factor) };
  }
}

/** Events carry ids, not copies of addresses. */
function withoutAddress({ delivery_channel, type, method }: UnstampedFactor): Readonly<Record<string, unknown>> {
  return { delivery_channel, type, method_id: method.method_id, method_type: method.method_type };
}
