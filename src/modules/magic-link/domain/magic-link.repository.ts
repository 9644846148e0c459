import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Device, MagicLink } from './magic-link.js';

/** Who follows a link. */
export interface Follower {
  readonly device: Device;
  /** The user of the live session that came along, if one did. */
  readonly sessionUserId: UserId | null;
}

/** A link that was spent. */
export interface SpentLink {
  readonly userId: UserId;
  /** `isProved`: whether the user holds the address still and has proved it before. Null for an embedded link. */
  readonly mailedTo: (NonNullable<MagicLink['mailedTo']> & { readonly isProved: boolean }) | null;
}

/** What became of an attempt to follow a link. Only `other_device` counts against it, and only `spent` spends it. */
export type Redemption =
  | ({ readonly outcome: 'spent' } & SpentLink)
  | { readonly outcome: 'unknown' | 'expired' | 'other_user' | 'other_device' };

export abstract class MagicLinkRepository {
  /** Keeps the link, and writes the transaction's events along with it. An older link to the same address is void from then on. */
  abstract add(link: MagicLink): Promise<void>;

  /**
   * Spends the link if it is live and this follower may; of any number of callers at once one does. The `mismatches`th
   * follower on another device than the link is meant for voids it.
   *
   * Locks the user before the link: that is the order of everybody who ends the links of a user.
   */
  abstract redeem(appId: AppId, tokenHash: TokenHash, follower: Follower, mismatches: number): Promise<Redemption>;

  /** Makes all live links of the user worthless. */
  abstract revokeAllOf(appId: AppId, userId: UserId): Promise<void>;

  /** Forgets up to `limit` links of each app that ended more than a day ago. Until then an expired link is told from an unknown one. */
  abstract removeEnded(limit: number): Promise<number>;
}
