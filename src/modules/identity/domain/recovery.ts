import type { AppId, UserId } from '../../../kernel/ids.js';
import type { Address } from './address.js';

/** How long the new address can be proved once the wait is over. */
export const RECOVERY_DAYS = 14;

/** A new address for a user who has lost the only sign-in method, which an operator has let in. */
export interface Recovery extends Address {
  readonly userId: UserId;
  readonly begunAt: Date;
  /** From then on a proof of the address signs the user in. */
  readonly readyAt: Date;
  readonly expiresAt: Date;
}

/** How long a proof of the new address makes no session fresh, whatever age the app asks of methods. */
export const RECOVERED_HOURS = 24;

/** At most one for each user and for each address. Every method that writes runs after the user is locked. */
export abstract class RecoveryRepository {
  /** Replaces another recovery of the user. Null if another user has one by the address. */
  abstract begin(appId: AppId, userId: UserId, address: Address, waitHours: number): Promise<Recovery | null>;

  abstract ofUser(appId: AppId, userId: UserId): Promise<Recovery | null>;

  abstract readyFor(appId: AppId, address: Address): Promise<UserId | null>;

  /** False if none is under way. */
  abstract remove(appId: AppId, userId: UserId): Promise<boolean>;

  /** The address counts as recovered from now on. */
  abstract complete(appId: AppId, userId: UserId): Promise<void>;

  /** Removes a completed recovery too. */
  abstract forget(appId: AppId, userId: UserId): void;
}
