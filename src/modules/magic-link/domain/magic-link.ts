import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';
import { loginRefusal, type ProofFault } from '../../../kernel/refusals.js';

/** Minutes. */
export const LINK_LIFETIME = { min: 5, max: 10_080, standard: 60 } as const satisfies Lifetime;

export interface Device {
  readonly ip?: string;
  readonly userAgent?: string;
}

export interface MagicLink {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  /** Null for an embedded link. */
  readonly mailedTo: { readonly emailId: EmailId; readonly email: string } | null;
  /** The device that must follow it. An absent or empty field matches any value. */
  readonly device: Device;
  readonly minutes: number;
}

export interface Follower {
  readonly device: Device;
  readonly sessionUserId: UserId | null;
}

export interface SpentLink {
  readonly userId: UserId;
  /** Null for an embedded link. `isProved`: the user still holds the address and it is verified. */
  readonly mailedTo: (NonNullable<MagicLink['mailedTo']> & { readonly isProved: boolean }) | null;
}

/** Only `other_device` counts as a mismatch, and only `spent` spends the link. */
export type Redemption =
  | ({ readonly outcome: 'spent' } & SpentLink)
  | { readonly outcome: 'other_user' | 'other_device'; readonly userId: UserId; readonly fault?: undefined }
  /** `ended`: spent, void, or replaced within the last hour by a newer link to its address. */
  | { readonly outcome: 'expired' | 'ended'; readonly userId: UserId; readonly fault: ProofFault }
  | { readonly outcome: 'unknown'; readonly userId?: undefined; readonly fault?: undefined };

export abstract class MagicLinkRepository {
  /** Replaces an earlier link to the same address. */
  abstract add(link: MagicLink): void;

  /** Exactly one of concurrent calls succeeds. Mismatch number `mismatches` voids the link. Lock order: the user, then the link. */
  abstract redeem(appId: AppId, tokenHash: TokenHash, follower: Follower, mismatches: number): Promise<Redemption>;

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
