import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

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
