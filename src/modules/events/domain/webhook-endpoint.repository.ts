import type { AppId, WebhookEndpointId } from '../../../kernel/ids.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

/** The apps' webhook endpoints. */
export abstract class WebhookEndpointRepository {
  /** Throws `WebhookEndpointNotFound`. */
  abstract get(appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpoint>;

  /** Like `get`, and the row is locked until the transaction ends. */
  abstract lock(appId: AppId, id: WebhookEndpointId): Promise<WebhookEndpoint>;

  abstract update(endpoint: WebhookEndpoint): Promise<void>;

  /** Forgets the failures of an endpoint, so that its next deliveries are not held back. For an endpoint that is enabled again. */
  abstract forgetFailures(appId: AppId, id: WebhookEndpointId): Promise<void>;
}
