import type { AppId, UserId, WalletId } from '../../../../kernel/ids.js';

export interface Freeze {
  readonly appId: AppId;
  readonly id: UserId | WalletId;
  readonly userId: UserId;
  /** Null if a user is frozen. */
  readonly walletId: WalletId | null;
}

/** The app is locked while they are changed, and begins another signing revision. */
export abstract class FreezeRepository {
  /** `isNew`: this call has begun the freeze. */
  abstract add(freeze: Freeze): Promise<{ readonly frozenAt: Date; readonly isNew: boolean }>;

  abstract frozenAt(appId: AppId, id: Freeze['id']): Promise<Date | null>;

  abstract remove(appId: AppId, id: Freeze['id']): Promise<void>;
}
