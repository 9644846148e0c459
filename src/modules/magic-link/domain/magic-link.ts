import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { loginRefusal, type ProofFault } from '../../../kernel/refusals.js';

/** The lifetime that a request may give to a link, in minutes. */
export const LINK_LIFETIME = { min: 5, max: 10_080, standard: 60 } as const satisfies Lifetime;

/** A device as the app's backend sees it. */
export interface Device {
  readonly ip?: string;
  readonly userAgent?: string;
}

/** A token that signs in a user once. */
export interface MagicLink {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  /** The address that it was mailed to, which following the link verifies; null for an embedded link. */
  readonly mailedTo: { readonly emailId: EmailId; readonly email: string } | null;
  /** The device that must follow it. A field that is absent or empty matches any value. */
  readonly device: Device;
  readonly minutes: number;
}

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
  | { readonly outcome: 'other_user' | 'other_device'; readonly userId: UserId; readonly fault?: undefined }
  /** The outcome `ended` means that it was spent, is void, or was replaced by a newer link to its address within the last hour. */
  | { readonly outcome: 'expired' | 'ended'; readonly userId: UserId; readonly fault: ProofFault }
  | { readonly outcome: 'unknown'; readonly userId?: undefined; readonly fault?: undefined };

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

  /** Voids the live links of the user, except those that were mailed to these addresses. */
  abstract revokeAllOf(appId: AppId, userId: UserId, except: readonly string[]): Promise<number>;
}

export class InvalidMagicToken extends loginRefusal('invalid', 'invalid_magic_token', {
  message: 'The magic link is not valid. Send a new one.',
  help: 'The token is unknown, spent, void or of another app. A link is void when a newer link was sent to the same address, or when it was followed too often on another device. Send a new link.',
}) {}

export class MagicLinkExpired extends loginRefusal('invalid', 'magic_link_expired', {
  message: 'The magic link has expired. Send a new one.',
  help: 'The link was not followed within its lifetime. Send a new one.',
}) {}

export class DeviceMismatch extends loginRefusal('invalid', 'device_mismatch', {
  message: 'The magic link was created for another device. Open it on that device.',
  help: 'The link was created for one device (`device_fingerprint`) and followed on another. Each field given at creation must have the same value at verification. The link is not spent, but 5 such attempts void it.',
}) {}
