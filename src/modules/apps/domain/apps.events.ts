import type { DomainEvent } from '../../../kernel/domain-event.js';
import type { AppId } from '../../../kernel/ids.js';
import type { AppMode } from './app-mode.js';

/** An app came to be. What must exist for every app (its signing keys, say) is made by subscribers in the same transaction. */
export class AppCreated implements DomainEvent {
  readonly type = 'app.created';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    readonly appId: AppId,
    mode: AppMode,
  ) {
    this.data = { app_id: appId, mode };
  }
}

/** An app is about to be gone. A subscriber that throws keeps it. */
export class AppDeleted implements DomainEvent {
  readonly type = 'app.deleted';
  readonly data: Readonly<Record<string, unknown>>;
  constructor(readonly appId: AppId) {
    this.data = { app_id: appId };
  }
}
