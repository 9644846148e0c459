import type { AppId, KeyId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/paging.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** A restricted key finds only the endpoints that it made; null finds every endpoint of the app. */
export type CallingKey = KeyId | null;

export interface EndpointsOfEndedKey {
  readonly appId: AppId;
  readonly keyId: KeyId;
  readonly ids: readonly WebhookEndpointId[];
}

export abstract class WebhookEndpointRepository {
  abstract get(appId: AppId, id: WebhookEndpointId, key?: CallingKey): Promise<WebhookEndpoint>;

  abstract lock(appId: AppId, id: WebhookEndpointId, key?: CallingKey): Promise<WebhookEndpoint>;

  abstract lockOf(appId: AppId, key: KeyId): Promise<readonly WebhookEndpoint[]>;

  abstract ofEndedKeys(): Promise<readonly EndpointsOfEndedKey[]>;

  abstract list(appId: AppId, page: PageRequest, key?: CallingKey): Promise<Page<WebhookEndpoint>>;

  abstract count(appId: AppId): Promise<number>;

  abstract insert(endpoint: WebhookEndpoint): Promise<void>;

  abstract delete(appId: AppId, id: WebhookEndpointId): Promise<boolean>;

  abstract update(endpoint: WebhookEndpoint): Promise<void>;

  /** The time of the database, by which the overlap of two secrets ends. */
  abstract now(): Promise<Date>;

  /** Leaves out endpoints whose last attempt was a success, or that had none. */
  abstract failingSince(appId: AppId, ids: readonly WebhookEndpointId[]): Promise<ReadonlyMap<WebhookEndpointId, Date>>;

  abstract isLost(appId: AppId, id: WebhookEndpointId): Promise<boolean>;

  /** Lets the next deliveries of the endpoint go without a pause. */
  abstract forgetFailures(appId: AppId, id: WebhookEndpointId): Promise<void>;
}
