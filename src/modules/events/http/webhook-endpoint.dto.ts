import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { ListOf } from '../../../edge/http/compound-fields.js';
import { EpochSeconds, Flag, HttpUrl, IdOf, MinutesWithin, Text, WholeNumber } from '../../../edge/http/fields.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { EndpointWithSecret } from '../application/create-webhook-endpoint.js';
import type { EndpointChanges } from '../application/update-webhook-endpoint.js';
import { DISABLED_REASONS, type EndpointDetails, type WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

/** More than there are types of events. */
const MOST_TYPES = 100;
const OVERLAP = { min: 0, max: 10_080, standard: 1_440 } as const satisfies Lifetime;

export class CreateWebhookEndpointRequest {
  /** Where events are sent, by POST. https with a public address, without credentials and fragment. */
  @HttpUrl({ example: 'http://localhost:3001/events' })
  readonly url!: string;

  /** Names of types of events, or `*`. Empty or absent: all, also those of later releases. */
  @ListOf(Text({ min: 1, max: 64 }), { max: MOST_TYPES, optional: true, example: ['user.created'] })
  readonly event_types?: string[];

  /** For people. */
  @Text({ optional: true })
  readonly description?: string;

  /** Whether the events of one user follow one another: the next one waits until the one before is delivered or has failed. */
  @Flag({ optional: true })
  readonly ordered?: boolean;

  static detailsOf({ url, event_types, description, ordered }: CreateWebhookEndpointRequest): EndpointDetails {
    return { url, eventTypes: event_types ?? [], description: description ?? '', isOrdered: ordered ?? false };
  }
}

/** The changes of an endpoint. Absent fields stay unchanged. */
export class UpdateWebhookEndpointRequest {
  /** Where events are sent, by POST. Events that wait are sent there too. */
  @HttpUrl({ optional: true })
  readonly url?: string;

  /** Names of types of events, or `*`. Empty or `null`: all. */
  @ListOf(Text({ min: 1, max: 64 }), { max: MOST_TYPES, optional: true, nullable: true })
  readonly event_types?: string[] | null;

  /** For people. */
  @Text({ optional: true, nullable: true, example: 'My backend' })
  readonly description?: string | null;

  /** Whether the events of one user follow one another. Applies to events from now on. */
  @Flag({ optional: true })
  readonly ordered?: boolean;

  /** `true` ends the sending of events; `false` begins it again, also after the service has disabled the endpoint. */
  @Flag({ optional: true })
  readonly disabled?: boolean;

  static changesOf(request: UpdateWebhookEndpointRequest): EndpointChanges {
    const { url, event_types, description, ordered, disabled } = request;
    return {
      ...(url !== undefined && { url }),
      ...(event_types !== undefined && { eventTypes: event_types ?? [] }),
      ...(description !== undefined && { description: description ?? '' }),
      ...(ordered !== undefined && { isOrdered: ordered }),
      ...(disabled !== undefined && { isDisabled: disabled }),
    };
  }
}

export class RotateWebhookSecretRequest {
  /** Minutes for which the current secret signs beside the new one. */
  @MinutesWithin(OVERLAP)
  readonly overlap_minutes: number = OVERLAP.standard;
}

export class RecoverWebhooksRequest {
  /** The begin of the range. */
  @EpochSeconds({ example: 1_767_225_600 })
  readonly since!: Date;

  /** The end of the range: the time at which the work runs when absent, at most 14 days after `since`. */
  @EpochSeconds({ optional: true, example: 1_767_229_200 })
  readonly until?: Date;
}

export class ListWebhookEndpointsQuery {
  /** The maximum number of items. `has_more` says whether there are more. */
  @WholeNumber({ min: 1, max: 1_000 })
  readonly limit: number = 1_000;

  /** The id of the last endpoint of the previous page. */
  @IdOf('webhookEndpoint', { optional: true })
  readonly starting_after?: string;
}

/** An endpoint without its secret. */
export class WebhookEndpointResponse {
  @Example(exampleId('webhookEndpoint'))
  id!: string;
  app_id!: string;
  @Example(EXAMPLES.webhookUrl)
  url!: string;
  /** Empty: all. */
  @Example(['user.created'])
  event_types!: string[];
  @Example('Demo')
  description!: string;
  ordered!: boolean;
  /** 0 while events are sent. */
  disabled_at!: number;
  /** `gone`: the receiver answered 410; `failing`: every attempt of 5 days failed; `by_app`; empty while events are sent. */
  @EnumValues(['', ...DISABLED_REASONS])
  disabled_reason!: string;
  /** Until when the previous secret signs too; 0 when there is none. */
  previous_secret_ends_at!: number;
  updated_at!: number;
  created_at!: number;

  static of(endpoint: WebhookEndpoint): WebhookEndpointResponse {
    return Object.assign(new WebhookEndpointResponse(), {
      id: endpoint.id,
      app_id: endpoint.appId,
      url: endpoint.url,
      event_types: endpoint.eventTypes,
      description: endpoint.description,
      ordered: endpoint.isOrdered,
      disabled_at: endpoint.disabledAt ? epochSeconds(endpoint.disabledAt) : 0,
      disabled_reason: endpoint.disabledReason ?? '',
      previous_secret_ends_at: endpoint.previousSecretEndsAt ? epochSeconds(endpoint.previousSecretEndsAt) : 0,
      updated_at: epochSeconds(endpoint.updatedAt),
      created_at: epochSeconds(endpoint.createdAt),
    });
  }
}

export class WebhookEndpointWithSecretResponse extends WebhookEndpointResponse {
  /** Signs the events. Shown only once. */
  @Example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  secret!: string;

  static ofNew({ endpoint, secret }: EndpointWithSecret): WebhookEndpointWithSecretResponse {
    return Object.assign(new WebhookEndpointWithSecretResponse(), { ...WebhookEndpointResponse.of(endpoint), secret });
  }
}

export class WebhookEndpointListResponse {
  /** Newest first. */
  webhook_endpoints!: WebhookEndpointResponse[];
  has_more!: boolean;

  /** `found` has one more than the limit where there are more. */
  static of(found: readonly WebhookEndpoint[], limit: number): WebhookEndpointListResponse {
    return Object.assign(new WebhookEndpointListResponse(), {
      webhook_endpoints: found.slice(0, limit).map((endpoint) => WebhookEndpointResponse.of(endpoint)),
      has_more: found.length > limit,
    });
  }
}

/** An endpoint that was deleted. */
export class WebhookEndpointDeletedResponse {
  @Example(exampleId('webhookEndpoint'))
  id!: string;
  @Example('The webhook endpoint was deleted.')
  message!: string;

  static of(id: string): WebhookEndpointDeletedResponse {
    return Object.assign(new WebhookEndpointDeletedResponse(), { id, message: 'The webhook endpoint was deleted.' });
  }
}
