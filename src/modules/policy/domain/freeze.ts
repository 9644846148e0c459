import type { AppId, UserId, WalletId } from '../../../kernel/ids.js';

/** A user or a wallet whose keys sign nothing. */
export interface Freeze {
  readonly appId: AppId;
  /** The id of the user or of the wallet. */
  readonly id: UserId | WalletId;
  /** The user, or the owner of the wallet. */
  readonly userId: UserId;
  /** Null if the freeze is that of a user. */
  readonly walletId: WalletId | null;
}

/** The freezes of users and wallets. The app is locked while they are changed, and begins another signing revision. */
export abstract class FreezeRepository {
  /** The time since which it is frozen, and whether this call has begun that. */
  abstract add(freeze: Freeze): Promise<{ readonly frozenAt: Date; readonly isNew: boolean }>;

  /** Null if it is not frozen. */
  abstract frozenAt(appId: AppId, id: Freeze['id']): Promise<Date | null>;

  abstract remove(appId: AppId, id: Freeze['id']): Promise<void>;
}
