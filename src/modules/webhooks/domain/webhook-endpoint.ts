import { type DataOf, evolve } from '../../../kernel/entity.js';
import type { AppId, KeyId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

/** `gone`: the receiver responded with 410. `failing`: every attempt of five days failed. */
export const DISABLED_REASONS = ['gone', 'failing', 'by_app', 'key_ended'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const MOST_ENDPOINTS = 20;

/** The feed has no event of this type, so the statements that queue events, also those of older replicas, find nothing for it. */
export const NO_EVENTS: readonly string[] = ['webhook.test'];

export interface PreviousSecret {
  readonly sealed: Sealed;
  readonly endsAt: Date;
}

export interface EndpointDetails {
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly description: string;
  /** Whether the deliveries of one user's events follow one another. */
  readonly isOrdered: boolean;
}

export class WebhookEndpoint {
  declare readonly appId: AppId;
  declare readonly id: WebhookEndpointId;
  declare readonly keyId: KeyId | null;
  declare readonly url: string;
  declare readonly eventTypes: readonly string[];
  declare readonly description: string;
  declare readonly isOrdered: boolean;
  declare readonly sealedSecret: Sealed;
  declare readonly sealedPreviousSecret: Sealed | null;
  declare readonly previousSecretEndsAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;
  declare readonly testedAt: Date | null;
  declare readonly disabledAt: Date | null;
  declare readonly disabledReason: DisabledReason | null;

  private constructor(data: DataOf<WebhookEndpoint>) {
    Object.assign(this, data);
  }

  static create(
    place: { appId: AppId; id: WebhookEndpointId; sealedSecret: Sealed; keyId?: KeyId | null },
    details: EndpointDetails,
    now: Date,
  ): WebhookEndpoint {
    return new WebhookEndpoint({
      keyId: null,
      ...place,
      ...details,
      sealedPreviousSecret: null,
      previousSecretEndsAt: null,
      createdAt: now,
      updatedAt: now,
      testedAt: null,
      disabledAt: null,
      disabledReason: null,
    });
  }

  change(details: Partial<EndpointDetails>, now: Date): WebhookEndpoint {
    return evolve<WebhookEndpoint>(this, { ...details, updatedAt: now });
  }

  /** `previous` is the current secret, sealed as the previous one; null if it ends at once. */
  rotate(sealedSecret: Sealed, previous: PreviousSecret | null, now: Date): WebhookEndpoint {
    return evolve<WebhookEndpoint>(this, {
      sealedSecret,
      sealedPreviousSecret: previous?.sealed ?? null,
      previousSecretEndsAt: previous?.endsAt ?? null,
      updatedAt: now,
    });
  }

  disable(reason: DisabledReason, now: Date): WebhookEndpoint {
    if (this.disabledAt) return this;
    return evolve<WebhookEndpoint>(this, { disabledAt: now, disabledReason: reason, updatedAt: now });
  }

  passToApp(now: Date): WebhookEndpoint {
    return evolve<WebhookEndpoint>(this.disable('key_ended', now), { keyId: null, updatedAt: now });
  }

  enable(now: Date): WebhookEndpoint {
    if (!this.disabledAt) return this;
    return evolve<WebhookEndpoint>(this, { disabledAt: null, disabledReason: null, updatedAt: now });
  }
}

/** The canonical form of a URL may be longer than the text that a request contains. */
const LONGEST_URL = 2_048;

/** The fault as it follows the name of the field in an error. `text` is an http or https URL. */
export function faultOfUrl(text: string): string | null {
  // The URL parser drops an empty fragment and empty credentials.
  if (text.includes('#')) return 'must not contain a fragment';
  if (/^[^/]*\/\/[^/?]*@/.test(text)) return 'must not contain credentials';
  const { port, href } = new URL(text);
  if (port === '0') return 'must have a port from 1 to 65535';
  return href.length > LONGEST_URL ? `must have at most ${LONGEST_URL} characters in percent-encoding` : null;
}
