import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { type AppId, newId } from '../../../kernel/ids.js';
import type { Requester } from '../../../kernel/requester.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AppsFacade } from '../../apps/index.js';
import { type EndpointDetails, MOST_ENDPOINTS, WebhookEndpoint } from '../domain/webhook-endpoint.js';
import { WebhookEndpointRepository } from '../domain/webhook-endpoint.repository.js';
import { TooManyWebhookEndpoints } from '../domain/webhook.errors.js';
import { EndpointRules } from './endpoint-rules.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** An endpoint with its new secret, which is shown only once. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

@Injectable()
export class CreateWebhookEndpoint {
  constructor(
    private readonly apps: AppsFacade,
    private readonly rules: EndpointRules,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  /** Throws `AppNotFound`, `InvalidRequest`, `TooManyWebhookEndpoints`, `TooManyRequests`. */
  async execute(by: Requester, appId: AppId, asked: EndpointDetails): Promise<EndpointWithSecret> {
    await this.apps.requireLive(appId);
    // This check saves the look-up of the URL's host; the one below decides.
    await this.assertRoom(appId);
    const details = await this.rules.checked(appId, asked);
    const key = { appId, id: newId('webhookEndpoint') };
    const { text, sealed } = this.secrets.mint(key);
    const endpoint = WebhookEndpoint.create({ ...key, sealedSecret: sealed }, details, this.clock.now());
    await this.transactions.run(async () => {
      // The lock lets the second of two simultaneous calls count the endpoint of the first.
      await this.apps.lock(appId);
      await this.assertRoom(appId);
      await this.endpoints.insert(endpoint);
      await this.apps.audit(by, appId, 'webhook_endpoint.created', endpoint.id);
    });
    return { endpoint, secret: text };
  }

  private async assertRoom(appId: AppId): Promise<void> {
    if ((await this.endpoints.count(appId)) >= MOST_ENDPOINTS) throw new TooManyWebhookEndpoints();
  }
}
