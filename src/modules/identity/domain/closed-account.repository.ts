import type { AppId, UserId } from '../../../kernel/ids.js';

/** Accounts that are closed, have an unverified address and no verified one. */
export abstract class ClosedAccountRepository {
  /** Whether a process of an earlier release, which closes accounts for other reasons, is connected to the database. */
  abstract hasOlderReplica(): Promise<boolean>;

  abstract apps(): AsyncGenerator<AppId>;

  abstract next(appId: AppId, after: string, limit: number): Promise<readonly UserId[]>;

  /** Whether no module has a record of a use of the account, and all records since its creation are still kept. */
  abstract isProvenUnused(appId: AppId, userId: UserId): Promise<boolean>;

  /** Takes the account, which is locked, from `closed` to `reopening`, or after some minutes to `open`. Null if neither applies. */
  abstract advance(appId: AppId, userId: UserId): Promise<'reopened' | 'reopening' | null>;
}
