import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** The apps' webhook endpoints. */
export abstract class WebhookEndpointRepository {
  /** Throws `WebhookEndpointNotFound`. */
  abstract get(appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpoint>;

  /** Like `get`, and the row is locked until the transaction ends. */
  abstract lock(appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpoint>;

  /** Lists endpoints, newest first. */
  abstract list(appId: AppId, page: PageRequest): Promise<Page<WebhookEndpoint>>;

  abstract count(appId: AppId): Promise<number>;

  abstract insert(endpoint: WebhookEndpoint): Promise<void>;

  /** Returns false if there is no such endpoint. */
  abstract delete(appId: AppId, id: WebhookEndpointId): Promise<boolean>;

  abstract update(endpoint: WebhookEndpoint): Promise<void>;

  /** The time of the database, by which the overlap of two secrets ends. */
  abstract now(): Promise<Date>;

  /** Since when each of the endpoints has only failed. Endpoints whose last attempt was a success, or that had none, are left out. */
  abstract failingSince(appId: AppId, ids: readonly WebhookEndpointId[]): Promise<ReadonlyMap<WebhookEndpointId, Date>>;

  /** Whether the endpoint has only failed for five days. */
  abstract isLost(appId: AppId, id: WebhookEndpointId): Promise<boolean>;

  /** Forgets the failures of an endpoint that is enabled again or has another URL, so that its next deliveries are not held back. */
  abstract forgetFailures(appId: AppId, id: WebhookEndpointId): Promise<void>;
}
