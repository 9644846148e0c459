import { ApiSchema } from '@nestjs/swagger';
import { EnumValues, Example } from '../../../edge/openapi/plugin-schemas.js';
import { ListOf } from '../../../edge/http/compound-fields.js';
import { RESETTABLE } from '../../../edge/http/field.js';
import { EpochSeconds, Flag, HttpUrl, IdOf, MinutesWithin, Text } from '../../../edge/http/fields.js';
import { ListQuery } from '../../../edge/http/list.dto.js';
import { epochSeconds } from '../../../kernel/clock.js';
import type { Lifetime } from '../../../kernel/lifetime.js';
import type { EndpointChanges, EndpointWithSecret } from '../application/manage-endpoints.js';
import { DISABLED_REASONS, type EndpointDetails, type WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { exampleId, EXAMPLES } from '../../../kernel/examples.js';

/** More than there are types of events. */
const MOST_TYPES = 100;
const OVERLAP = { min: 0, max: 10_080, standard: 1_440 } as const satisfies Lifetime;

export class CreateWebhookEndpointRequest {
  /**
   * The URL that events are sent to by POST: https with a public address, without credentials and fragment. With
   * `ALLOW_PRIVATE_NETWORKS`, the default outside production, also http and private addresses.
   */
  @HttpUrl({ example: 'http://localhost:3001/events' })
  readonly url!: string;

  /** The names of event types, or `*`. If the list is empty or absent, the endpoint gets all types, also those of later releases. */
  @ListOf(Text({ min: 1, max: 64 }), { max: MOST_TYPES, optional: true, example: ['user.created'] })
  readonly event_types?: string[];

  /** A description, which the service only stores. */
  @Text({ optional: true })
  readonly description?: string;

  /** Whether the events of one user follow one another: the next one waits until the previous one is delivered or has failed. */
  @Flag({ optional: true })
  readonly ordered?: boolean;

  static detailsOf({ url, event_types, description, ordered }: CreateWebhookEndpointRequest): EndpointDetails {
    return { url, eventTypes: event_types ?? [], description: description ?? '', isOrdered: ordered ?? false };
  }
}

/** The changes of an endpoint. Absent fields stay unchanged. */
export class UpdateWebhookEndpointRequest {
  /** The URL that events are sent to by POST. Events that wait are sent there too. */
  @HttpUrl({ optional: true })
  readonly url?: string;

  /** The names of event types, or `*`. If the list is empty or `null`, the endpoint gets all types. */
  @ListOf(Text({ min: 1, max: 64 }), { max: MOST_TYPES, ...RESETTABLE })
  readonly event_types?: string[] | null;

  /** A description, which the service only stores. */
  @Text({ ...RESETTABLE, example: 'My backend' })
  readonly description?: string | null;

  /** Whether the events of one user follow one another. A change applies to later events only. */
  @Flag({ optional: true })
  readonly ordered?: boolean;

  /** Whether no events are sent. `false` begins the sending again, also after the service has disabled the endpoint. */
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
  /** The number of minutes for which the current secret signs beside the new one. */
  @MinutesWithin(OVERLAP)
  readonly overlap_minutes: number = OVERLAP.standard;
}

export class RecoverWebhooksRequest {
  /** The start of the range, in epoch seconds. */
  @EpochSeconds({ example: 1_767_225_600 })
  readonly since!: Date;

  /** The end of the range, in epoch seconds, at most 14 days after `since`. If it is absent, the range lasts until the work runs. */
  @EpochSeconds({ optional: true, example: 1_767_229_200 })
  readonly until?: Date;
}

export class ListWebhookEndpointsQuery extends ListQuery {
  /** The id of the last endpoint of the previous page. */
  @IdOf('webhookEndpoint', { optional: true })
  readonly starting_after?: string;
}

@ApiSchema({ description: 'The endpoint without its secret.' })
export class WebhookEndpointResponse {
  @Example(exampleId('webhookEndpoint'))
  id!: string;
  app_id!: string;
  /**
   * The restricted key that made the endpoint and manages it beside the app; empty if it belongs to the app alone. When the key ends, the
   * endpoint is disabled and passes to the app.
   */
  @Example('')
  key_id!: string;
  /** The URL that events are sent to by POST. */
  @Example(EXAMPLES.webhookUrl)
  url!: string;
  /** The names of event types; an empty list stands for all types. */
  @Example(['user.created'])
  event_types!: string[];
  /** The description that the app gave; may be empty. */
  @Example('Demo')
  description!: string;
  /** Whether the events of one user follow one another. */
  ordered!: boolean;
  /** The time when the endpoint was disabled, in epoch seconds; 0 while events are sent. */
  disabled_at!: number;
  /**
   * The reason why the endpoint is disabled. `gone`: the receiver responded with 410; `failing`: every attempt of 5 days failed; `by_app`:
   * a client disabled it; `key_ended`: the restricted key that made it has ended. Empty while events are sent.
   */
  @EnumValues(['', ...DISABLED_REASONS])
  disabled_reason!: string;
  /** The time since which every attempt has failed, in epoch seconds; 0 after a success, and before the first attempt. */
  failing_since!: number;
  /** The time until which the previous secret signs too, in epoch seconds; 0 if there is none. */
  previous_secret_ends_at!: number;
  updated_at!: number;
  created_at!: number;

  static of(endpoint: WebhookEndpoint, failingSince: Date | null): WebhookEndpointResponse {
    return {
      id: endpoint.id,
      app_id: endpoint.appId,
      key_id: endpoint.keyId ?? '',
      url: endpoint.url,
      event_types: [...endpoint.eventTypes],
      description: endpoint.description,
      ordered: endpoint.isOrdered,
      disabled_at: epochSeconds(endpoint.disabledAt),
      disabled_reason: endpoint.disabledReason ?? '',
      failing_since: epochSeconds(failingSince),
      previous_secret_ends_at: epochSeconds(endpoint.previousSecretEndsAt),
      updated_at: epochSeconds(endpoint.updatedAt),
      created_at: epochSeconds(endpoint.createdAt),
    };
  }
}

@ApiSchema({ description: 'The endpoint with its secret, which is shown only once.' })
export class WebhookEndpointWithSecretResponse extends WebhookEndpointResponse {
  /** The secret that signs the events. It is shown only once. */
  @Example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  secret!: string;

  static with(
    { endpoint, secret }: EndpointWithSecret,
    failingSince: Date | null = null,
  ): WebhookEndpointWithSecretResponse {
    return { ...WebhookEndpointResponse.of(endpoint, failingSince), secret };
  }
}

@ApiSchema({ description: 'A page of the endpoints, without their secrets.' })
export class WebhookEndpointListResponse {
  /** The endpoints, newest first. */
  webhook_endpoints!: WebhookEndpointResponse[];
  has_more!: boolean;
}

@ApiSchema({ description: 'The endpoint was deleted.' })
export class WebhookEndpointDeletedResponse {
  @Example(exampleId('webhookEndpoint'))
  id!: string;
  @Example('The webhook endpoint was deleted.')
  message!: string;
}
