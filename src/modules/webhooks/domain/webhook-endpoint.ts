import { type DataOf, evolve } from '../../../kernel/entity.js';
import type { AppId, KeyId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Sealed } from '../../../kernel/vault.js';

/**
 * The reasons: the receiver responded with 410, every attempt of five days failed, a client disabled the endpoint, or the restricted key that
 * made it has ended.
 */
export const DISABLED_REASONS = ['gone', 'failing', 'by_app', 'key_ended'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The maximum number of endpoints of an app. */
export const MOST_ENDPOINTS = 20;

/**
 * The types of an endpoint that carries no events, because the restricted key that made it may not read them. No event of the feed is of this
 * type, and tests are sent to endpoints of any type, so the statements that queue events, also those of older replicas, find nothing for it.
 */
export const NO_EVENTS: readonly string[] = ['webhook.test'];

/** A secret that was replaced and signs until it ends. */
export interface PreviousSecret {
  readonly sealed: Sealed;
  readonly endsAt: Date;
}

/** The details of an endpoint that a client sets. */
export interface EndpointDetails {
  readonly url: string;
  /** The names of event types. An empty list stands for all types. */
  readonly eventTypes: readonly string[];
  readonly description: string;
  /** Whether the deliveries of one user's events follow one another. */
  readonly isOrdered: boolean;
}

/** A URL of an app's backend that receives its events. Its secrets are sealed. */
export class WebhookEndpoint {
  declare readonly appId: AppId;
  declare readonly id: WebhookEndpointId;
  /** The restricted key that made the endpoint; null if it belongs to the app itself. */
  declare readonly keyId: KeyId | null;
  declare readonly url: string;
  declare readonly eventTypes: readonly string[];
  declare readonly description: string;
  declare readonly isOrdered: boolean;
  declare readonly sealedSecret: Sealed;
  /** Signs beside the current secret until `previousSecretEndsAt`. */
  declare readonly sealedPreviousSecret: Sealed | null;
  declare readonly previousSecretEndsAt: Date | null;
  declare readonly createdAt: Date;
  declare readonly updatedAt: Date;
  /** When the last test event was sent. */
  declare readonly testedAt: Date | null;
  /** The time when the endpoint was disabled; null while events are delivered. */
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

  /** `previous` is the current secret, sealed as the previous one; null if it ends at once. An earlier previous secret ends at once too. */
  rotate(sealedSecret: Sealed, previous: PreviousSecret | null, now: Date): WebhookEndpoint {
    return evolve<WebhookEndpoint>(this, {
      sealedSecret,
      sealedPreviousSecret: previous?.sealed ?? null,
      previousSecretEndsAt: previous?.endsAt ?? null,
      updatedAt: now,
    });
  }

  /** An endpoint that is disabled keeps its time and its reason. */
  disable(reason: DisabledReason, now: Date): WebhookEndpoint {
    if (this.disabledAt) return this;
    return evolve<WebhookEndpoint>(this, { disabledAt: now, disabledReason: reason, updatedAt: now });
  }

  /** The endpoint belongs to the app itself from now on, which decides whether it goes on. */
  passToApp(now: Date): WebhookEndpoint {
    return evolve<WebhookEndpoint>(this.disable('key_ended', now), { keyId: null, updatedAt: now });
  }

  enable(now: Date): WebhookEndpoint {
    if (!this.disabledAt) return this;
    return evolve<WebhookEndpoint>(this, { disabledAt: null, disabledReason: null, updatedAt: now });
  }
}

/** The longest URL that a request may contain. Its canonical form may be longer than its text. */
const LONGEST_URL = 2_048;

/** The fault of a URL, as it follows the name of the field in an error; null if it has none. `text` is an http or https URL. */
export function faultOfUrl(text: string): string | null {
  // The URL parser drops an empty fragment and empty credentials.
  if (text.includes('#')) return 'must not contain a fragment';
  if (/^[^/]*\/\/[^/?]*@/.test(text)) return 'must not contain credentials';
  const { port, href } = new URL(text);
  if (port === '0') return 'must have a port from 1 to 65535';
  return href.length > LONGEST_URL ? `must have at most ${LONGEST_URL} characters in percent-encoding` : null;
}
