import type { AppId, UserId } from '../../../kernel/ids.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import type { Device, MagicLink } from './magic-link.js';

/** The user agent that follows a link. */
export interface Follower {
  readonly device: Device;
  /** The user of the live session in the request, if there is one. */
  readonly sessionUserId: UserId | null;
}

/** A link that was spent. */
export interface SpentLink {
  readonly userId: UserId;
  /** The address that the link was mailed to; null for an embedded link. `isProved`: whether the user still holds it and it is verified. */
  readonly mailedTo: (NonNullable<MagicLink['mailedTo']> & { readonly isProved: boolean }) | null;
}

/** The result of an attempt to follow a link. Only `other_device` counts as a mismatch, and only `spent` spends the link. */
export type Redemption =
  | ({ readonly outcome: 'spent' } & SpentLink)
  | { readonly outcome: 'expired' | 'other_user' | 'other_device'; readonly userId: UserId }
  | { readonly outcome: 'unknown'; readonly userId?: undefined };

export abstract class MagicLinkRepository {
  /** Stores the link, together with the events of the transaction. It replaces an earlier link to the same address. */
  abstract add(link: MagicLink): void;

  /**
   * Spends the link if it is live and this follower may use it. Of several concurrent calls exactly one succeeds. The
   * attempt number `mismatches` on another device voids the link.
   *
   * Locks the user before the link, in the same order as every statement that ends links of a user.
   */
  abstract redeem(appId: AppId, tokenHash: TokenHash, follower: Follower, mismatches: number): Promise<Redemption>;

  /** Voids all live links of the user. */
  abstract revokeAllOf(appId: AppId, userId: UserId): void;
}
