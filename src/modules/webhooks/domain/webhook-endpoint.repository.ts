import type { AppId, KeyId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** The restricted key that calls: it finds only the endpoints that it made. Null: every endpoint of the app. */
export type CallingKey = KeyId | null;

/** The apps' webhook endpoints. */
export abstract class WebhookEndpointRepository {
  /** Throws `WebhookEndpointNotFound`. */
  abstract get(appId: AppId, id: WebhookEndpointId, key?: CallingKey): Promise<WebhookEndpoint>;

  /** Like `get`, and the row is locked until the transaction ends. */
  abstract lock(appId: AppId, id: WebhookEndpointId, key?: CallingKey): Promise<WebhookEndpoint>;

  /** Locks the endpoints that the key made until the transaction ends. */
  abstract lockOf(appId: AppId, key: KeyId): Promise<readonly WebhookEndpoint[]>;

  /** The restricted keys that have ended, of all apps, and still have endpoints. */
  abstract endedKeys(): Promise<readonly { readonly appId: AppId; readonly keyId: KeyId }[]>;

  /** Lists endpoints, newest first. */
  abstract list(appId: AppId, page: PageRequest, key?: CallingKey): Promise<Page<WebhookEndpoint>>;

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
