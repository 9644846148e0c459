import type { AppId, EmailId, UserId } from '../../../kernel/ids.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { TokenHash } from '../../../kernel/secret-tokens.js';

/** How long a link may be asked to live, in minutes. */
export const LINK_LIFETIME = { min: 5, max: 10_080, standard: 60 } as const satisfies Lifetime;

/** A device as the app's backend sees it. */
export interface Device {
  readonly ip?: string;
  readonly userAgent?: string;
}

/** A token that signs a user in, once. */
export interface MagicLink {
  readonly appId: AppId;
  readonly tokenHash: TokenHash;
  readonly userId: UserId;
  /** The address it was mailed to, which whoever follows it proves to hold; null for a link the app itself embeds. */
  readonly mailedTo: { readonly emailId: EmailId; readonly email: string } | null;
  /** What the device that follows it must be; what is absent or empty may be anything. */
  readonly device: Device;
  readonly minutes: number;
}
